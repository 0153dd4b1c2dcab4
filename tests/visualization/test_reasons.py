"""The model's own reasons are said in the page's language, and nobody else's words are touched."""

from __future__ import annotations

import pytest

from eduverse_mesa.runs.in_memory import run_course
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.space.affordances import RULES
from eduverse_mesa.visualization.words import load_words
from eduverse_mesa.visualization.words.reasons import reason_of

ENGLISH, CHINESE = load_words("en"), load_words("zh")


@pytest.mark.parametrize("reason", [rule.reason for rule in RULES.values()])
def test_why_a_behaviour_is_not_permitted_is_said_in_chinese(reason: str) -> None:
    assert reason_of(reason, ENGLISH) == reason
    assert reason_of(reason, CHINESE) != reason


def test_all_that_a_lesson_refuses_is_said_in_chinese() -> None:
    run = run_course(load_scenario(steps=12, settings={"pacing.mode": "fixed"}), 3)
    journal = run.lessons[0].model.journal
    reasons = {row.reason for row in journal.rejections}
    assert reasons
    assert {one for one in reasons if reason_of(one, CHINESE) == one} == set()
    assert reason_of("the pace is fixed", CHINESE) == "步调固定"


def test_names_and_acts_in_a_reason_are_filled_in() -> None:
    assert reason_of("Li Wei is not within talking distance", CHINESE).startswith("Li Wei ")
    accepted = reason_of("a classmate's request was accepted and comes first (side talk)", CHINESE)
    assert CHINESE["codes.side_talk"] in accepted


def test_what_somebody_said_stays() -> None:
    said = "The class is tired; {name} needs a pause."
    assert reason_of(said, CHINESE) == said
