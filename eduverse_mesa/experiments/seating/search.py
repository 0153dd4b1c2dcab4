"""The search: many plans on few seeds, the better half on more, then small changes to the best.

Differences between plans are small beside the luck of a lesson, so all plans are tried with the same luck, and what is
compared are differences seed by seed. Plans that do not look promising cost little (successive halving: Jamieson and
Talwalkar 2016). The one that comes out best has also been the luckiest; what it is worth is judged afterwards, on seeds
that the search has not seen (advice.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev

from eduverse_mesa.experiments.seating.constraints import Rules
from eduverse_mesa.experiments.seating.plans import Hall, Plan
from eduverse_mesa.experiments.seating.trying import Tried

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

    def find(self) -> Plan:
        """The best plan found."""
        return self._climb(self._halve(self._beginnings()))

    def _beginnings(self) -> list[Plan]:
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

    def _halve(self, plans: list[Plan]) -> Plan:
        for rung in range(_RUNGS):
            if len(plans) == 1:  # there is nothing to choose from
                break
            seeds = self._seeds[: _FIRST_SEEDS * 2**rung]
            self._tried.play(plans, seeds)
            plans = sorted(plans, key=lambda plan: -self._tried.mean(plan, seeds))[: max(1, len(plans) // 2)]
        return plans[0]

    def _climb(self, best: Plan) -> Plan:
        """Small changes to the best plan, as long as there is budget."""
        known = set[Plan]()
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

    def _affords(self, plans: Sequence[Plan], seeds: Sequence[int]) -> bool:
        return self._tried.played + sum(self._tried.new(plan, seeds) for plan in plans) <= self._budget

    def _race(self, plans: list[Plan], best: Plan, few: Sequence[int], many: Sequence[int]) -> Plan | None:
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
