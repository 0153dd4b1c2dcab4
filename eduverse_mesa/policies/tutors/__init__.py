"""Tutors that somebody brings along: a Python function, or a server (docs/guides/evaluating-a-tutor.md)."""

from eduverse_mesa.decisions.tutoring import LONGEST
from eduverse_mesa.policies.tutors.brief import END
from eduverse_mesa.policies.tutors.endpoint import EndpointTutor, connect_tutor
from eduverse_mesa.policies.tutors.function import FunctionTutor, Tutor, find_tutor, with_tutor

__all__ = [
    "END",
    "LONGEST",
    "EndpointTutor",
    "FunctionTutor",
    "Tutor",
    "connect_tutor",
    "find_tutor",
    "with_tutor",
]
