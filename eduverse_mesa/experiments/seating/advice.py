"""Advice: the plan that was found, and whether it is better than the present one, judged on seeds of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.seating.plans import (
    Constraint,
    Hall,
    ImpossibleError,
    Rules,
    SeatingPlan,
    SeatName,
    present_plan,
    with_plan,
)
from eduverse_mesa.experiments.seating.search import GOALS, LEAST_BUDGET, Objective, Search, Tried, Watch
from eduverse_mesa.measures.intervals import Interval, paired_interval
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.loader import load_document

Verdict = Literal["better", "not better", "as asked"]
"""`as asked`: not shown to be better, but the present plan breaks a constraint and this one does not."""
_SEARCH = 1_000_000
"""The search plays with seeds from a multiple of this on, the judgement from the request's own, which is below."""
_MOST_SEEDS, _MOST_BUDGET = 1000, 100_000


@dataclass(frozen=True)
class Request:
    """A request for advice: the class, the objective and the constraints."""

    scenario: Scenario
    objective: Objective
    constraints: tuple[Constraint, ...] = ()
    layouts: tuple[str, ...] = ()
    """Layouts that may be taken instead of the present one, by name or file."""
    seeds: int = 20
    """Seeds on which the plan is judged against the present one."""
    budget: int = 300
    """Runs that the search may play before."""
    seed: int = 1
    policy: str = ""

    def __post_init__(self) -> None:
        if not 2 <= self.seeds <= _MOST_SEEDS:
            raise EduverseError(
                f"{self.seeds} seeds cannot judge a plan.", where="seeds", mend=f"Take 2 to {_MOST_SEEDS}."
            )
        if not LEAST_BUDGET <= self.budget <= _MOST_BUDGET:
            raise EduverseError(
                f"{self.budget:,} runs are too {'few to compare two plans' if self.budget < LEAST_BUDGET else 'many'}.",
                where="budget",
                mend=f"Take {LEAST_BUDGET} to {_MOST_BUDGET:,}, such as 300.",
            )
        if self.seed < 0:
            raise EduverseError(f"{self.seed} is no seed.", where="seed", mend="Take a number from 0 on.")

    @property
    def plays(self) -> int:
        """Number of runs that are played at most."""
        return self.budget + 2 * self.seeds


@dataclass(frozen=True)
class Move:
    """A student who changes seats."""

    student: str
    before: SeatName
    after: SeatName


@dataclass(frozen=True)
class Advice:
    """The plan that was found, beside the present one."""

    request: Request
    present: SeatingPlan
    plan: SeatingPlan
    planned: Scenario
    """The scenario with the plan."""
    gain: Interval
    """Of the objective, paired over fresh seeds."""
    gains: Mapping[str, Interval]
    """Of each goal."""
    levels: Mapping[str, tuple[float, float]]
    """Means of each goal: with the present plan, and with the one found."""
    verdict: Verdict
    broken: tuple[Constraint, ...]
    """Constraints that the present plan does not keep."""
    left_out: Mapping[str, str]
    """Layouts that were not tried, and why."""
    played: int

    @property
    def adopted(self) -> bool:
        """True if there is a plan to be used."""
        return self.verdict != "not better"

    @property
    def moves(self) -> tuple[Move, ...]:
        """Students who change seats, in the order of the class."""
        changed = self.plan.layout != self.present.layout
        students = self.request.scenario.roll.students
        places = zip(students, self.present.seats, self.plan.seats, strict=True)
        return tuple(
            Move(student.name, before, after) for student, before, after in places if changed or before != after
        )

    def document(self) -> dict[str, Any]:
        """Return the advice as plain JSON."""
        request = self.request
        document: dict[str, Any] = plain(
            {
                "scenario": request.scenario.name,
                "objective": dict(request.objective.weights),
                "constraints": [str(one) for one in request.constraints],
                "broken_now": [str(one) for one in self.broken],
                "verdict": self.verdict,
                "gain": self.gain._asdict(),
                "goals": {
                    goal: {"before": self.levels[goal][0], "after": self.levels[goal][1], **self.gains[goal]._asdict()}
                    for goal in GOALS
                },
                "layout": self.plan.layout,
                "moves": [vars(move) for move in self.moves],
                "left_out": dict(self.left_out),
                "seeds": request.seeds,
                "runs": self.played,
                "policy": request.policy or request.scenario.settings.policy,
            }
        )
        return document


