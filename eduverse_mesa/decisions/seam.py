"""The seam: what may be asked (a decision), what comes back (an outcome), and how it came back (an answer).

The simulation hands out rounds of decisions and goes on when their answers are there. Who answers, and how long it
takes, is somebody else's business (docs/design/seam.md).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from eduverse_mesa.randomness import Address

Status: TypeAlias = Literal["ok", "repaired", "fallback", "failed"]
STATUSES: tuple[Status, ...] = ("ok", "repaired", "fallback", "failed")


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The decision of an agent. Subclasses are the typed contents of the answer log."""


class Decision(msgspec.Struct, gc=False):
    """A question to one agent, carrying exactly what that agent may know."""

    kind: ClassVar[str]
    outcome: ClassVar[type[Outcome]]

    at: Address

    @property
    def agent(self) -> str:
        """Name of the agent who is asked."""
        return self.at.agent


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens, cost and time that an answer took, and the models that gave it. None where it is not known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    """Of `tokens_in`, those that the server did not have to read again."""
    cost: float | None = None
    latency_ms: float = 0.0
    """From the first attempt to the answer; a cached answer took none."""
    calls: int = 0
    """Requests that reached a server, retries counted."""
    model: str = ""
    """The model that answered, as its server names it; several, where several were asked, with commas in between."""

    @classmethod
    def sum(cls, many: Sequence[Usage]) -> Usage:
        """The usage of calls made one after the other."""

        def total(values: Sequence[Any]) -> Any:
            known = [value for value in values if value is not None]
            return sum(known) if known else None

        return cls(
            total([usage.tokens_in for usage in many]),
            total([usage.tokens_out for usage in many]),
            total([usage.tokens_cached for usage in many]),
            total([usage.cost for usage in many]),
            sum(usage.latency_ms for usage in many),
            sum(usage.calls for usage in many),
            ", ".join(dict.fromkeys(name for usage in many for name in usage.models)),
        )

    @property
    def models(self) -> list[str]:
        """The models that answered, each once."""
        return self.model.split(", ") if self.model else []


class Answer(NamedTuple):
    """An outcome and its provenance. `outcome` is None exactly when the status is `failed`."""

    outcome: Any
    source: str
    status: Status = "ok"
    reason: str = ""
    attempts: int = 1
    usage: Usage | None = None
    """Usage of the answer, where that is known. It is no part of the canonical log: a replay takes nothing."""

    @classmethod
    def failed(cls, source: str, reason: str, attempts: int = 1) -> Answer:
        """An answer that did not come; the agent goes without."""
        return cls(None, source, "failed", reason, attempts)


class Round(NamedTuple):
    """Decisions that do not depend on one another: everybody thinks at once."""

    name: str
    decisions: Sequence[Decision]

    @classmethod
    def of(cls, decision: Decision) -> Round:
        """Return the round of a single decision, which has the name of its kind."""
        return cls(decision.kind, (decision,))


Rounds: TypeAlias = Generator[Round, Sequence[Answer], None]
"""A step of a model: yields rounds, receives their answers in the order of the decisions."""
