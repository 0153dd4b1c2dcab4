"""Finding out before a lesson: whether the model answers, and what the lesson would take of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.llm.trying import PATIENCE, Tried, try_model
from eduverse_mesa.runs.estimating import Estimate, estimate_run, settled
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.errands import Outcome, run_errand
from eduverse_mesa.visualization.app.lessons.lesson import classroom_lesson
from eduverse_mesa.visualization.app.notice import Notice
from eduverse_mesa.visualization.app.pages.settings.choices import Choices, choices_of


@dataclass(slots=True)
class Asked:
    """Something that is found out in a thread: for which choices, and what came of it."""

    about: object = None
    going: bool = False
    found: Any = None
    error: EduverseError | None = None


class Trial:
    """A test call and an estimate. Each says what it was made for; what has changed since makes it stale."""

    def __init__(self, desk: Desk, choices: Choices, patience: float = PATIENCE) -> None:
        self.changed = Notice()
        self.call = Asked()
        self.estimate = Asked()
        self._desk = desk
        self._choices = choices
        self._patience = patience

    @property
    def about(self) -> object:
        """What a test and an estimate are made for."""
        lesson = classroom_lesson(self._desk)
        return self._desk.policy, tuple(sorted(self._desk.llm.items(), key=str)), id(lesson.scenario)

    def try_it(self) -> None:
        """Make one small call."""
        name, patience = self._choices.model_asked, self._patience

        def work() -> Tried:
            return try_model(name, self._choices.model_settings, patience=patience)

        self.call = self._ask(self.call, work)

    def reckon(self) -> None:
        """Count what the lesson on the classroom page would take."""

        def work() -> Estimate:
            lesson = classroom_lesson(self._desk)
            policy = self._desk.policy
            scenario = settled(self._choices.over(lesson.scenario), policy)
            llm = scenario.settings.llm
            return estimate_run(scenario, lesson.player.run.spec.seed, policy, llm.fidelity)

        self.estimate = self._ask(self.estimate, work)

    def _ask(self, before: Asked, work: Callable[[], Any]) -> Asked:
        if before.going:
            return before
        asked = Asked(self.about, going=True)

        def done(outcome: Outcome[Any]) -> None:
            asked.found, asked.error = outcome
            asked.going = False
            self.changed.tell()

        run_errand("trial", work, done)
        return asked

    @property
    def busy(self) -> bool:
        """Something is being found out."""
        return self.call.going or self.estimate.going


def trial_of(desk: Desk) -> Trial:
    """What was found out on this desk."""
    choices = choices_of(desk)
    return desk.drawer(Trial, lambda: Trial(desk, choices))
