"""Peers that have made no mistake doubt nothing that is true, forget what was taken back, and contradict nobody who
agrees with them: whole dialogues over all problems, in English and in Chinese."""

from __future__ import annotations

import copy
from functools import cache

import pytest

from eduverse_mesa.decisions.groups import Message
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.scenarios.loader import load_collaboration
from tests.models.groups import problem
from tests.policies.test_bookings import lines_of
from tests.policies.test_peers_and_pupils import NINE
from tests.policies.test_peers_in_talk import answered, moves

DOUBTED = lines_of("doubted.yaml")
OPEN = {
    "40 - 24 = 16", "there are 16 more cups of blue", "35 - 28 = 7", "you pay 102 dollars then", "每袋一共5样东西",
}  # fmt: skip
"""Sentences that are true, and by which pupils come to a usual mistake: peers say what speaks against that."""
EVERY = (*NINE, *(f"{name}_zh" for name in NINE))
STAGES_OF_WORK = ("plan", "execute", "validate")


@cache
def begun(stage: str, name: str, misconception: str | None = None) -> GroupModel:
    """A group with Mia in it as a stage begins; one of the peers may have a mistake."""
    found = load_collaboration(problem=problem(name))
    first, second = (one.model_copy(update={"misconception": None, "skill": "advanced"}) for one in found.peers)
    if misconception is not None:
        first = first.model_copy(update={"misconception": misconception, "skill": "limited"})
    rules = found.settings.model_copy(update={"goes_on": 60})
    setup = found.model_copy(update={"peers": (first, second), "seats": ("Mia",), "settings": rules})
    model = GroupModel(setup, problem=problem(name), seed=1)
    while model.stage != stage:
        answered(model)
    return model


def say(model: GroupModel, text: str) -> list[Message]:
    """Mia says something; what was said then, hers first."""
    before = len(model.dialogue)
    model.hear("Mia", text, model.now)
    model.step()
    answered(model)
    return model.dialogue[before:]


def says_of(name: str) -> list[str]:
    return [text for problem_name, text in DOUBTED if problem_name == name and text not in OPEN]


def test_the_lines_are_many_and_of_every_problem() -> None:
    assert len(DOUBTED) >= 60
    assert {name for name, _ in DOUBTED} == set(EVERY)
    assert len(OPEN) / len(DOUBTED) < 0.06


@pytest.mark.parametrize("stage", STAGES_OF_WORK)
@pytest.mark.parametrize("name", EVERY)
def test_nothing_true_is_doubted(name: str, stage: str) -> None:
    doubted = {}
    for text in says_of(name):
        _, *replies = say(copy.deepcopy(begun(stage, name)), text)
        assert replies
        if any(one.meaning.stance == "disagrees" or one.meaning.cues for one in replies):
            doubted[text] = [one.text for one in replies]
    assert not doubted


@pytest.mark.parametrize("name", EVERY)
def test_nothing_true_is_booked_or_noted_as_a_wrong_answer(name: str) -> None:
    for text in says_of(name):
        model = copy.deepcopy(begun("execute", name))
        say(model, text)
        of_mia = [one for one in model.journal.errors if one.of == "Mia"]
        assert not of_mia, text


@pytest.mark.parametrize(("name", "text", "says"), [
    ("ribbon_bracelets", "8 + 4 = 12", "8 + 4 is 12"), ("ribbon_bracelets_zh", "8+4=12", "8 + 4是12"),
    ("equal_discounts", "120 - 18 = 102", "120 - 18 is 102"), ("race_fuel", "5 x 100 = 500", "5 x 100 is 500"),
])  # fmt: skip
def test_a_calculation_that_comes_out_is_said_to_and_asked_about(name: str, text: str, says: str) -> None:
    model = copy.deepcopy(begun("execute", name))
    reply = say(model, text)[-1]
    assert moves(model)[-1] == "which_sum"
    assert says in reply.text


@pytest.mark.parametrize(("name", "wrong"), [
    ("steps_and_distance", "60-20=40 so one step is 40 feet"), ("steps_and_distance", "each step is 1200 feet"),
    ("ribbon_bracelets", "one more yard gives 12 more bracelets"), ("treat_bags", "he can pack 75 bags"),
    ("steps_and_distance_zh", "一步是40英尺"),
])  # fmt: skip
def test_what_is_wrong_is_still_doubted(name: str, wrong: str) -> None:
    replies = say(copy.deepcopy(begun("execute", name)), wrong)[1:]
    assert any(one.meaning.stance == "disagrees" for one in replies)


