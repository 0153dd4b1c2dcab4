"""From a sweep file to its trials: the points of the sweep, all of them checked before the first is played."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.experiments.measurers import ROW_COLUMNS, measurer
from eduverse_mesa.experiments.subjects import Exchange, Subject, Whole, named, own_file
from eduverse_mesa.experiments.sweeps.document import MOST_POINTS, LatinHypercube, Spread, SweepFile, load_sweep_file
from eduverse_mesa.experiments.sweeps.folder import Facts, column_types
from eduverse_mesa.experiments.trials import Level, Trial, check_runs
from eduverse_mesa.policies.registry import MAKERS, make_policy, policy_parts, settle
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, ScenarioProblemsError, refuse

_DIGITS = 12
"""Of a level between bounds: enough for any purpose, and 0.3 stays 0.3."""


class Chosen(NamedTuple):
    """A level of a factor at a point."""

    value: Any
    trail: Trail
    """The place in the sweep file where it was written."""

    @property
    def level(self) -> Level:
        """The level for a table: a value that is not a number or a word is written out."""
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
    """Yield the problems of factors that a grid cannot have, and of levels that a part of a scenario cannot be."""
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
"""The factor of policies, known to every subject: in all of them, somebody answers."""


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
    """Return True if all levels of a range in steps come out as whole numbers: then that is what they are."""
    if factor.steps is None or factor.from_ is None or factor.to is None or factor.scale == "log":
        return False
    step = (factor.to - factor.from_) / (factor.steps - 1)
    return factor.from_ == round(factor.from_) and step == round(step)


_TAKEN = ("trial", "seed", *ROW_COLUMNS)
_MOST_TOLD = 50
_UNASKED = dict.fromkeys(MAKERS, MAKERS["embedded"])
"""To see whether a policy can be made, with nobody connected to."""


class Planned(NamedTuple):
    """A point that can be played. The document is kept small: there may be as many as there are runs."""

    fingerprint: str
    packed: bytes
    policy: str
    factors: dict[str, Level]


def plan_point(subject: Subject[Whole], whole: Whole, policy: str, factors: dict[str, Level]) -> Planned:
    """A point, of a document that was checked."""
    return Planned(subject.fingerprint(whole), zlib.compress(subject.text(whole).encode(), 1), policy, factors)


@dataclass(frozen=True)
class SweepPlan:
    """All trials of a sweep."""

    facts: Facts
    points: tuple[Planned, ...]
    seeds: tuple[int, ...]

    def trials(self) -> Iterator[tuple[str, Trial]]:
        """Each trial with its document's fingerprint; all points with the first seed come first."""
        for seed in self.seeds:
            for point in self.points:
                text = zlib.decompress(point.packed).decode()
                yield (
                    point.fingerprint,
                    Trial(
                        scenario=text,
                        seed=seed,
                        policy=point.policy,
                        measure=self.facts.measure,
                        factors=point.factors,
                    ),
                )

    @property
    def policies(self) -> tuple[str, ...]:
        """Policies of the points, each once."""
        return tuple(dict.fromkeys(point.policy for point in self.points))


def plan_sweep(path: str | Path, settings: Mapping[str, object] | None = None) -> SweepPlan:
    """Read a sweep file, and load the document of every point of it: what cannot be played is told with its line.

    `settings` are dotted keys that hold for the whole sweep, as with --set.
    """
    given = load_sweep_file(path)
    _check_measurers(given)
    points = draw_points(given)
    if not points:
        points = [{}]
    check_runs(len(points) * len(given.sweep.all_seeds), given.label)
    load = _Loader(given, settings or {})
    load.base()
    planned: list[Planned] = []
    wrong: list[tuple[Point, EduverseError]] = []
    slots: list[int] = []
    for point in points:
        try:
            whole, policy = load.point(point)
        except EduverseError as error:
            wrong.append((point, error))
            continue
        if "llm" in policy_parts(policy).values():
            slots.append(given.subject.settings(whole).llm.concurrency)
        factors = {column_of(name): chosen.level for name, chosen in point.items()}
        planned.append(plan_point(given.subject, whole, policy, factors))
    if wrong:
        refuse(_told(given, load, points, wrong), given.label)
    return SweepPlan(_facts(given, planned, min(slots, default=None)), tuple(planned), tuple(given.sweep.all_seeds))


def column_of(factor: str) -> str:
    """A factor's column: its name, unless a column of every table has it."""
    return f"factor.{factor}" if factor in _TAKEN else factor


