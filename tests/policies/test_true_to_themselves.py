"""Peers that somebody talks down: they do not say that they have the same, and a group that cannot agree ends so."""

from __future__ import annotations

import pytest

from eduverse_mesa.formulas.wording import alike
from eduverse_mesa.models.groups import GroupModel
from tests.models.groups import group


def insisted(seed: int, words: str = "Bob you are wrong, it is 40 feet per step") -> GroupModel:
    model = group(misconception=None, people=["Mia"], seed=seed, rules={"wait_alone": 0, "wait_shared": 0})
    while model.running:
        if "Mia" in model.floor.holders:
            model.hear("Mia", words, model.now + 1)
        else:
            model.tick(model.now + 1)
        model.step()
    return model


@pytest.mark.parametrize("seed", range(3))
def test_nobody_agrees_with_what_it_does_not_hold(seed: int) -> None:
    model = insisted(seed)
    held = {peer: {one.variable: one.value for one in model.peer(peer).work} for peer in ("Alice", "Bob")}
    assert alike(held["Bob"]["step_length"], "3 foot/step"), "insistence is no reason"
    assert not model.solved
    assert model.turn < model.settings.turns, "who only repeats moves nobody, and the group ends in disagreement"
    since = next(one.turn for one in model.dialogue if one.speaker == "Mia" and one.stage == "execute")
    after = [one for one in model.dialogue if one.speaker == "Bob" and one.turn > since]
    assert after
    assert not [one.text for one in after if one.meaning.stance == "agrees" and not one.meaning.asks]
    assert any(one.meaning.stuck for one in after)
