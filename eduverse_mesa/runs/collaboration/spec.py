"""What a group's run is, besides its answers and what people said; and as the document that a study keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.gathering import kept_collaboration


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """One problem, who works on it, and where the draws come from."""

    setup: Collaboration
    seed: int
    session: int = 1
    """The how-manieth of its student: with `fading` peers help less from one to the next."""


class _Document(msgspec.Struct):
    """How it is written down. The name stands on top, as in any scenario."""

    name: str
    title: str
    collaboration: dict[str, Any]
    session: int = 1


def document_of(spec: GroupSpec) -> str:
    """The whole of it as JSON, but for the seed."""
    setup = spec.setup
    problem = setup.problems[0]
    document = _Document(problem.name, problem.title, setup.model_dump(mode="json", by_alias=True), spec.session)
    return msgspec.json.encode(document).decode()


def seats_of(document: str) -> tuple[str, ...]:
    """What the people in it are called there: a student whose name a peer has, has a number beside it."""
    return tuple(msgspec.json.decode(document, type=_Document).collaboration.get("seats", ()))


def spec_of(document: str, seed: int) -> GroupSpec:
    """What was written down; what is no such document raises as msgspec does, or a ScenarioError."""
    read = msgspec.json.decode(document, type=_Document)
    return GroupSpec(kept_collaboration(read.collaboration), seed, read.session)
