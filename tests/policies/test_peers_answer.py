"""Peers do not ask what was said, and answer what was asked."""

from __future__ import annotations

import pytest

from eduverse_mesa.decisions.groups import Intended
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.policies.embedded.groups.state import share
from tests.models.groups import STEPS, problem, with_pupil


def moves(model: GroupModel) -> list[str]:
    return [one.answer.outcome.move for one in model.journal.answers if isinstance(one.answer.outcome, Intended)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (STEPS, "So we have to find out how many feet Noor goes in just one step. The line is 60 feet, 20 steps."),
        (f"{STEPS}_zh", "我们要算走一步是多少英尺，一共60英尺，走了20步"),
        (
            "race_fuel",
            "we need two numbers, the miles on one gallon and the gallons on one mile. its 600 miles 120 gallons",
        ),
    ],
)
def test_what_was_said_is_not_asked(name: str, text: str, seed: int) -> None:
    model = with_pupil(text, "...", name=name, seed=seed)
    assert "ask_sense" not in moves(model)


@pytest.mark.parametrize("seed", range(8))
def test_peers_do_not_ask_each_other_what_one_of_them_has_just_said(seed: int) -> None:
    for name in (STEPS, "equal_discounts", "treat_bags"):
        model = with_pupil(*["..."] * 4, name=name, seed=seed)
        asked = [one.text for one in model.dialogue if "What do we have to find" in one.text]
        assert asked == [], asked


def test_a_question_about_something_else_is_not_answered_with_the_statement() -> None:
    for seed in range(4):
        for text in ("are there two of them?", "Bob, how many did you get?"):
            model = with_pupil("hi", text, seed=seed)
            assert moves(model)[-1] != "answer_sense"


def test_how_much_of_a_text_is_in_another_is_counted_by_beginnings_and_whole_numbers() -> None:
    assert share("How many feet Noor goes in just one step.", "how many feet does noor go in one step") > 0.5
    assert share("60 feet", "600 feet") == 0.5
    assert share("走一步是多少英尺", "走一步是几英尺") > 0.5
    assert share("", "anything") == 0


def test_who_has_had_enough_at_once_is_not_told_that_one_step_is_left() -> None:
    for seed in range(4):
        model = with_pupil("this is boring lol", name=STEPS, seed=seed)
        assert moves(model)[-1] in ("to_fed_up_early", "back_to_work")
        assert "more step" not in model.dialogue[-1].text
        assert problem(STEPS).question


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (STEPS, "can I find out how long one step is?"),
        (STEPS, "I'll work out how long one step is, ok?"),
        (f"{STEPS}_zh", "我来算一步有多长，行吗？"),
    ],
)
def test_who_offers_to_do_something_in_a_question_is_given_it(name: str, text: str) -> None:
    for seed in range(3):
        model = with_pupil("ok", "ok", text, name=name, seed=seed)
        [offer] = [one for one in model.dialogue if one.text == text]
        assert offer.meaning.takes == ("step_length",)
        assert model.record.roles["step_length"] == "Mia" or offer.stage != "organise"
        assert moves(model)[-1] != "not_yet"


@pytest.mark.parametrize("seed", range(8))
def test_one_of_several_answers_is_not_called_the_question(seed: int) -> None:
    for name in ("race_fuel", "treat_bags"):
        model = with_pupil("what do we have to find?", "...", name=name, seed=seed)
        goals = {task.variable: task.phrase for task in model.sheet.tasks if task.variable in model.sheet.goals}
        for one in model.dialogue:
            if one.meaning.act.startswith("present") and not one.meaning.topic:
                assert not any(phrase in one.text for phrase in goals.values()), one.text


