"""Sampled classes: distributions as asked for, the same class for the same seed."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.people import ClassRoll, Sample, Student, Traits
from eduverse_mesa.scenarios.sampler import (
    BIG_FIVE,
    DEFAULT_CORRELATIONS,
    SAMPLED,
    assign_role,
    find_language,
    list_languages,
    sample_class,
)
from tests.scenarios.documents import refusal

MANY = 1500


def value(student: Student, trait: str) -> float:
    """A sampled number of a student."""
    return float(getattr(student.traits if trait in BIG_FIVE else student, trait))


def column(roll: ClassRoll, trait: str) -> list[float]:
    """A sampled number of all students."""
    return [value(student, trait) for student in roll.students]


def sampled(**sample: Any) -> ClassRoll:
    """A class of a sample given as a user would."""
    return sample_class(Sample.model_validate({"size": MANY, **sample}), "it")


def test_the_same_seed_gives_the_same_class() -> None:
    assert sampled(size=20, seed=4) == sampled(size=20, seed=4)
    assert sampled(size=20, seed=4).students != sampled(size=20, seed=5).students
    assert sampled(size=20, seed=4).students == sampled(size=30, seed=4).students[:20]


def test_a_class_is_the_same_on_every_machine() -> None:
    """Drawn once and written down; another number here means that published classes cannot be drawn again."""
    first, second = sampled(size=2, seed=7).students
    assert [value(first, trait) for trait in SAMPLED] == [0.3625, 0.6843, 0.7109, 0.6226, 0.2394, 0.2734, 0.1659]
    assert (first.name, first.gender, first.age, first.thinking) == ("Peter", "M", 13, "impulsive")
    assert second.name == "Noah"


def test_distributions_are_those_asked_for() -> None:
    roll = sampled(traits={"openness": {"mean": 0.7, "sd": 0.1}, "neuroticism": {"mean": 1, "sd": 0.3}})
    assert statistics.mean(column(roll, "openness")) == pytest.approx(0.7, abs=0.01)
    assert statistics.stdev(column(roll, "openness")) == pytest.approx(0.1, abs=0.01)
    # half a normal distribution: its mean lies sd * sqrt(2 / pi) below the cut
    assert statistics.mean(column(roll, "neuroticism")) == pytest.approx(1 - 0.3 * 0.798, abs=0.02)
    assert statistics.mean(column(roll, "ability")) == pytest.approx(0.5, abs=0.02)


def test_default_correlations() -> None:
    """In one large class; one standard error is 0.025."""
    roll = sampled()
    found = {pair: statistics.correlation(*(column(roll, trait) for trait in pair)) for pair in DEFAULT_CORRELATIONS}
    assert found == pytest.approx(DEFAULT_CORRELATIONS, abs=0.08)


def test_given_correlations_take_the_place_of_defaults() -> None:
    pairs = [(("motivation", "conscientiousness"), -0.6), (("agreeableness", "ability"), 0.9)]
    roll = sampled(correlations=[{"between": pair, "r": r} for pair, r in pairs])
    for pair, r in pairs:
        assert statistics.correlation(*(column(roll, trait) for trait in pair)) == pytest.approx(r, abs=0.07)


def test_impossible_correlations_are_refused() -> None:
    triangle = [("openness", "ability", 0.9), ("ability", "motivation", 0.9), ("openness", "motivation", -0.9)]
    error = refusal(sampled, correlations=[{"between": [a, b], "r": r} for a, b, r in triangle])
    assert "all at once" in error.message


def test_shares_and_roles() -> None:
    roll = sampled(field_dependent_share=0.25, impulsive_share=1)
    dependent = sum(student.cognitive_style == "field_dependent" for student in roll.students) / MANY
    assert dependent == pytest.approx(0.25, abs=0.03)
    assert {student.thinking for student in roll.students} == {"impulsive"}
    roles = [student.role for student in roll.students]
    shares = {role: roles.count(role) / MANY for role in ("off_task", "discussion", "academic")}
    # the archetypes: two off-task, one discussion leader, three academic
    assert shares == pytest.approx({"off_task": 2 / 6, "discussion": 1 / 6, "academic": 3 / 6}, abs=0.07)
    assert all(student.role == assign_role(student.traits, student.motivation) for student in roll.students)


@pytest.mark.parametrize(
    ("traits", "motivation", "role"),
    [
        ({"conscientiousness": 0.1}, 0.2, "off_task"),
        ({"conscientiousness": 0.9, "extraversion": 0.9}, 0.9, "discussion"),
        ({"conscientiousness": 0.9, "extraversion": 0.1}, 0.9, "academic"),
        ({"conscientiousness": 0.1, "extraversion": 0.9}, 0.2, "off_task"),
    ],
)
def test_the_role_rule(traits: dict[str, float], motivation: float, role: str) -> None:
    assert assign_role(Traits(**traits), motivation) == role


@pytest.mark.parametrize("language", list_languages())
def test_everybody_has_a_name_and_words(language: str) -> None:
    roll = sampled(size=2000, language=language)
    assert len({student.name.casefold() for student in roll.students}) == 2000
    assert {student.gender for student in roll.students} == {"F", "M"}
    for student in roll.students[:200]:
        assert all(student.portrait.model_dump().values())
    words = find_language(language)
    assert set(words.given_names["F"]).isdisjoint(words.given_names["M"])
    assert len(words.given_names["F"]) == len(set(words.given_names["F"]))
    assert roll.teacher is not None
    assert roll.teacher.portrait


def test_words_follow_the_traits() -> None:
    def told(openness: float) -> str:
        roll = sampled(size=1, traits={"openness": {"mean": openness, "sd": 0}})
        return roll.students[0].portrait.learning_preference

    assert told(0.9).startswith("Likes new ideas")
    assert told(0.1).startswith("Prefers clear steps")


def test_the_teacher_is_sampled_too() -> None:
    styles = [roll.teacher.style for seed in range(8) if (roll := sampled(size=1, seed=seed)).teacher]
    assert len({style.questioning for style in styles}) == 8
    still = sampled(size=1, teacher_sd=0).teacher
    assert still is not None
    assert (still.style.questioning, still.style.warmth) == (0.5, 0.6)


@given(
    mean=st.floats(0, 1),
    sd=st.floats(0, 1),
    seed=st.integers(0, 10**12),
    r=st.floats(-0.95, 0.95),
    pair=st.sampled_from([("openness", "ability"), ("extraversion", "motivation")]),
)
def test_every_sample_is_a_class_or_refused(mean: float, sd: float, seed: int, r: float, pair: tuple[str, str]) -> None:
    sample = Sample.model_validate(
        {
            "size": 3,
            "seed": seed,
            "traits": {trait: {"mean": mean, "sd": sd} for trait in SAMPLED},
            "correlations": [{"between": pair, "r": r}],
        }
    )
    try:
        roll = sample_class(sample, "it")
    except ScenarioError as error:
        roll = None
        refused = error.message
    assert roll is None or all(0 <= value(student, trait) <= 1 for student in roll.students for trait in SAMPLED)
    assert roll is not None or "all at once" in refused


def test_whole_classes_differ_where_they_are_told_to() -> None:
    def means(class_sd: float) -> list[float]:
        rolls = [sampled(size=40, seed=seed, class_sd=class_sd) for seed in range(12)]
        return [statistics.fmean(student.motivation for student in roll.students) for roll in rolls]

    alike, apart = statistics.stdev(means(0.0)), statistics.stdev(means(0.12))
    assert alike < 0.05
    assert 0.08 < apart < 0.18