# --- taking back ---

JOKES = {
    "en": ("jk", "just kidding", "lol jk", "nvm", "never mind", "i was joking", "forget it", "haha kidding guys"),
    "zh": ("开玩笑的", "我开玩笑的啦", "哈哈开个玩笑", "逗你们玩的", "当我没说"),
}


def wrong_of(model: GroupModel, zh: bool) -> str:
    """Something wrong about what is asked."""
    wrong = [one.id for one in model.sheet.options if one.id not in model.peers[0].chosen]
    if wrong:
        return f"选{wrong[0]}" if zh else f"it is {wrong[0]}"
    return "是777" if zh else "its 777"


@pytest.mark.parametrize("name", EVERY)
def test_who_was_only_joking_holds_nothing_and_is_told_so(name: str) -> None:
    zh = name.endswith("_zh")
    for stage in ("execute", "validate"):
        for joke in JOKES["zh" if zh else "en"]:
            model = copy.deepcopy(begun(stage, name))
            say(model, wrong_of(model, zh))
            held = [one for one in model.record.stated.values() if one.speaker == "Mia"]
            assert held or "Mia" in model.record.chosen, "or there would be nothing to take back"
            said, *replies = say(model, joke)
            assert said.meaning.retracts
            assert not [one for one in model.record.stated.values() if one.speaker == "Mia"]
            assert "Mia" not in model.record.chosen
            assert moves(model)[-1] == "forget_it", (joke, replies)
            assert not [key for key in model.ledger.open if key[0] == "Mia"]


@pytest.mark.parametrize(("name", "text"), [
    ("steps_and_distance", "1200 jk"), ("steps_and_distance", "its 1200 lol just kidding"),
    ("steps_and_distance_zh", "是1200 开玩笑的"),
])  # fmt: skip
def test_a_joke_in_one_breath_claims_nothing(name: str, text: str) -> None:
    model = copy.deepcopy(begun("execute", name))
    say(model, text)
    assert not [one for one in model.record.stated.values() if one.speaker == "Mia"]
    assert moves(model)[-1] == "forget_it"


def test_what_was_held_before_stands_again_after_a_joke() -> None:
    model = copy.deepcopy(begun("execute", "steps_and_distance"))
    for text in ("one step is 3 feet because 60/20", "no one step is 1200 feet", "jk"):
        say(model, text)
    assert model.record.stated["step_length", "Mia"].value == "3 foot/step"


@pytest.mark.parametrize(
    "text", ["no joke it is 3 feet", "i forget what we do", "nevermind about that, one step is 3 feet"]
)
def test_other_words_take_nothing_back_that_is_said_with_them(text: str) -> None:
    model = copy.deepcopy(begun("execute", "steps_and_distance"))
    said = say(model, text)[0]
    assert not said.meaning.retracts or said.meaning.claims


# --- agreeing ---

CONSENT = {
    "en": ("i agree with {peer}", "{peer} is right", "yes {value}, i agree", "ok so its {value} then", "you're right"),
    "zh": ("我同意{peer}", "{peer}说得对", "对，是{value}", "你说得对"),
}


@pytest.mark.parametrize(
    "name", ["steps_and_distance", "race_fuel", "race_fuel_zh", "treat_bags", "equal_discounts_zh"]
)
def test_nobody_contradicts_who_agrees_with_them(name: str) -> None:
    tried, model = 0, copy.deepcopy(begun("execute", name, problem(name).misconceptions[0].id))
    zh, at_odds = name.endswith("_zh"), {}
    for _ in range(8):
        last = model.dialogue[-1]
        if last.speaker != "Mia" and last.meaning.claims:
            value = last.meaning.claims[0].value.partition(" ")[0]
            for form in CONSENT["zh" if zh else "en"]:
                text = form.format(peer=last.speaker, value=value)
                replies = say(copy.deepcopy(model), text)[1:]
                tried += 1
                if any(one.speaker == last.speaker and one.meaning.stance == "disagrees" for one in replies):
                    at_odds[last.text, text] = [one.text for one in replies]
        if not model.running:
            break
        say(model, "嗯" if zh else "ok")
    assert tried
    assert not at_odds