def state_facts(plan: SweepPlan) -> str:
    """Return the size of a sweep in a few words."""
    points, seeds = len(plan.points), len(plan.seeds)
    runs = f"{points * seeds:,} run{'' if points * seeds == 1 else 's'}"
    return f"{points:,} point{'' if points == 1 else 's'} x {seeds:,} seed{'' if seeds == 1 else 's'} = {runs}"


class _Loader:
    """Loads the document of a point; the base is read once."""

    def __init__(self, given: SweepFile, settings: Mapping[str, object]) -> None:
        self._given = given
        self._settings = settings
        self._written = self._read_base()

    def _read_base(self) -> Written:
        given, kind = self._given, self._given.subject.kind
        if not isinstance(wanted := given.base, str):
            return Written(given.reading.part((kind,)), given.file)
        spot = given.reading.spot((kind,)) if kind in given.sweep.model_fields_set else None
        found = find(kind, wanted, given.file, where=str(spot or given.label))
        return Written(found.read(), own_file(found))

    def base(self) -> None:
        """Load the document with nothing varied: an error is raised if it is not valid."""
        self._given.subject.load(self._written, {}, dict(self._settings), self._given.file)

    def point(self, point: Point) -> tuple[Any, str]:
        """The document of a point, with what the environment decides about its policy, and that policy."""
        subject = self._given.subject
        parts: dict[str, Any] = {}
        settings: dict[str, object] = dict(self._settings)
        policy = ""
        for name, chosen in point.items():
            if name == "policy":
                policy = chosen.value
            elif name in subject.exchanges:
                parts[name] = chosen.value
            else:
                # Text was read once, and is not to be taken for a number now.
                settings[name] = json.dumps(chosen.value) if isinstance(chosen.value, str) else chosen.value
        whole = subject.load(self._written, parts, settings, self._given.file)
        rules = subject.settings(whole)
        policy = policy or rules.policy
        make_policy(policy, rules, subject.people(whole), _UNASKED)
        settled = settle(policy, rules)
        if "llm" in policy_parts(policy).values():
            from eduverse_mesa.policies.llm.setup import find_key

            find_key(settled.llm.base_url or "")
        return subject.with_settings(whole, settled), policy


def _told(
    given: SweepFile, load: _Loader, points: list[Point], wrong: list[tuple[Point, EduverseError]]
) -> Iterator[Problem]:
    """Yield the errors, at the level that is to blame if it is wrong wherever it appears, else with all levels of the
    point."""
    reading = given.reading
    failing: dict[tuple[str, str], int] = {}
    whole: dict[tuple[str, str], int] = {}
    for counts, those in ((failing, [point for point, _ in wrong]), (whole, points)):
        for point in those:
            for name, chosen in point.items():
                counts[name, str(chosen)] = counts.get((name, str(chosen)), 0) + 1
    alone: dict[tuple[str, str], EduverseError | None] = {}
    for point, error in wrong[:_MOST_TOLD]:
        blamed = False
        for name, chosen in point.items():
            mark = (name, str(chosen))
            if failing[mark] < whole[mark]:
                continue
            if mark not in alone:
                alone[mark] = _error_of(load, {name: chosen})
            if (found := alone[mark]) is not None:
                blamed = True
                yield _problem(reading, chosen.trail, found)
        if not blamed:
            together = ", ".join(f"{name} {chosen.level}" for name, chosen in point.items())
            yield _problem(reading, ("factors",), error, f"{together}: ")


def _error_of(load: _Loader, point: Point) -> EduverseError | None:
    try:
        load.point(point)
    except EduverseError as error:
        return error
    return None


def _problem(reading: Reading, trail: tuple[str | int, ...], error: EduverseError, before: str = "") -> Problem:
    message, mend = error.message, error.mend
    if isinstance(error, ScenarioProblemsError):
        first = error.problems[0].error()
        message, mend = first.message, first.mend
    return Problem(reading.spot(trail), trail, f"{before}{message.rstrip('.')}", mend)


def _check_measurers(given: SweepFile) -> None:
    problems = []
    for place, name in enumerate(given.measure):
        trail = ("measure", place)
        if name in given.measure[:place]:
            problems.append(Problem(given.reading.spot(trail), trail, "a measurer is given twice", "Remove one."))
        try:
            measurer(name, given.subject.measurers)
        except EduverseError as error:
            problems.append(_problem(given.reading, trail, error))
    refuse(problems, given.label)


def _facts(given: SweepFile, planned: list[Planned], slots: int | None) -> Facts:
    sweep = given.sweep
    levels = {name: [point.factors[name] for point in planned] for name in planned[0].factors}
    return Facts(
        name=sweep.name,
        title=sweep.title,
        measure=given.measure,
        keep=sweep.keep,
        columns=column_types(levels),
        slots=slots,
    )
