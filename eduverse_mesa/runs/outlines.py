"""As much of what a run was made from as a list says of it; the rest is not read."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class Named:
    """What a document calls itself."""

    name: str = ""
    title: str = ""


NOTHING = Named()


class Taught(msgspec.Struct):
    """Of learners and tutors."""

    curriculum: Named = NOTHING
    cohort: Named = NOTHING


class Gathered(msgspec.Struct):
    """Of a group that solves a problem. Who of flesh and blood is in it is not read: a list names no pupil."""

    problems: tuple[Named, ...] = ()
    peers: tuple[Named, ...] = ()


class Outline(msgspec.Struct):
    """Of lessons, of learners and tutors, or of a group."""

    name: str = ""
    title: str = ""
    layout: Named = NOTHING
    lessons: tuple[Named, ...] = ()
    tutoring: Taught = msgspec.field(default_factory=Taught)
    collaboration: Gathered = msgspec.field(default_factory=Gathered)
