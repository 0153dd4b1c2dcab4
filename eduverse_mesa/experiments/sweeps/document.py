"""A sweep file: which scenario, group or learners, what to vary, over which seeds, and what to measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, JsonValue, ValidationError, model_validator

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.subjects import SUBJECTS, Subject
from eduverse_mesa.scenarios.base import Document, Name, Part
from eduverse_mesa.scenarios.files import read_file
from eduverse_mesa.scenarios.plain import Reading, Trail
from eduverse_mesa.scenarios.problems import Problem, as_error, explain, found_at, refuse, suggest

_FURTHEST = 1e100
"""No value of a scenario is anywhere near; what is computed of it stays a number."""
_EXAMPLES = Path(__file__).parent / "examples"
MOST_STEPS, MOST_POINTS, MOST_SEEDS = 1000, 100_000, 100_000


class Spread(Part):
    """Levels by their bounds: in equal steps, or drawn between them by the design; or from a normal distribution."""

    from_: float | None = Field(None, alias="from", description="the least level")
    to: float | None = Field(None, description="the greatest level")
    steps: int | None = Field(None, ge=2, le=MOST_STEPS, description="how many levels; left out: any between the two")
    scale: Literal["linear", "log"] = Field("linear", description="log: equal ratios instead of equal distances")
    mean: float | None = Field(None, description="of a normal distribution, cut off at from and to if given")
    sd: float | None = Field(None, gt=0, description="its standard deviation")
    whole: bool = Field(False, description="whole numbers only")

    @model_validator(mode="after")
    def _hangs_together(self) -> Spread:
        if (self.mean is None) != (self.sd is None):
            raise ValueError("one of 'mean' and 'sd' is missing; give both, or from and to")
        if self.mean is None and (self.from_ is None or self.to is None):
            raise ValueError("the levels have no bounds; give from and to, or mean and sd, or write a list")
        if self.mean is not None and (self.steps is not None or self.scale == "log"):
            raise ValueError("a normal distribution has no steps and no scale; leave them out")
        if self.from_ is not None and self.to is not None and self.from_ >= self.to:
            raise ValueError(f"there is nothing from {self.from_:g} to {self.to:g}; let 'to' be greater than 'from'")
        self._can_be_divided()
        if self.scale == "log" and (self.from_ or 0) <= 0:
            raise ValueError("a log scale begins above 0; let 'from' be greater than 0")
        return self

    def _can_be_divided(self) -> None:
        bounds = [bound for bound in (self.from_, self.to) if bound is not None]
        if not all(abs(bound) <= _FURTHEST for bound in bounds):
            raise ValueError(f"a bound is further from 0 than {_FURTHEST:g}; bring it nearer")
        if self.whole and any(bound != round(bound) for bound in bounds):
            raise ValueError("the bounds of whole numbers are none themselves; give whole ones, or leave 'whole' out")


class LatinHypercube(Part):
    """Points that are spread evenly over all factors at once, instead of each level with each."""

    latin_hypercube: int = Field(ge=1, le=MOST_POINTS, description="how many points")
    seed: int = Field(1, ge=0, le=2**31, description="same seed, same points")


Levels = Annotated[list[JsonValue], Field(min_length=1)]
Seed = Annotated[int, Field(ge=0, le=2**53)]


class Sweep(Document):
    """Many runs: a scenario, a group or learners with some of its values varied, each over some seeds."""

    kind: Literal["sweep"] = "sweep"
    eduverse: Literal[1] = Field(1, description="version of the format")
    scenario: str | dict[str, JsonValue] = Field(
        "first_lesson", description="a built-in scenario's name, NAME.yaml beside this file, a path, or written out"
    )
    collaboration: str | dict[str, JsonValue] | None = Field(
        None, description="in place of a scenario: a group of virtual peers that solves a problem, named like one"
    )
    tutoring: str | dict[str, JsonValue] | None = Field(
        None, description="in place of a scenario: learners taught through the grades of a curriculum"
    )
    factors: dict[Name, Levels | Spread] = Field(
        default_factory=dict,
        description="what varies: layout, lesson, students, policy, sessions (of groups problem, language, session; of "
        "tutoring curriculum, cohort, learners), or dotted keys such as gate.threshold",
    )
    design: Literal["grid"] | LatinHypercube = Field("grid", description="grid: each level with each")
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] | Annotated[list[Seed], Field(min_length=1)] = Field(
        10, description="how many, counted from 1; or a list of them"
    )
    measure: Annotated[tuple[Name, ...], Field(min_length=1)] | None = Field(
        None,
        description="lessons (the default), talk, steps; of groups dialogue, acts; of tutoring years, "
        "concepts; or module:function of yours",
    )
    keep: tuple[Name, ...] = Field(("*",), min_length=1, description="patterns of the measures to keep, e.g. bec.*")

    @property
    def all_seeds(self) -> list[int]:
        """The seeds, each once."""
        return list(range(1, self.seeds + 1)) if isinstance(self.seeds, int) else list(dict.fromkeys(self.seeds))


class SweepFile(NamedTuple):
    """A sweep with the places of its values."""

    sweep: Sweep
    reading: Reading
    file: Path

    @property
    def subject(self) -> Subject[Any]:
        """The subject that the sweep plays, by the key under which the document is named."""
        return SUBJECTS[next((kind for kind in SUBJECTS if kind in self.sweep.model_fields_set), "scenario")]

    @property
    def base(self) -> str | dict[str, JsonValue]:
        """The document from which all points are made: a name, a path, or written out."""
        return getattr(self.sweep, self.subject.kind)  # type: ignore[no-any-return]

    @property
    def measure(self) -> tuple[str, ...]:
        """Names of the measurers."""
        return self.sweep.measure or self.subject.usual

    @property
    def label(self) -> str:
        """The file, as messages name it."""
        return self.reading.spot(()).label


def is_sweep(reading: Reading) -> bool:
    """Return True if a document says that it is a sweep, or else looks like one."""
    data = reading.data
    return isinstance(data, dict) and ("factors" in data if "kind" not in data else data["kind"] == "sweep")


def built_in_sweeps() -> tuple[str, ...]:
    """Names of the example sweeps that come with the package."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in _EXAMPLES.iterdir() if file.suffix == ".yaml"))


