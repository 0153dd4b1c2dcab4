"""The model's own reasons are said in the page's language, and nobody else's words are touched."""

from __future__ import annotations

import pytest

from eduverse_mesa.dashboard.lessons.view import asked
from eduverse_mesa.decisions import student, teacher
from eduverse_mesa.policies.embedded.classroom.words.grammar import load_grammar
from eduverse_mesa.runs.classroom import run_course
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.space.affordances import RULES
from eduverse_mesa.visualization.words import load_words
from eduverse_mesa.visualization.words.labels import reason_of

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
    assert reason_of("the pace is fixed", CHINESE) == "节奏固定"


def test_why_the_teacher_stays_or_goes_on_is_said_in_the_language_of_the_page() -> None:
    for move in ("stay", "extend", "leave", "advance"):
        said = {name: load_grammar(name).say(f"pace.{move}", 0.0, {"ready": "0.33"}) for name in ("en", "zh")}
        assert reason_of(said["en"], CHINESE) == said["zh"] == reason_of(said["zh"], CHINESE)
        assert reason_of(said["zh"], ENGLISH) == said["en"]
    assert reason_of("no answer within 20 s", CHINESE) == "20 秒内没有回答"


def test_everything_that_may_be_asked_in_a_lesson_has_a_name_on_the_page() -> None:
    made = [one for module in (student, teacher) for one in vars(module).values() if isinstance(one, type)]
    kinds = {kind for one in made if isinstance(kind := vars(one).get("kind"), str)}
    assert len(kinds) > 10
    for kind in kinds:
        assert asked(kind, ENGLISH) != kind
        assert not asked(kind, CHINESE).isascii(), kind


def test_names_and_acts_in_a_reason_are_filled_in() -> None:
    assert reason_of("Li Wei is not within talking distance (partner), so it goes to Ana", CHINESE).startswith("Li Wei")
    accepted = reason_of("a classmate's request was accepted and comes first (side talk)", CHINESE)
    assert CHINESE["codes.side_talk"] in accepted


def test_what_somebody_said_stays() -> None:
    said = "The class is tired; {name} needs a pause."
    assert reason_of(said, CHINESE) == said
