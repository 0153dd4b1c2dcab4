"""The points of a sweep: which levels of its factors go together."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.subjects import Exchange
from eduverse_mesa.experiments.subjects.subject import named
from eduverse_mesa.experiments.sweeps.document import MOST_POINTS, LatinHypercube, Spread, SweepFile
from eduverse_mesa.experiments.trials import Level
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.scenarios.problems import Problem, refuse

_DIGITS = 12
"""Of a level between bounds: enough for any purpose, and 0.3 stays 0.3."""


class Chosen(NamedTuple):
    """A level of a factor at a point."""

    value: Any
    trail: Trail
    """Where it was written."""

    @property
    def level(self) -> Level:
        """As it stands in a table: what is not a number or a word is written out."""
        if isinstance(self.value, str | int | float):
            return self.value
        if isinstance(self.value, list) and self.value and all(isinstance(part, str) for part in self.value):
            return " + ".join(self.value)
        return json.dumps(self.value, ensure_ascii=False)


Point = dict[str, Chosen]


def draw_points(given: SweepFile) -> list[Point]:
    """All points of the design, in its order."""
    refuse(_unfit(given), given.label)
    factors = given.sweep.factors
    if isinstance(given.sweep.design, LatinHypercube):
        return list(_hypercube(given, given.sweep.design))
    levels = {name: _grid_levels(name, factor) for name, factor in factors.items()}
    size = math.prod(len(found) for found in levels.values())
    if size > MOST_POINTS:
        raise ScenarioError(
            f"the grid has {size:,} points; {MOST_POINTS:,} is the most.",
            where=str(given.reading.spot(("factors",))),
            mend="Leave levels out, or draw points: `design: {latin_hypercube: 1000}`.",
        )
    return [dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())]


def _unfit(given: SweepFile) -> Iterator[Problem]:
    """What a grid cannot have, and levels that a part of a scenario cannot be."""
    exchanges = {**given.subject.exchanges, "policy": _POLICY}
    for name, factor in given.sweep.factors.items():
        exchange = exchanges.get(name)
        trail: Trail = ("factors", name)
        spot = given.reading.spot(trail)
        if isinstance(factor, Spread):
            if given.sweep.design == "grid" and factor.steps is None:
                mend = "Add `steps: 5`, or draw points: `design: {latin_hypercube: 100}`."
                yield Problem(spot, trail, "a grid needs levels to be counted", mend)
            if exchange is not None and not (exchange.counts and (factor.whole or _is_whole(factor))):
                mend = "Write a list, or for whole numbers `whole: true`."
                yield Problem(spot, trail, f"{name} cannot be any number", mend)
            continue
        for place, level in enumerate(factor):
            if exchange is not None and not exchange.fits(level):
                at = (*trail, place)
                message, mend = f"this is no {name}", f"Write {exchange.wanted}."
                yield Problem(given.reading.spot(at), at, message, mend)


_POLICY = Exchange(named, "a policy as `eduverse run --policy` takes it")
"""Whatever is played, somebody answers."""


def _grid_levels(name: str, factor: list[Any] | Spread) -> list[Chosen]:
    trail: Trail = ("factors", name)
    if not isinstance(factor, Spread):
        return [Chosen(value, (*trail, place)) for place, value in enumerate(factor)]
    assert factor.steps is not None
    found = [_between(factor, step / (factor.steps - 1)) for step in range(factor.steps)]
    return [Chosen(value, trail) for value in dict.fromkeys(found)]


def _hypercube(given: SweepFile, design: LatinHypercube) -> Iterator[Point]:
    from numpy.random import default_rng
    from scipy.stats import qmc

    factors = given.sweep.factors
    if not factors:
        return
    drawn = qmc.LatinHypercube(len(factors), seed=default_rng(design.seed)).random(design.latin_hypercube)
    choosers = [_chooser(name, factor) for name, factor in factors.items()]
    for row in drawn:
        chosen = (choose(float(share)) for choose, share in zip(choosers, row, strict=True))
        yield dict(zip(factors, chosen, strict=True))


def _chooser(name: str, factor: list[Any] | Spread) -> Callable[[float], Chosen]:
    """From a share of the way through a factor, below 1, to its level there."""
    if isinstance(factor, Spread) and factor.steps is None:
        return lambda share: Chosen(_drawn(factor, share), ("factors", name))
    levels = _grid_levels(name, factor)
    return lambda share: levels[int(share * len(levels))]


def _between(factor: Spread, share: float) -> Level:
    """The level at a share of the way from the least to the greatest."""
    least, most = factor.from_, factor.to
    assert least is not None
    assert most is not None
    value = least * (most / least) ** share if factor.scale == "log" else least + (most - least) * share
    return _rounded(factor, min(max(value, least), most))


def _drawn(factor: Spread, share: float) -> Level:
    if factor.mean is None or factor.sd is None:
        if not factor.whole or factor.from_ is None or factor.to is None or factor.scale == "log":
            return _between(factor, share)
        first, last = math.ceil(factor.from_), math.floor(factor.to)  # each whole number is as likely as any other
        return min(first + int(share * (last - first + 1)), last)
    from scipy.stats import truncnorm

    least, most = (
        -math.inf if factor.from_ is None else factor.from_,
        math.inf if factor.to is None else factor.to,
    )
    a, b = (least - factor.mean) / factor.sd, (most - factor.mean) / factor.sd
    value = float(truncnorm.ppf(share, a, b, loc=factor.mean, scale=factor.sd))
    return _rounded(factor, value)


def _rounded(factor: Spread, value: float) -> Level:
    if factor.whole or (factor.steps is not None and _is_whole(factor) and value == round(value)):
        return round(value)
    return float(f"{value:.{_DIGITS}g}")


def _is_whole(factor: Spread) -> bool:
    """Whether all levels of a range in steps come out as whole numbers: then that is what they are."""
    if factor.steps is None or factor.from_ is None or factor.to is None or factor.scale == "log":
        return False
    step = (factor.to - factor.from_) / (factor.steps - 1)
    return factor.from_ == round(factor.from_) and step == round(step)