def load_sweep_file(path: str | Path) -> SweepFile:
    """A sweep from its file or the name of a built-in one, checked by itself; a ScenarioError names each mistake's
    line and mend."""
    file = Path(path)
    if not file.is_file() and str(path) in built_in_sweeps():
        file = _EXAMPLES / f"{path}.yaml"
    reading = read_file(file, built_in_sweeps())
    label = reading.spot(()).label
    if not isinstance(reading.data, dict):
        found = found_at(reading, ())
        raise ScenarioError(
            f"expected a sweep, a mapping, found {found}.", where=label, mend="Write `key: value` lines."
        )
    if (said := reading.data.get("kind", "sweep")) != "sweep":
        where = str(reading.spot(("kind",)))
        mend = f"{suggest(str(said), ['sweep'])}Write `kind: sweep`, or name a sweep's file."
        raise ScenarioError(f"kind: expected sweep, found {found_at(reading, ('kind',))}.", where=where, mend=mend)
    refuse(_wrong_factors(reading), label)
    try:
        sweep = Sweep.model_validate_json(json.dumps(reading.data), strict=True)
    except ValidationError as error:
        raise as_error(explain(error, Sweep, reading), label) from None
    refuse(_several_bases(sweep, reading), label)
    return SweepFile(sweep, reading, file)


def _several_bases(sweep: Sweep, reading: Reading) -> list[Problem]:
    named = [kind for kind in SUBJECTS if kind in sweep.model_fields_set]
    trails: list[Trail] = [(kind,) for kind in named]
    problems = [
        Problem(reading.spot(trail), trail, "a sweep plays one thing, and two are named", f"Keep {' or '.join(named)}.")
        for trail in trails[1:]
    ]
    return problems + [
        Problem(reading.spot(trail), trail, "nothing is named", "Remove the key, or name what is played.")
        for trail in trails
        if getattr(sweep, str(trail[0])) is None
    ]


def _wrong_factors(reading: Reading) -> list[Problem]:
    """Return the problems of factors, each told of as what it is: a list of levels, or a mapping of bounds."""
    assert isinstance(reading.data, dict)
    factors = reading.data.get("factors")
    if factors is None and "factors" in reading.data:
        return [Problem(reading.spot(("factors",)), ("factors",), "no factor is given", "Remove the key, or add one.")]
    problems: list[Problem] = []
    for name, given in factors.items() if isinstance(factors, dict) else ():
        trail: Trail = ("factors", name)
        if isinstance(given, dict):
            problems += _wrong_spread(reading, trail, given)
        elif not isinstance(given, list):
            mend = f"Write a list, e.g. `{name}: [{found_plain(given)}, ...]`, or `{{from: 0.2, to: 0.8, steps: 4}}`."
            problems.append(
                Problem(reading.spot(trail), trail, f"expected levels, found {found_at(reading, trail)}", mend)
            )
        elif not given:
            problems.append(Problem(reading.spot(trail), trail, "there are no levels", "Write at least one."))
        elif len({json.dumps(level, sort_keys=True) for level in given}) < len(given):
            problems.append(Problem(reading.spot(trail), trail, "a level is given twice", "Remove one of the two."))
    return problems


def found_plain(value: object) -> str:
    """A value as YAML would have it, for an example."""
    return "..." if value is None else json.dumps(value, ensure_ascii=False)


def _wrong_spread(reading: Reading, trail: Trail, given: dict[str, Any]) -> list[Problem]:
    try:
        Spread.model_validate_json(json.dumps(given), strict=True)
    except ValidationError as error:
        found = explain(error, Spread, reading.part(trail))
        return [problem._replace(trail=(*trail, *problem.trail)) for problem in found]
    return []
