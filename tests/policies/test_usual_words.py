"""Words for acts that somebody else has chosen: a model says what a peer does, and has no words for it."""

from __future__ import annotations

import re
from functools import cache
from itertools import product

import msgspec
import pytest

from eduverse_mesa.decisions.groups import Intended, Meaning, PeerView, Utter, Uttered
from eduverse_mesa.models.groups import STAGES
from eduverse_mesa.policies.embedded.groups.phrases import load_phrases
from eduverse_mesa.policies.embedded.groups.wording import utter
from eduverse_mesa.randomness import Address
from tests.models.groups import Instead, group


def views_of(problem: str) -> dict[tuple[str, str], tuple[Address, PeerView]]:
    """What each peer knew in each stage when it spoke last."""
    found: dict[tuple[str, str], tuple[Address, PeerView]] = {}

    def note(decision: Utter) -> Uttered:
        found[decision.view.stage, decision.view.name] = decision.at, decision.view
        return utter(decision)

    group(problem, None, policy=Instead(utter=note), rules={"turns": 60}).run()
    return found


@cache
def plain_words(language: str = "en") -> set[str]:
    """What is said where nothing else fits."""
    phrases = load_phrases(language)
    every = [*phrases.at("moves", "anyway"), *phrases.at("moves", "anyway_asks"), ""]
    return {re.sub(r"\[[^]]*\]", word, one) for one in every for word in ("Hm", "Hmm", "Well")}


@pytest.mark.parametrize("problem", ["steps_and_distance", "poster_frame", "phone_plans"])
def test_whatever_act_a_model_chooses_there_are_words_for_it(problem: str) -> None:
    views = views_of(problem)
    assert {stage for stage, _ in views} == set(STAGES)
    for (stage, name), (at, view) in views.items():
        other = next(one for one in view.members if one != name)
        topics = ("", view.work[-1].variable, *(("choice",) if view.verdicts else ()))
        picks = tuple(one.option for one in view.verdicts if one.right)
        every = product(STAGES[stage].acts, topics, ("", other), ((), picks), ("", "disagrees"))
        for act, topic, to, chosen, stance in every:
            meaning = Meaning(act=act, topic=topic, addressed=to, chosen=chosen, stance=stance)
            decision = Utter(at, view, Intended(meaning))
            assert utter(decision).text.strip() not in plain_words(), (stage, meaning)


def test_words_fail_over_to_the_rules_in_the_middle_of_a_models_turn() -> None:
    """What is meant came from a model, and its words did not."""

    def unworded(decision: Utter) -> Uttered:
        return utter(msgspec.structs.replace(decision, intended=msgspec.structs.replace(decision.intended, move="")))

    model = group(policy=Instead(utter=unworded), rules={"turns": 30}).run()
    assert model.solved


def test_who_greets_or_is_lost_at_the_beginning_is_told_what_is_asked() -> None:
    """And not the first step on the way to it: half of the steps is what nobody asks for."""
    for seed in range(8):
        for words in ("hi", "idk what to do"):
            model = group(people=["Mia"], seed=seed, rules={"wait_alone": 0, "wait_shared": 0})
            model.hear("Mia", words, 1.0)
            model.step()
            model.tick(2.0)
            model.step()
            answer = model.dialogue[-1]
            assert answer.speaker != "Mia"
            assert "half" not in answer.text, answer.text
