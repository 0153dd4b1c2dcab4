"""Choices as pupils name them, by letters, numbers, places and what stands in them; and what is no choice."""

from __future__ import annotations

import pytest

from eduverse_mesa.policies.embedded.groups.state import CHOICE
from tests.policies.test_what_numbers_say import FRAME, PAINT, STEPS, heard, said

CHOSEN = [
    (PAINT, "blue_parts", "choice 2", "2"),
    (PAINT, "part", "number 2", "2"),
    (PAINT, "blue_parts", "its choice 2 !!! we all agree", "2"),
    (PAINT, "", "the second", "2"),
    (PAINT, CHOICE, "the second one is right", "2"),
    (PAINT, CHOICE, "its the first one", "1"),
    (PAINT, CHOICE, "the last one", "2"),
    (PAINT, "", "choice two", "2"),
    (PAINT, CHOICE, "2", "2"),
    (PAINT, CHOICE, "yes 2", "2"),
    (PAINT, "blue_parts", "yes 2", "2"),
    (PAINT, CHOICE, "i think its 2", "2"),
    (PAINT, CHOICE, "i take nr 2", "2"),
    (PAINT, "", "option 2 because its half of both", "2"),
    (PAINT, CHOICE, "not choice 1, its 2", "2"),
    (PAINT, CHOICE, "1 is wrong and 2 is right", "2"),
    (PAINT, CHOICE, "20 and 12 is the same", "2"),
    (PAINT, CHOICE, "the one with 20 and 12", "2"),
    (PAINT, CHOICE, "40:24 is 5:3 and 20:12 is 5:3 too, so 2", "2"),
    (PAINT, "", "第二个", "2"),
    (PAINT, "", "我选第二种", "2"),
    (PAINT, "", "选第2个，因为都是一半", "2"),
    (PAINT, CHOICE, "对，是2", "2"),
    (FRAME, CHOICE, "its b", "B"),
    (FRAME, "", "i think its b", "B"),
    (FRAME, "", "b is right", "B"),
    (FRAME, "", "poster b", "B"),
    (FRAME, "", "b c", "B C"),
    (FRAME, "", "both b and c", "B C"),
    (FRAME, CHOICE, "the second and the third", "B C"),
    (FRAME, CHOICE, "its a", "A"),
    (FRAME, CHOICE, "17.5 by 14", "B"),
    (FRAME, "", "我觉得是B", "B"),
    (FRAME, "", "第二个和第三个", "B C"),
]


@pytest.mark.parametrize(("name", "latest", "text", "chosen"), CHOSEN)
def test_a_choice_is_one_however_it_is_named(name: str, latest: str, text: str, chosen: str) -> None:
    found = heard(text, name, latest)
    assert " ".join(found.chosen) == chosen
    assert said(found.claims) == ""
    assert found.topic == CHOICE


SPOKEN = [
    (PAINT, "what is choice 2", "2"),
    (PAINT, "i mean choice 2 has 20 and 12", "2"),
    (PAINT, "is it choice 2?", "2"),
    (PAINT, "so 2?", "2"),
    (PAINT, "not 1", "1"),
    (PAINT, "30 to 14 is more than 2 so 1 is wrong", "1"),
    (PAINT, "第一个不对", "1"),
    (PAINT, "选项2是什么？", "2"),
    (FRAME, "a is too big", "A"),
    (FRAME, "d is turned around so no", "D"),
    (FRAME, "why b?", "B"),
    (FRAME, "what about c?", "C"),
]


@pytest.mark.parametrize(("name", "text", "spoken"), SPOKEN)
def test_a_choice_may_be_spoken_of_without_being_chosen(name: str, text: str, spoken: str) -> None:
    found = heard(text, name, CHOICE)
    assert " ".join(found.options) == spoken
    assert not found.chosen
    assert said(found.claims) == ""


@pytest.mark.parametrize(
    ("name", "latest", "text", "claims"),
    [
        (PAINT, "part", "2", "part=2 cup"),
        (PAINT, CHOICE, "its 8", "part=8 cup"),
        (PAINT, "yellow_parts", "5 and 3", "blue_parts=5 yellow_parts=3"),
        (PAINT, "part", "8 cups", "part=8 cup"),
        (PAINT, "", "wait a second", ""),
        (PAINT, "", "the second step is to divide", ""),
        (FRAME, "", "c u later", ""),
        (STEPS, "", "the second", ""),
        (STEPS, "step_length", "2", "step_length=2 foot/step"),
    ],
)
def test_a_number_or_a_letter_is_no_choice_where_it_is_something_else(
    name: str, latest: str, text: str, claims: str
) -> None:
    found = heard(text, name, latest)
    assert not found.options
    assert said(found.claims) == claims
