"""What reaches a learner of a tutor's words: what is told, what is asked anew, and what is help."""

from __future__ import annotations

import pytest

from eduverse_mesa.agents.learner import Grasping
from eduverse_mesa.agents.uptake import answered, listen
from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.scenarios.curriculum import TOLD, Curriculum, Unit, strays
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters

P = load_parameters(None, LEARNER_BOOK)


def curriculum(name: str = "") -> Curriculum:
    return load_tutoring(curriculum=name or None).curriculum


def unit(name: str = "2-PS1-1") -> Unit:
    return curriculum().units[name]


def said(*texts: str) -> tuple[Utterance, ...]:
    return tuple(Utterance("tutor", text) for text in texts)


def test_each_item_is_a_question_also_where_it_is_written_as_a_command() -> None:
    commands = 0
    for one in curriculum().all_units():
        for item in one.items:
            taken = listen(f"Well. {item.ask}", one, (), "en")
            assert taken.asked is item
            assert taken.question, item.ask
            assert not taken.told, "its own question tells nothing"
            commands += "?" not in item.ask
    assert commands > 5, "there are some"


def test_a_question_that_holds_the_whole_idea_tells_it() -> None:
    one = unit()
    leading = f"Isn't it so that {one.idea.rstrip('.')}?"
    assert listen(leading, one, (), "en").told >= TOLD
    assert listen(one.idea, one, (), "en").told >= TOLD
    assert one.told_in(one.items[0].ask) == 0.0


def test_what_was_not_said_before_is_help_and_what_was_is_none() -> None:
    one = unit()
    asked = said(one.items[0].ask)
    hint = listen(f"Hm. {one.hint} {one.items[0].ask}", one, asked, "en")
    assert hint.hinted
    assert not hint.asked_anew
    assert not listen(f"{one.hint} {one.items[0].ask}", one, said(one.items[0].ask, one.hint), "en").hinted
    assert listen(one.items[1].ask, one, asked, "en").asked_anew
    again = listen("Are you sure?", one, asked, "en")
    assert (again.asked, again.asked_anew, again.hinted, again.told) == (one.items[0], False, False, 0.0)


@pytest.mark.parametrize("words", ["Are you sure?", "Really? Think again."])
def test_nothing_is_learned_from_being_asked_the_same_again(words: str) -> None:
    one = unit()
    grasping = Grasping(0.2)
    grasping.hear(listen(one.items[0].ask, one, (), "en"), 1.0, P)
    after_one, dialogue = grasping.grasp, said(one.items[0].ask)
    for _ in range(7):
        grasping.answer("guess")
        grasping.hear(listen(words, one, dialogue, "en"), 1.0, P)
        dialogue += said(words)
    assert grasping.grasp == after_one


def test_being_told_again_tells_less_each_time() -> None:
    one = unit()
    grasping, gains = Grasping(0.0), []
    for _ in range(4):
        before = grasping.grasp
        grasping.hear(listen(one.idea, one, (), "en"), 0.5, P)
        gains.append((grasping.grasp - before) / (1.0 - before))
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < gains[0] / 4


@pytest.mark.parametrize(
    "words",
    ["Why?", "Can you tell me more?", "What makes you say that?", "And what about 12 and 5?", "How does it look?"],
)
def test_a_prompt_to_go_on_stays_with_the_question_on_the_table(words: str) -> None:
    one = unit()
    assert listen(words, one, said(one.items[0].ask), "en").asked is one.items[0]


@pytest.mark.parametrize("words", ["Who won the football match?", "Do you know about photosynthesis and DNA?"])
def test_a_question_about_something_else_asks_nothing_of_the_unit(words: str) -> None:
    one = unit()
    dialogue = said(one.items[0].ask)
    taken = listen(words, one, dialogue, "en")
    assert taken.question
    assert taken.asked is None
    assert answered(one, said(one.items[0].ask, words), "en") is None
    assert listen(words, one, (*dialogue, Utterance("tutor", words)), "en").asked is None, "nor when it is repeated"
    assert listen("Are you sure?", one, said(one.items[0].ask, words), "en").asked is one.items[0]


def test_a_question_about_what_was_brought_in_before_stays_with_the_unit() -> None:
    one = unit()
    words = "And a candle, what about the candle?"
    assert listen(words, one, said(one.items[0].ask), "en").asked is None
    dialogue = said(one.items[0].ask, "Imagine a candle on a table.")
    assert listen(words, one, dialogue, "en").asked is one.items[0]


def test_no_question_of_any_curriculum_leaves_its_own_unit() -> None:
    for course in ("growing_up", "mathematics_zh"):
        taught = load_tutoring(course).curriculum
        for one in taught.all_units():
            hint = one.hint.rstrip(".") + "?"
            assert not strays(hint, one, (), taught.language), hint
            for item in one.items:
                assert not strays(item.ask.rstrip(".") + "?", one, (), taught.language)


def test_a_question_in_chinese_leaves_its_unit_or_goes_on() -> None:
    one = next(iter(load_tutoring("mathematics_zh").curriculum.all_units()))
    dialogue = said(one.items[0].ask)
    assert listen("你确定吗？为什么？", one, dialogue, "zh").asked is one.items[0]
    assert listen("昨天的足球比赛谁赢了？", one, dialogue, "zh").asked is None
    assert listen("昨天的足球比赛谁赢了？", one, dialogue, "xx").asked is one.items[0], "of what it cannot tell"
