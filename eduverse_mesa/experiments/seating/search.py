"""The search: many plans on few seeds, the better half on more, then small changes to the best.

Differences between plans are small beside the luck of a lesson, so all plans are tried with the same luck, and what is
compared are differences seed by seed. Plans that do not look promising cost little (successive halving: Jamieson and
Talwalkar 2016). The one that comes out best has also been the luckiest; what it is worth is judged afterwards, on seeds
that the search has not seen (advice.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, stdev

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.experiments.seating.plans import Hall, Rules, SeatingPlan, with_plan
from eduverse_mesa.experiments.subjects import scenario_text
from eduverse_mesa.experiments.trials import Trial, play_trials
from eduverse_mesa.measures import class_shares, gini, participation
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.scenarios import Scenario

GOALS = ("engagement", "equity", "calm")
OF_PLAN = f"{__name__}:of_plan"
"""The name by which a trial asks for these measures."""
_MEND = f"Take {', '.join(GOALS)}, or weigh them: engagement=0.6,equity=0.4"


@dataclass(frozen=True)
class Objective:
    """How much each goal counts; the weights add up to 1."""

    weights: Mapping[str, float]

    def value(self, found: Mapping[str, float]) -> float:
        """The weighted mean of measured goals."""
        return math.fsum(weight * found[goal] for goal, weight in self.weights.items())

    def __str__(self) -> str:
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return ", ".join(f"{goal} {weight:.0%}" for goal, weight in self.weights.items())


def read_objective(text: str) -> Objective:
    """`calm`, `calm,equity` or `engagement=0.6,equity=0.4`."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        goal, sign, given = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(given) if sign else 1.0
        except ValueError:
            weight = math.nan
        if goal not in GOALS or goal in weights or not 0 < weight < math.inf:
            raise EduverseError(f"'{part.strip()[:40]}' is no goal.", where="objective", mend=_MEND)
        weights[goal] = weight
    total = math.fsum(weights.values())
    return Objective({goal: weight / total for goal, weight in weights.items()})


def of_plan(run: Run) -> Iterator[Row]:
    """Each goal, as the mean over the lessons of a run."""
    found = [measure_goals(tables([played.model])) for played in run.lessons]
    for goal in GOALS:
        yield Row(0, 0, "", goal, fmean(lesson[goal] for lesson in found))


def measure_goals(made: Tables) -> dict[str, float]:
    """The goals of one lesson."""
    shares = class_shares(made.student_steps)
    unequal = gini(participation(made.student_steps, made.teacher_steps).values())
    return {
        "engagement": shares["b_active"] + shares["b_interactive"],
        "equity": 1 - unequal if unequal == unequal else 0.0,
        "calm": 1 - shares["b_offtask"],
    }


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
        self._found: dict[tuple[SeatingPlan, int], Goals] = {}
        self._texts: dict[SeatingPlan, str] = {}

    @property
    def played(self) -> int:
        """Number of runs that have been played."""
        return len(self._found)

    def play(self, plans: Iterable[SeatingPlan], seeds: Sequence[int]) -> None:
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

    def new(self, plan: SeatingPlan, seeds: Sequence[int]) -> int:
        """Return the number of these seeds that would have to be played."""
        return sum((plan, seed) not in self._found for seed in seeds)

    def goals(self, plan: SeatingPlan, seed: int) -> Goals:
        """Return the goals that were measured for a plan and a seed."""
        return self._found[plan, seed]

    def worth(self, plan: SeatingPlan, seed: int) -> float:
        """The objective in one run."""
        return self._objective.value(self._found[plan, seed])

    def mean(self, plan: SeatingPlan, seeds: Sequence[int]) -> float:
        """The objective's mean over seeds."""
        return fmean(self.worth(plan, seed) for seed in seeds)

    def gains(self, plan: SeatingPlan, over: SeatingPlan, seeds: Sequence[int]) -> list[float]:
        """Seed by seed, how much more a plan is worth than another."""
        return [self.worth(plan, seed) - self.worth(over, seed) for seed in seeds]

    def _trial(self, plan: SeatingPlan, seed: int) -> Trial:
        if plan not in self._texts:
            self._texts[plan] = scenario_text(with_plan(self._scenario, plan, self._halls))
        return Trial(scenario=self._texts[plan], seed=seed, policy=self._policy, measure=(OF_PLAN,))


_FIRST_SEEDS = 2
_RUNGS = 3
"""Seeds of the rungs: 2, 4, 8; each keeps half of its plans."""
_EXPLORED = 0.5
"""Share of the budget for plans at random; the rest is for changes to the best of them."""
_LEAST, _MOST_OF_FEW = 2, 4
"""Plans at the beginning, however small the budget is: as many of these as it affords."""
_NEIGHBOURS = 6
_SURE = 1.0
"""A change is kept where its gain is this many standard errors above 0: not proof, but more than a coin."""


