"""What a text asks, whoever asks it and in whatever words."""

from __future__ import annotations

import pytest

from eduverse_mesa.scenarios.curriculum import questions_in
from eduverse_mesa.scenarios.loader import load_tutoring

UNIT = load_tutoring().curriculum.units["2-LS2-1"]
CUPBOARD, BEANS, TAKES = (item.ask for item in UNIT.items)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (CUPBOARD, CUPBOARD),
        ("Well! Now, what happens to the bean plant that stands in the dark cupboard?", CUPBOARD),
        ("How would you test fairly whether beans need any water?", BEANS),
        ("Light and water help plants. And what else does a plant take in?", TAKES),
    ],
)
def test_a_question_in_other_words_asks_the_item_that_it_is_most_like(text: str, asked: str) -> None:
    item = UNIT.asked_by(text)
    assert item is not None
    assert item.ask == asked


@pytest.mark.parametrize("text", ["", "Plants need light and water.", "Plants need light. Is it raining?", "Really?"])
def test_what_is_no_question_about_the_unit_asks_nothing(text: str) -> None:
    assert UNIT.asked_by(text) is None


def test_of_items_equally_like_a_question_the_one_asked_least_is_asked() -> None:
    vague = "Anything about sunlight?"
    first = UNIT.asked_by(vague)
    assert first is not None
    following = UNIT.asked_by(vague, [first.ask])
    assert following is not None
    assert following is not first


def test_only_questions_are_questions() -> None:
    assert questions_in("No. Is it? Yes! 真的吗？ What") == " Is it? 真的吗？"


def test_a_chinese_question_in_other_words_asks_the_same_item() -> None:
    unit = load_tutoring("mathematics_zh").curriculum.units["6-RATIO-1"]
    item = unit.asked_by("那么街上每有4只猫就有5只狗，狗20只，请问猫有几只呢？")
    assert item is not None
    assert item.id == "b"
