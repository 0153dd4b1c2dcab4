"""What a run that is being played has taken so far, and how its answers came about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from eduverse_mesa.decisions import Status
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.answering import Purse
from eduverse_mesa.runs.play import answers_of


@dataclass(frozen=True, slots=True)
class Spending:
    """Counted over the whole run, what came to nothing included."""

    tokens: int = 0
    usd: float | None = 0.0
    """None where the price of what was used is not known."""
    calls: int = 0
    outcomes: dict[Status, int] = field(default_factory=dict)
    """Answers by status."""
    sources: dict[str, int] = field(default_factory=dict)
    """Answers by who gave them."""


class Meter:
    """Counts answers step by step; what language models took stands in the run's purse."""

    def __init__(self, purse: Purse | None) -> None:
        self._purse = purse
        self._outcomes: Counter[Status] = Counter()
        self._sources: Counter[str] = Counter()
        self._priceless = False

    def read(self, model: ClassroomModel) -> None:
        """Count the answers of the step that is complete."""
        for entry in answers_of(model, model.state.step):
            answer = entry.answer
            self._outcomes[answer.status] += 1
            self._sources[answer.source] += 1
            if answer.usage is not None and answer.usage.calls and answer.usage.cost is None:
                self._priceless = True

    @property
    def reading(self) -> Spending:
        """What has come together."""
        tokens, usd, calls = (0, 0.0, 0) if self._purse is None else self._purse.counted
        return Spending(
            tokens, None if self._priceless and not usd else usd, calls, dict(self._outcomes), dict(self._sources)
        )
