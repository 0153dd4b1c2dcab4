"""An act that an outline describes."""

from __future__ import annotations

from typing import NamedTuple

from eduverse_mesa.vocabulary import Doing


class Act(NamedTuple):
    """Act in a lesson: a task for the class, in words that can be said to it, or an act of the teacher."""

    doing: Doing
    said: str = ""
    """The task in words to the class; empty where the teacher only does something."""
    told: str = ""
    """The statement that the teacher explains, where the outline has it."""
    about: str = ""
    """Nothing, or `no_statement` where something is to be explained and the outline does not say what."""
