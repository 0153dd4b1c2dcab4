"""A tutor from outside and a policy for everybody else, as one policy."""

from __future__ import annotations

from eduverse_mesa.policies.combine import by_kind
from eduverse_mesa.policies.policy import AnyPolicy


def with_tutor(tutor: AnyPolicy, rest: AnyPolicy) -> AnyPolicy:
    """The tutor teaches; learners, judges and the choice of units stay with `rest`. Where the tutor fails nobody
    speaks for it: the learner hears nothing."""
    return by_kind({"teach": tutor}, rest)
