"""What the five studies play."""

from __future__ import annotations

from itertools import combinations

import pytest

from eduverse_mesa.decisions.tutoring import TRAITS
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.papers.simlearner.designs import STUDIES, plays_of, studies, truth, tutoring_of


def test_what_several_studies_need_is_played_once() -> None:
    plays = plays_of(STUDIES, 2)
    assert len({play.key for play in plays}) == len(plays) == 2 * 6
    assert [play.key for play in plays_of(studies("simlearner-3"), 2)] == ["years-full-s1", "years-full-s2"]


def test_the_arm_and_the_grades_are_those_of_the_play() -> None:
    for play in plays_of(studies("simlearner-1"), 1):
        settings = tutoring_of(play.tutoring).settings
        assert (settings.arm, settings.grades) == (play.arm, (1, 1))


def test_no_trait_nor_pair_of_traits_of_the_sixteen_tells_anything_of_another() -> None:
    [play, _] = plays_of(studies("simlearner-4"), 1)
    people = [truth(person.traits) for person in tutoring_of(play.tutoring).cohort.learners]
    assert len({tuple(person.values()) for person in people}) == 16
    signs = {trait: [1 if person[trait] == "high" else -1 for person in people] for trait in TRAITS}
    for one, two in combinations(TRAITS, 2):
        assert sum(signs[one]) == 0
        assert sum(a * b for a, b in zip(signs[one], signs[two], strict=True)) == 0
    for one, two, three in combinations(TRAITS, 3):
        assert sum(a * b * c for a, b, c in zip(signs[one], signs[two], signs[three], strict=True)) == 0


def test_settings_reach_the_document_and_what_is_compared_cannot_be_set() -> None:
    [play, _] = plays_of(studies("simlearner-2"), 1, settings={"visits": "2"})
    assert tutoring_of(play.tutoring).settings.visits == 2
    with pytest.raises(EduverseError, match="what the studies compare"):
        plays_of(STUDIES, 1, settings={"arm": "base"})


def test_a_study_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(EduverseError, match="simlearner-5, simlearner-all"):
        studies("simlearner-6")
