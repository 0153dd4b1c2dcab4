"""What pupils ask for: a word, what is known, what is to be found, why, how, or how much."""

from __future__ import annotations

import pytest

from tests.policies.test_what_numbers_say import BAGS, FRAME, FUEL, PLANS, PRICE, RIBBON, STEPS, heard

WORDS = [
    (BAGS, "what does alike mean", "alike"),
    (BAGS, "yes but what does alike mean", "alike"),
    (BAGS, "what do you mean by alike", "alike"),
    (BAGS, "i dont know what greatest number means", "greatest number"),
    (BAGS, "what is the greatest number", "greatest number"),
    (FRAME, "can you explain what same shape means", "same shape"),
    (FRAME, "what's a ratio?", "ratio"),
    (PRICE, "whats a coupon", "coupon"),
    (PRICE, "what is a percent", "percent"),
    (BAGS, "公约数是什么意思？", "公约数"),
    (BAGS, "什么叫公约数", "公约数"),
    (PRICE, "什么是百分之一", "百分之一"),
]


@pytest.mark.parametrize(("name", "text", "word"), WORDS)
def test_a_word_that_is_asked_about_is_known(name: str, text: str, word: str) -> None:
    found = heard(text, name)
    assert (found.question, found.word, found.asks) == ("word", word, True)
    assert not found.claims
    assert not found.addressed
    assert found.stance != "agrees"


QUESTIONS = [
    (BAGS, "what does that mean", "", ""),
    (BAGS, "what is the greatest number of bags", "value", "bags"),
    (STEPS, "what do we know?", "givens", ""),
    (STEPS, "what numbers do we have", "givens", ""),
    (STEPS, "what are we supposed to find?", "task", ""),
    (FUEL, "hey so whats the question asking", "task", ""),
    (STEPS, "i dont get what the question means", "task", ""),
    (BAGS, "why cant it be more", "why", ""),
    (PRICE, "why do we need one percent?", "why", "one_percent"),
    (PLANS, "but why do we need the fee difference? C has messages free?", "why", "extra_fee"),
    (FUEL, "why 5?", "why", "miles_per_gallon"),
    (FUEL, "i dont get it why 0.2 gallons", "why", "gallons_per_mile"),
    (STEPS, "thats why its 3", "", "step_length"),
    (STEPS, "ok why not", "", ""),
    (PRICE, "ok and Alice what did you get for one percent?", "value", "one_percent"),
    (RIBBON, "Bob, how many did you get?", "value", ""),
    (STEPS, "how did you get that", "how", ""),
    (STEPS, "我们知道什么？", "givens", ""),
    (STEPS, "题目问什么？", "task", ""),
    (STEPS, "这题看不懂", "task", ""),
    (RIBBON, "为什么要除以3？", "why", "per_yard"),
    (PRICE, "小雨你得多少", "value", ""),
    (STEPS, "怎么算的", "how", ""),
]


@pytest.mark.parametrize(("name", "text", "kind", "topic"), QUESTIONS)
def test_what_a_question_asks_for_is_told_and_of_what(name: str, text: str, kind: str, topic: str) -> None:
    found = heard(text, name)
    assert (found.question, found.topic) == (kind, topic)
    assert found.clear


def test_a_question_gives_no_reason_and_agrees_with_nothing() -> None:
    asked = heard("but why do we need the fee difference? C has messages free?", PLANS)
    assert not asked.cues
    assert asked.stance == ""
    reason = heard("no, subtract the fee of A from the fee of C because you pay it anyway. ok?", PLANS)
    assert reason.cues


def test_a_word_of_the_problem_is_nobodys_name() -> None:
    assert heard("are they alike", BAGS).addressed == ""
    assert heard("alcie what did you get", BAGS).addressed == "Alice"


BESIDE = {
    "brb": "away",
    "wait i have to go to the toilet brb": "away",
    "one sec": "away",
    "can i get some water": "away",
    "我去上个厕所": "away",
    "马上回来": "away",
    "done!": "done",
    "im finished": "done",
    "做完了": "done",
    "done?": "",
    "whatever": "fed_up",
    "meh": "fed_up",
    "this is boring lol do you like minecraft": "fed_up",
    "随便": "fed_up",
    "poop": "rude",
    "this is gay": "rude",
    "u suck": "rude",
    "ur mom is 5 bags": "rude",
    "便便": "rude",
    "im back": "",
    "我回来了": "",
}


@pytest.mark.parametrize("text", BESIDE)
def test_small_talk_is_heard(text: str) -> None:
    found = heard(text, BAGS)
    assert found.matter == BESIDE[text]
    assert found.clear
    assert not found.claims
    assert found.stance != "agrees"


@pytest.mark.parametrize("text", ["69", "420 lol", "do you like minecraft", "67"])
def test_a_joke_is_off_the_topic(text: str) -> None:
    found = heard(text, PRICE)
    assert found.off_topic
    assert not found.claims


def test_work_counts_even_in_a_bad_mood() -> None:
    assert [one.value for one in heard("i mean bags. 5 bags idc", BAGS).claims] == ["5 bag"]
    assert [one.value for one in heard("bob is dumb its 5 bags", BAGS).claims] == ["5 bag"]
    assert [one.value for one in heard("done! its 3 feet", STEPS).claims] == ["3 foot/step"]
