"""The subjects by the kind of their documents."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from eduverse_mesa.experiments.subjects.courses import Courses
from eduverse_mesa.experiments.subjects.groups import Groups
from eduverse_mesa.experiments.subjects.learners import Learners
from eduverse_mesa.experiments.subjects.subject import Subject
from eduverse_mesa.scenarios.library import Kind

SUBJECTS: Mapping[Kind, Subject[Any]] = MappingProxyType({one.kind: one for one in (Courses(), Groups(), Learners())})


class _Said(msgspec.Struct):
    kind: str = Courses.kind


_READ = msgspec.json.Decoder(_Said)


def subject_of(text: str) -> Subject[Any]:
    """Whose text it is: it says so itself."""
    kind = _READ.decode(text).kind
    return next(subject for name, subject in SUBJECTS.items() if name == kind)
