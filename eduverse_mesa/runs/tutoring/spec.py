"""What a run of learners and their tutors is, besides its answers; and as the document that a study keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec

from eduverse_mesa.models.tutoring import Saved, Session
from eduverse_mesa.runs.play import Until
from eduverse_mesa.scenarios.teaching import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring


@dataclass(frozen=True, slots=True)
class TutoringSpec:
    """A cohort, what is on its agenda, and with what its learners come to it."""

    setup: Tutoring
    seed: int
    policy: str
    agenda: tuple[Session, ...]
    began: Mapping[str, Saved] = field(default_factory=dict)
    """Learners who were taught before. They are copies: what they come from may be deleted."""
    parent: str | None = None
    """The run that they come from, in the same study."""
    forked_at: Until | None = None
    """The last (session, turn) of it that they have behind them."""

    @property
    def before(self) -> int:
        """Sessions of the agenda that lie behind everybody. A study counts a run's own from 1."""
        started = (self.began[name].session if name in self.began else 1 for name in self.setup.people)
        return min(started, default=1) - 1

    @property
    def sessions(self) -> int:
        """How many are still to come when it begins."""
        return max(0, len(self.agenda) - self.before)

    @property
    def name(self) -> str:
        """A name that is the same for the same run, on every machine."""
        whole = (document_of(self), self.seed, self.policy, self.parent, self.forked_at)
        return f"{self.setup.name}-s{self.seed}-{blake2b(msgspec.json.encode(whole), digest_size=3).hexdigest()}"


class _Document(msgspec.Struct):
    """How it is written down. The name stands on top, as in any scenario."""

    name: str
    title: str
    tutoring: dict[str, Any]
    agenda: tuple[Session, ...]
    began: dict[str, Saved] = msgspec.field(default_factory=dict)


def document_of(spec: TutoringSpec) -> str:
    """The whole of it as JSON, but for seed and policy."""
    setup = spec.setup
    plain = setup.model_dump(mode="json", by_alias=True)
    document = _Document(setup.name, setup.title, plain, spec.agenda, dict(spec.began))
    return msgspec.json.encode(document).decode()


def spec_of(document: str, seed: int, policy: str, parent: str | None, forked_at: Until | None) -> TutoringSpec:
    """What was written down; what is no such document raises as pydantic or msgspec do, or a ScenarioError."""
    read = msgspec.json.decode(document, type=_Document)
    return TutoringSpec(load_tutoring(read.tutoring), seed, policy, read.agenda, read.began, parent, forked_at)
