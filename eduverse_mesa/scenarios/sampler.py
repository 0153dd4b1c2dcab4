"""Classes drawn from trait distributions.

Every trait is a normal distribution cut to [0, 1]; the traits of one student are joined by a Gaussian copula, so that
each keeps its own distribution exactly while correlations come close to those asked for (cutting weakens them a
little). Draws have addresses (seed, student, trait): the same seed gives the same student on every machine, and the
first twenty of a class of thirty are the class of twenty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from math import sqrt
from statistics import NormalDist
from typing import get_args

from pydantic import Field

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.randomness import Address, normal, uniform
from eduverse_mesa.scenarios.base import Name, Part
from eduverse_mesa.scenarios.files import read_resource
from eduverse_mesa.scenarios.people import (
    ClassRoll,
    CognitiveStyle,
    Gender,
    Portrait,
    Role,
    Sample,
    Student,
    Teacher,
    TeacherStyle,
    Thinking,
    TraitDistribution,
    Traits,
)
from eduverse_mesa.scenarios.problems import suggest

# A sentence for each case of what it is `of`.
Case = dict[str, str]
_FOLDER = "languages"
HIGH, LOW = 0.62, 0.38
"""From where on a trait is worth a word: about two thirds of a standard deviation (0.18) from the average."""


class Language(Part):
    """Contents of a language file."""

    teacher: Name
    given_names: dict[str, tuple[Name, ...]]
    second: tuple[str, ...] = Field(min_length=1)
    gap: str = Field(description="what stands between two sentences")
    portrait: dict[str, tuple[Case, ...]]
    teacher_portrait: tuple[Case, ...]


def list_languages() -> tuple[str, ...]:
    """The languages that classes can be sampled in."""
    folder = files("eduverse_mesa.scenarios").joinpath(_FOLDER)
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


@cache
def find_language(name: str) -> Language:
    """The language of a name."""
    known = list_languages()
    if name not in known:
        raise ScenarioError(
            f"there are no names in the language '{name}'.",
            mend=f"{suggest(name, known)}Known languages: {', '.join(known)}. Or list the students one by one.",
        )
    file = files("eduverse_mesa.scenarios") / _FOLDER / f"{name}.yaml"
    data = read_resource(file, f"built-in {_FOLDER}/{name}.yaml").data
    return Language.model_validate_json(json.dumps(data), strict=True)


def describe(cases: Iterable[Case], facts: Mapping[str, float | str], gap: str) -> str:
    """A few sentences: for a number those of its level, for a word those of the word itself."""
    said = []
    for case in cases:
        fact = facts[case["of"]]
        said.append(case[fact if isinstance(fact, str) else _level(fact)])
    return gap.join(sentence for sentence in said if sentence)


def _level(value: float) -> str:
    if value >= HIGH:
        return "high"
    return "low" if value <= LOW else "middle"


BIG_FIVE = tuple(Traits.model_fields)
SAMPLED = (*BIG_FIVE, "motivation", "ability")
# Signs and rough sizes are those that meta-analyses agree on (Big Five among themselves: van der Linden et al. 2010;
# conscientiousness and motivation, openness and ability: Poropat 2009); the numbers are rounded choices of ours.
DEFAULT_CORRELATIONS: dict[tuple[str, str], float] = {
    ("conscientiousness", "motivation"): 0.4,
    ("openness", "motivation"): 0.2,
    ("openness", "ability"): 0.2,
    ("motivation", "ability"): 0.2,
    ("extraversion", "openness"): 0.2,
    ("agreeableness", "conscientiousness"): 0.2,
    ("neuroticism", "conscientiousness"): -0.2,
    ("neuroticism", "extraversion"): -0.2,
}
# These thresholds give about the archetypes' mixture (D.1): two off-task and one discussion leader in six.
_DRIVEN = 0.42
_SOCIABLE = 0.58
_AGES = (13, 14)  # those of the archetypes (D.1)
_STANDARD = NormalDist()
_DIGITS = 4  # what is left of a platform's own last bits in log and sqrt is rounded away


def sample_class(sample: Sample, name: str) -> ClassRoll:
    """The class of a sample: its students, and a teacher of its own."""
    language = find_language(sample.language)
    factor = _factor(sample)
    names = _names(sample, language)
    students = tuple(_student(sample, factor, language, number, names) for number in range(sample.size))
    return ClassRoll(
        name=name,
        title=f"{sample.size} sampled students",
        teacher=_teacher(sample, language),
        students=students,
        description=f"Sampled with seed {sample.seed}.",
    )


def assign_role(traits: Traits, motivation: float) -> Role:
    """Off-task is who lacks drive (motivation counts twice); of the others, the sociable lead discussion."""
    if (2 * motivation + traits.conscientiousness) / 3 < _DRIVEN:
        return "off_task"
    if (2 * traits.extraversion + traits.agreeableness) / 3 >= _SOCIABLE:
        return "discussion"
    return "academic"


def _student(
    sample: Sample, factor: list[list[float]], language: Language, number: int, names: dict[Gender, Iterator[str]]
) -> Student:
    at = Address(sample.seed, 0, 0, f"student {number}")
    values = _traits(sample, factor, at)
    traits = Traits(**{trait: values[trait] for trait in BIG_FIVE})
    gender: Gender = "F" if uniform(at, "sample.gender") < 0.5 else "M"
    style: CognitiveStyle = (
        "field_dependent" if uniform(at, "sample.style") < sample.field_dependent_share else "field_independent"
    )
    thinking: Thinking = "impulsive" if uniform(at, "sample.thinking") < sample.impulsive_share else "reflective"
    role = assign_role(traits, values["motivation"])
    facts = {**values, "cognitive_style": style, "thinking": thinking, "role": role}
    return Student(
        name=next(names[gender]),
        age=_AGES[int(uniform(at, "sample.age") * len(_AGES))],
        gender=gender,
        traits=traits,
        cognitive_style=style,
        thinking=thinking,
        motivation=values["motivation"],
        ability=values["ability"],
        role=role,
        portrait=Portrait(**{part: describe(cases, facts, language.gap) for part, cases in language.portrait.items()}),
    )


def _traits(sample: Sample, factor: list[list[float]], at: Address) -> dict[str, float]:
    independent = [normal(at, f"sample.{trait}") for trait in SAMPLED]
    values = {}
    for row, trait in zip(factor, SAMPLED, strict=True):
        joint = sum(weight * draw for weight, draw in zip(row, independent, strict=True))
        distribution = sample.traits.get(trait, TraitDistribution())
        if distribution.sd > 0:
            whole = Address(sample.seed, 0, 0, "class")
            joint += sample.class_sd / distribution.sd * normal(whole, f"sample.{trait}")
        values[trait] = _cut_normal(distribution, joint)
    return values


def _cut_normal(distribution: TraitDistribution, draw: float) -> float:
    """A standard normal draw moved to the normal distribution cut to [0, 1], quantile by quantile."""
    if distribution.sd == 0:
        return distribution.mean
    wanted = NormalDist(distribution.mean, distribution.sd)
    low, high = wanted.cdf(0), wanted.cdf(1)
    quantile = low + _STANDARD.cdf(draw) * (high - low)
    if not 0 < quantile < 1:  # only where the cut leaves the last bit of a tail
        return float(quantile >= 1)
    return round(min(1.0, max(0.0, wanted.inv_cdf(quantile))), _DIGITS)


def _factor(sample: Sample) -> list[list[float]]:
    """The lower triangular factor of the correlation matrix (Cholesky); a matrix without one is refused."""
    matrix = _correlation_matrix(sample)
    factor = [[0.0] * len(SAMPLED) for _ in SAMPLED]
    for row in range(len(SAMPLED)):
        for column in range(row + 1):
            rest = matrix[row][column] - sum(factor[row][k] * factor[column][k] for k in range(column))
            if row != column:
                factor[row][column] = rest / factor[column][column]
            elif rest > 1e-9:
                factor[row][row] = sqrt(rest)
            else:
                raise ScenarioError(
                    f"no traits can have these correlations all at once (seen at {SAMPLED[row]}).",
                    mend="Bring some nearer to 0; correlations that are not given are "
                    + ", ".join(f"{a}-{b} {r:g}" for (a, b), r in DEFAULT_CORRELATIONS.items())
                    + ", and 0 for the rest.",
                )
    return factor


def _correlation_matrix(sample: Sample) -> list[list[float]]:
    given = {frozenset(pair): r for pair, r in DEFAULT_CORRELATIONS.items()}
    given |= {frozenset(correlation.between): correlation.r for correlation in sample.correlations}
    return [[1.0 if a == b else given.get(frozenset((a, b)), 0.0) for b in SAMPLED] for a in SAMPLED]


def find_mistakes(sample: Sample) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield the mistakes in a sample: (place inside the sample, message, mend)."""
    listed = f"Known traits: {', '.join(SAMPLED)}."
    for trait in sample.traits:
        if trait not in SAMPLED:
            yield ("traits", trait), f"there is no trait '{trait}' to sample", suggest(trait, SAMPLED) + listed
    pairs: set[frozenset[str]] = set()
    for index, correlation in enumerate(sample.correlations):
        at = ("correlations", index, "between")
        for place, trait in enumerate(correlation.between):
            if trait not in SAMPLED:
                message = f"there is no trait '{trait}' to correlate"
                yield (*at, place), message, suggest(trait, SAMPLED) + listed
        pair = frozenset(correlation.between)
        if len(pair) == 1:
            yield at, "a trait is correlated with itself", "Name two traits."
        elif pair in pairs:
            yield at, "this pair is given twice", "Keep one of the two."
        pairs.add(pair)
    for part, attempt in (
        ("language", lambda: find_language(sample.language)),
        ("correlations", lambda: _factor(sample)),
    ):
        try:
            attempt()
        except ScenarioError as error:
            yield (part,), error.message.rstrip("."), error.mend


def _names(sample: Sample, language: Language) -> dict[Gender, Iterator[str]]:
    return {gender: _namesakes(sample, language, gender) for gender in get_args(Gender) if gender != "X"}


def _namesakes(sample: Sample, language: Language, gender: Gender) -> Iterator[str]:
    """Given names in an order of their own for each seed, then with something behind that tells namesakes apart."""
    order = Address(sample.seed, 0, 0, "names")
    shuffled = sorted(language.given_names[gender], key=lambda given: uniform(order, f"sample.{given}"))
    number = 2
    yield from shuffled
    for second in language.second:
        yield from (given + second for given in shuffled)
    while True:
        yield from (f"{given} {number}" for given in shuffled)
        number += 1


def _teacher(sample: Sample, language: Language) -> Teacher:
    at = Address(sample.seed, 0, 0, "teacher")
    style = {
        name: _cut_normal(TraitDistribution(mean=field.default, sd=sample.teacher_sd), normal(at, f"sample.{name}"))
        for name, field in TeacherStyle.model_fields.items()
    }
    portrait = describe(language.teacher_portrait, dict(style), language.gap)
    return Teacher(name=language.teacher, style=TeacherStyle(**style), portrait=portrait)
