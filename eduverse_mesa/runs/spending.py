"""What a run that is being played has taken so far, and how its answers came about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from eduverse_mesa.decisions import Bill, Status
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.play import Run, answers_of


@dataclass(frozen=True, slots=True)
class Spending:
    """Counted over the whole run, what came to nothing included."""

    bill: Bill = field(default_factory=Bill)
    """What language models took."""
    outcomes: dict[Status, int] = field(default_factory=dict)
    """Answers by status."""
    sources: dict[str, int] = field(default_factory=dict)
    """Answers by who gave them."""


class Count:
    """Counts answers step by step; what language models took stands in the run's ledger."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._outcomes: Counter[Status] = Counter()
        self._sources: Counter[str] = Counter()

    def read(self, model: ClassroomModel) -> None:
        """Count the answers of the step that is complete."""
        for entry in answers_of(model, model.state.step):
            answer = entry.answer
            self._outcomes[answer.status] += 1
            self._sources[answer.source] += 1

    @property
    def reading(self) -> Spending:
        """What has come together."""
        return Spending(self._run.bill or Bill(), dict(self._outcomes), dict(self._sources))