def advise(request: Request, engine: Engine | None = None, watch: Watch | None = None) -> Advice:
    """Look for a better seating plan, and judge what was found."""
    scenario = request.scenario
    present = present_plan(scenario)
    rules = Rules(scenario.roll.students, request.constraints, present)
    halls, left_out = _halls(request, present, rules)
    home = _home(scenario, present)
    every = {**halls, present.layout: home}
    tried = Tried(scenario, every, request.objective, policy=request.policy, engine=engine, watch=watch)
    begin = (request.seed + 1) * _SEARCH
    search_seeds = range(begin, begin + request.budget)
    plan = Search(tried, halls, rules, search_seeds, request.budget, Random(request.seed)).find()
    fresh = range(request.seed, request.seed + request.seeds)
    tried.play([present, plan], fresh)
    gain = paired_interval([(0.0, difference) for difference in tried.gains(plan, present, fresh)])
    broken = tuple(rules.broken(present, home))
    return Advice(
        request=request,
        present=present,
        plan=plan,
        planned=with_plan(scenario, plan, every),
        gain=gain,
        gains={goal: _gain(tried, plan, present, fresh, goal) for goal in GOALS},
        levels={goal: (_level(tried, present, fresh, goal), _level(tried, plan, fresh, goal)) for goal in GOALS},
        verdict=_verdict(plan, present, gain, broken),
        broken=broken,
        left_out=left_out,
        played=tried.played,
    )


def _verdict(plan: SeatingPlan, present: SeatingPlan, gain: Interval, broken: Sequence[Constraint]) -> Verdict:
    if plan != present and gain.low > 0:
        return "better"
    return "as asked" if broken else "not better"


def _home(scenario: Scenario, present: SeatingPlan) -> Hall:
    return Hall(scenario.layout, [seat for seat in present.seats if not isinstance(seat, str)])


def _halls(request: Request, present: SeatingPlan, rules: Rules) -> tuple[dict[str, Hall], dict[str, str]]:
    """The rooms in which plans are looked for, and why others are not."""
    scenario = request.scenario
    halls: dict[str, Hall] = {}
    left_out: dict[str, str] = {}
    impossible: list[ImpossibleError] = []
    layouts: dict[str, Layout] = {scenario.layout.name: scenario.layout}
    for name in request.layouts:
        layout = load_document("layout", name)
        assert isinstance(layout, Layout)
        layouts.setdefault(layout.name, layout)
    for layout in layouts.values():
        hall = _home(scenario, present) if layout is scenario.layout else Hall(layout)
        if len(hall.seats) < len(present.seats):
            left_out[layout.name] = f"{len(hall.seats)} seats for {len(present.seats)} students"
            continue
        try:
            rules.draw(hall, Random(request.seed))
        except ImpossibleError as error:
            left_out[layout.name] = error.message
            impossible.append(error)
            continue
        halls[layout.name] = hall
    if not halls:
        if impossible:
            raise impossible[0]
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise ScenarioError("no layout has seats for everybody.", where=reasons, mend="Name a larger layout.")
    return halls, left_out


def _gain(tried: Tried, plan: SeatingPlan, present: SeatingPlan, seeds: Sequence[int], goal: str) -> Interval:
    return paired_interval([(tried.goals(present, seed)[goal], tried.goals(plan, seed)[goal]) for seed in seeds])


def _level(tried: Tried, plan: SeatingPlan, seeds: Sequence[int], goal: str) -> float:
    return sum(tried.goals(plan, seed)[goal] for seed in seeds) / len(seeds)