LEAST_BUDGET = 4
"""Runs: two plans on two seeds, or nothing is compared."""


class Search:
    """Looks for a good plan within a budget of runs."""

    def __init__(
        self, tried: Tried, halls: Mapping[str, Hall], rules: Rules, seeds: Sequence[int], budget: int, luck: Random
    ) -> None:
        self._tried = tried
        self._halls = halls
        self._rules = rules
        self._seeds = seeds
        self._budget = budget
        self._luck = luck

    def find(self) -> SeatingPlan:
        """The best plan found."""
        return self._climb(self._halve(self._beginnings()))

    def _beginnings(self) -> list[SeatingPlan]:
        """The present plan, where it keeps the constraints, and plans at random, layout by layout."""
        cost = _FIRST_SEEDS * (_RUNGS + 1) / 2  # runs a plan costs in all, since half are left at each rung
        affordable = [few for few in range(_LEAST, _MOST_OF_FEW + 1) if _cost_of(few) <= self._budget]
        count = max(int(self._budget * _EXPLORED / cost), *affordable, _LEAST)
        present = self._rules.present
        found = dict.fromkeys(
            [present]
            if present.layout in self._halls and not self._rules.broken(present, self._halls[present.layout])
            else []
        )
        halls = list(self._halls.values())
        for number in range(count * 2):  # in a small room the same plan may be drawn again
            if len(found) >= count:
                break
            found[self._rules.draw(halls[number % len(halls)], self._luck)] = None
        return list(found)

    def _halve(self, plans: list[SeatingPlan]) -> SeatingPlan:
        for rung in range(_RUNGS):
            if len(plans) == 1:  # there is nothing to choose from
                break
            seeds = self._seeds[: _FIRST_SEEDS * 2**rung]
            self._tried.play(plans, seeds)
            plans = sorted(plans, key=lambda plan: -self._tried.mean(plan, seeds))[: max(1, len(plans) // 2)]
        return plans[0]

    def _climb(self, best: SeatingPlan) -> SeatingPlan:
        """Small changes to the best plan, as long as there is budget."""
        known = set[SeatingPlan]()
        few = self._seeds[: _FIRST_SEEDS * 2 ** (_RUNGS - 1)]
        many = self._seeds[: 2 * len(few)]
        while self._tried.played + len(few) <= self._budget:
            hall = self._halls[best.layout]
            drawn = [self._rules.neighbour(best, hall, self._luck) for _ in range(2 * _NEIGHBOURS)]
            fresh = [plan for plan in dict.fromkeys(drawn) if plan is not None and plan not in known][:_NEIGHBOURS]
            if not fresh:
                break
            known.update(fresh)
            half = few[: len(few) // 2]
            while fresh and not self._affords([best, *fresh], half):
                fresh.pop()
            best = self._race(fresh, best, few, many) or best
        return best

    def _affords(self, plans: Sequence[SeatingPlan], seeds: Sequence[int]) -> bool:
        return self._tried.played + sum(self._tried.new(plan, seeds) for plan in plans) <= self._budget

    def _race(
        self, plans: list[SeatingPlan], best: SeatingPlan, few: Sequence[int], many: Sequence[int]
    ) -> SeatingPlan | None:
        """The first of some changes that holds on more seeds what it promised on half of the few."""
        if not plans:
            return None
        half = few[: len(few) // 2]
        self._tried.play([best, *plans], half)
        promising = sorted(plans, key=lambda plan: -fmean(self._tried.gains(plan, best, half)))
        for plan in promising[:2]:
            if fmean(self._tried.gains(plan, best, half)) <= 0:
                break
            for seeds in (few, many):
                if not self._affords([best, plan], seeds):
                    return None
                self._tried.play([best, plan], seeds)
                if not _is_sure(self._tried.gains(plan, best, seeds)):
                    break
            else:
                return plan
        return None


def _cost_of(plans: int) -> int:
    """The runs that halving so many plans takes."""
    runs, seeds = 0, 0
    for rung in range(_RUNGS):
        if plans == 1:
            break
        runs += plans * (_FIRST_SEEDS * 2**rung - seeds)
        seeds, plans = _FIRST_SEEDS * 2**rung, max(1, plans // 2)
    return runs


def _is_sure(gains: Sequence[float]) -> bool:
    return fmean(gains) > _SURE * stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else fmean(gains) > 0