@pytest.mark.parametrize("seed", range(4))
def test_do_you_agree_takes_nothing_over(seed: int) -> None:
    model = with_pupil("ok", "ok", "ok", seed=seed, misconception="multiplies")
    while model.stage != "execute":
        model.tick(max(model.now, model.due or 0))
        model.step()
    for text in ("one step is 3 feet because 60/20=3", "Alice do you agree?", "do you agree?"):
        model.hear("Mia", text, model.now)
        model.step()
        model.tick(max(model.now, model.due or 0))
        model.step()
    assert model.record.values("step_length")["Mia"] == "3 foot/step"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (STEPS, "So the question is, how many feet does Noor go in one step?"),
        ("treat_bags", "ok so the task is: what is the greatest number of equal bags, and what is in each?"),
        (f"{STEPS}_zh", "题目是问：小诺一步走多少英尺？对吧"),
    ],
)
def test_who_says_again_what_is_asked_is_not_told_that_nobody_knows_yet(name: str, text: str) -> None:
    for seed in range(3):
        model = with_pupil(text, name=name, seed=seed)
        assert moves(model)[-1] == "second_understanding"


@pytest.mark.parametrize("seed", range(4))
def test_who_names_the_answer_is_told_whether_others_have_it_before_they_go_on(seed: int) -> None:
    model = with_pupil("ok", "ok", "ok", seed=seed, misconception="multiplies")
    while model.stage != "execute":
        model.tick(max(model.now, model.due or 0))
        model.step()
    model.hear("Mia", "so it is 3 feet for one step", model.now)
    model.step()
    model.tick(max(model.now, model.due or 0))
    model.step()
    assert moves(model)[-1] == ("same_value" if model.dialogue[-1].speaker == "Bob" else "defend")


@pytest.mark.parametrize("seed", range(4))
def test_who_agrees_agrees_with_all_of_it(seed: int) -> None:
    model = with_pupil(*["..."] * 6, name="treat_bags", seed=seed, misconception="swaps_contents")
    for text in ("15 bags, 2 cookies and 3 bars in each", "Alice do you agree?"):
        model.hear("Mia", text, model.now)
        model.step()
        model.tick(max(model.now, model.due or 0))
        model.step()
    assert not (model.dialogue[-1].speaker == "Alice" and moves(model)[-1] == "same_value")


@pytest.mark.parametrize(("text", "name"), [("i want to go home", STEPS), ("我想回家", f"{STEPS}_zh")])
def test_who_wants_to_go_home_is_understood(text: str, name: str) -> None:
    assert moves(with_pupil("ok", text, name=name))[-1].startswith("to_fed_up")


@pytest.mark.parametrize(
    ("name", "text"),
    [(STEPS, "what now?"), (STEPS, "whats next"), (STEPS, "are we done?"), (f"{STEPS}_zh", "然后呢？")],
)
def test_what_now_is_answered_with_what_comes_next(name: str, text: str) -> None:
    lines = ["ok" if name == STEPS else "好"]
    while (model := with_pupil(*lines, name=name, misconception="multiplies")).stage != "execute":
        lines.append("...")
        assert len(lines) < 9
    stated = {one.variable for one in model.record.stated.values()}
    model.hear("Mia", text, model.now)
    model.step()
    model.tick(max(model.now, model.due or 0))
    model.step()
    assert moves(model)[-1] == "next_step"
    assert model.dialogue[-1].meaning.topic not in stated


def test_how_to_begin_is_told_before_the_plan_too() -> None:
    for name, text in ((STEPS, "how do we start?"), (f"{STEPS}_zh", "我们怎么算？"), ("treat_bags", "how do we do it")):
        model = with_pupil("ok", "ok", text, name=name, seed=3)
        assert moves(model)[-1] in ("first_way", "plan"), (name, model.dialogue[-1].text)


def test_mhm_is_a_yes() -> None:
    model = with_pupil("ok", "ok", "mhm")
    assert [one.meaning.stance for one in model.dialogue if one.text == "mhm"] == ["agrees"]


def test_a_long_text_without_a_question_mark_tells_and_does_not_ask() -> None:
    text = (
        "How many feet one single step is! So I think we share the 60 feet out among the 20 steps, all steps are alike."
    )
    for seed in range(4):
        assert moves(with_pupil("ok", text, seed=seed))[-1] != "not_yet"


def test_who_has_solved_it_is_given_no_next_step() -> None:
    for seed in range(4):
        model = with_pupil(*["60/20=3 so one step is 3 feet"] * 5, "what now?", seed=seed)
        assert moves(model)[-1] != "next_step"
