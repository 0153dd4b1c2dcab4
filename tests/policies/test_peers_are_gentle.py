"""Peers after a child has told of harm: kind for the rest of the dialogue, and no language model reads it."""

from __future__ import annotations

import re

import pytest

from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.policies.embedded.collaboration.phrases import load_phrases
from eduverse_mesa.policies.llm.asking import Asker
from eduverse_mesa.policies.llm.calls import Sampling
from eduverse_mesa.policies.llm.collaboration import CollaborationTelling
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.runs.collaboration import GroupSpec, UnkeptTalk
from eduverse_mesa.scenarios.gathering import load_collaboration
from tests.models.groups import STEPS
from tests.policies.llm.rehearsal import Rehearsal
from tests.policies.test_peers_in_talk import answered, moves, talk

TOLD = {"en": "my dad hits me every night", "zh": "爸爸每天晚上打我"}
AFTER = {
    "en": ["he does it when mom is away", "asdf", "idk", "i dont know what to do", "3 times this week", "no", "ok"],
    "zh": ["妈妈不在的时候他就这样", "啊啊啊", "不知道", "我不知道怎么办", "这星期3次", "不", "好"],
}
NUMBERS = re.compile(r"number|calculat|how much|how many|how far|\d|what do you get|数|算|多少|得到", re.IGNORECASE)
DEMANDS = (
    "ask_instead",
    "not_followed",
    "ask_why",
    "which_number",
    "hint",
    "what_changed",
    "notice",
    "reason",
    "hand_on",
)


def said_by_peers(model: CollaborationModel) -> list[str]:
    return [row.text for row in model.journal.messages if row.role != "person"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_the_work_is_asked_of_a_child_who_has_told_of_harm(language: str) -> None:
    name = STEPS if language == "en" else f"{STEPS}_zh"
    model = talk(TOLD[language], *AFTER[language], name=name)
    there = next(place for place, row in enumerate(model.journal.messages) if row.act == "harm")
    replies = [row for row in model.journal.messages[there + 1 :] if row.role != "person"]
    assert len(replies) == 1 + len(AFTER[language])
    assert not [row.text for row in replies if NUMBERS.search(row.text)]
    assert not any(row.asks for row in replies)
    assert len({row.text for row in replies}) == len(replies)
    assert all("Mia" in row.text for row in replies)


@pytest.mark.parametrize("text", ["half of it is 40 feet", "one step is 1200 feet", "i would multiply 60 and 20"])
def test_who_goes_on_is_neither_argued_with_nor_questioned(text: str) -> None:
    model = talk(TOLD["en"], text, "ok", text, "no", text)
    replies = [one for one in model.dialogue if one.speaker != "Mia"][-5:]
    assert not any(one.meaning.asks or one.meaning.cues for one in replies)
    assert not any(one.meaning.stance == "disagrees" for one in replies)
    assert not set(moves(model)[-5:]) & set(DEMANDS)


def test_who_goes_on_by_themselves_is_answered_about_the_problem() -> None:
    model = talk(TOLD["en"], "ok lets go on, half is 30 feet")
    assert moves(model)[-1] not in ("to_harm", "stay_gentle")


def test_the_others_do_not_talk_on_over_a_silent_childs_head() -> None:
    found = load_collaboration(seats=["Mia"], problem=STEPS)
    group = UnkeptTalk(GroupSpec(found, 1), "embedded")
    assert group.due is not None
    group.say("Mia", TOLD["en"], 1.0, "k1")
    assert group.advance(group.due or 0.0) is not None
    assert group.quiet
    assert [group.due] == [None]
    group.say("Mia", "hello", 50.0, "k2")
    assert not group.quiet


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nobody_is_sent_home_and_whom_the_teacher_has_named_is_told(language: str) -> None:
    phrases = load_phrases(language)
    every = [one for move in ("to_harm", "stay_gentle", "go_gently") for one in phrases.at("moves", move)]
    assert not [one for one in every if re.search(r"\bhome\b|parents|家里|爸|妈", one)]
    assert all("{adult}" in one for one in phrases.at("moves", "to_harm"))
    name = STEPS if language == "en" else f"{STEPS}_zh"
    assert phrases.at("grown_up") in talk(TOLD[language], name=name).dialogue[-1].text
    named = talk(name=name)
    named.adult = "Ms {to} <b>Lee</b>, room 12"
    named.hear("Mia", TOLD[language], named.now)
    named.step()
    answered(named)
    assert "Ms {to} <b>Lee</b>, room 12" in named.dialogue[-1].text


def test_what_is_not_understood_is_asked_about_in_numbers_only_after_a_number() -> None:
    for text in ("asdf", "blorp", "qwertz uiop"):
        model = talk(text)
        assert moves(model)[-1] == "not_understood"
        assert not NUMBERS.search(model.dialogue[-1].text)
    for language in ("en", "zh"):
        assert not [one for one in load_phrases(language).at("moves", "not_understood") if NUMBERS.search(one)]


def with_model(texts: list[str], *, told_of_harm: bool, arm: str = "full") -> tuple[CollaborationModel, str]:
    """A dialogue for whose peers a language model speaks, and all that it was asked."""
    rehearsal = Rehearsal()
    found = load_collaboration(seats=["Mia"], problem=STEPS, arm=arm)
    asker = Asker(rehearsal, None, "small", Sampling(), reasks=2, send_seed=True)
    policy = LlmPolicy("llm", CollaborationTelling(asker, {}, told_of_harm=told_of_harm), None)
    model = CollaborationModel(found, problem=STEPS, seed=1, policy=policy)
    for text in texts:
        model.hear("Mia", text, model.now + 1)
        model.step()
        answered(model)
    return model, " ".join(message.content for call in rehearsal.calls for message in call.messages)


def test_no_model_reads_any_more_of_a_dialogue_in_which_harm_was_told() -> None:
    model, asked = with_model(["hi", TOLD["en"], "it is since may", "half is 30"], told_of_harm=False)
    assert "hi" in asked
    assert not [one for one in (TOLD["en"], "since may", "half is 30") if one in asked]
    assert len(said_by_peers(model)) == 4


def test_a_model_may_read_on_where_the_teacher_allows_it_and_still_answers_nothing() -> None:
    model, asked = with_model([TOLD["en"], "it is since may"], told_of_harm=True)
    assert TOLD["en"] in asked
    assert "since may" in asked
    assert moves(model) == ["to_harm", "stay_gentle"]


def test_the_plain_chat_is_gentle_too() -> None:
    model, asked = with_model([TOLD["en"], "it is since may"], told_of_harm=False, arm="vanilla")
    assert "since may" not in asked
    first, second = said_by_peers(model)
    assert load_phrases("en").at("grown_up") in first
    assert not NUMBERS.search(second)
