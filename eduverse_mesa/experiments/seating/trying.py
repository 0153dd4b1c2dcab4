"""What plans are worth: lessons played with them, with the same luck for all plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.playing import play_trials
from eduverse_mesa.experiments.seating.objective import OF_PLAN, Objective
from eduverse_mesa.experiments.seating.plans import Hall, Plan, with_plan
from eduverse_mesa.experiments.subjects.courses import scenario_text
from eduverse_mesa.experiments.trials import Trial
from eduverse_mesa.scenarios import Scenario

Goals = dict[str, float]
Watch = Callable[[int], object]
"""Hears how many lessons are played; may raise to end the search."""


class Tried:
    """Plans that were tried, and what came of each seed. Nothing is played twice."""

    def __init__(
        self,
        scenario: Scenario,
        halls: Mapping[str, Hall],
        objective: Objective,
        *,
        policy: str = "",
        engine: Engine | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._scenario = scenario
        self._halls = halls
        self._objective = objective
        self._policy = policy
        self._engine = engine
        self._watch = watch
        self._found: dict[tuple[Plan, int], Goals] = {}
        self._texts: dict[Plan, str] = {}

    @property
    def played(self) -> int:
        """How many runs have been played."""
        return len(self._found)

    def play(self, plans: Iterable[Plan], seeds: Sequence[int]) -> None:
        """Play what has not been played yet."""
        wanted = {self._trial(plan, seed).key: (plan, seed) for plan in dict.fromkeys(plans) for seed in seeds}
        missing = {key: place for key, place in wanted.items() if place not in self._found}
        trials = (self._trial(plan, seed) for plan, seed in missing.values())
        for played in play_trials(trials, self._engine):
            if played.error:
                raise LessonError(f"a lesson of seed {played.trial.seed} failed: {played.error}")
            goals = {row.measure: row.value for row in played.rows}
            self._found[missing[played.trial.key]] = goals
            if self._watch is not None:
                self._watch(self.played)

    def new(self, plan: Plan, seeds: Sequence[int]) -> int:
        """How many of these seeds would have to be played."""
        return sum((plan, seed) not in self._found for seed in seeds)

    def goals(self, plan: Plan, seed: int) -> Goals:
        """What was measured."""
        return self._found[plan, seed]

    def worth(self, plan: Plan, seed: int) -> float:
        """The objective in one run."""
        return self._objective.value(self._found[plan, seed])

    def mean(self, plan: Plan, seeds: Sequence[int]) -> float:
        """The objective's mean over seeds."""
        return fmean(self.worth(plan, seed) for seed in seeds)

    def gains(self, plan: Plan, over: Plan, seeds: Sequence[int]) -> list[float]:
        """Seed by seed, how much more a plan is worth than another."""
        return [self.worth(plan, seed) - self.worth(over, seed) for seed in seeds]

    def _trial(self, plan: Plan, seed: int) -> Trial:
        if plan not in self._texts:
            self._texts[plan] = scenario_text(with_plan(self._scenario, plan, self._halls))
        return Trial(scenario=self._texts[plan], seed=seed, policy=self._policy, measure=(OF_PLAN,))
