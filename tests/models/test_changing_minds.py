"""What becomes of a peer's schema when it changes its mind, and of groups in which nobody is right."""

from __future__ import annotations

import pytest

from eduverse_mesa.agents.peer import PeerAgent
from eduverse_mesa.decisions.groups import Revised
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.scenarios.groups import Peer
from eduverse_mesa.scenarios.loader import load_collaboration
from tests.models.groups import group


def alice(misconception: str | None = "multiplies") -> PeerAgent:
    return group(misconception=misconception).peer("Alice")


def test_a_corrected_value_carries_what_is_worked_out_from_it() -> None:
    peer = alice()
    [shift] = peer.take(Revised(changes={"step_length": "3 feet per step"}))
    assert (shift.variable, shift.before, shift.after) == ("step_length", "1200 foot/step", "3 foot/step")
    assert shift.carried == ("way_back",)
    assert str(peer.values["way_back"]) == "60 foot"
    assert peer.misconception is None, "nothing is left of it"


def test_who_sees_through_a_mistake_works_that_part_out_anew() -> None:
    peer = alice("reads_twelve")
    assert str(peer.values["step_length"]) == "5 foot/step"
    shifts = peer.take(Revised(understood="reads_twelve"))
    assert str(peer.values["step_length"]) == "3 foot/step"
    assert shifts[0].variable == "steps"
    assert peer.belief() is None


def test_who_takes_a_value_over_cannot_say_how_it_comes_about() -> None:
    peer = alice(None)
    peer.schema = group().peer("Bob").schema
    peer.take(Revised(changes={"half_way": "10 feet"}))
    work = next(one for one in peer.work if one.variable == "half_way")
    assert (work.shown, work.how, work.calculation, work.why) == ("10 feet", "", "", "")
    peer.take(Revised(changes={"half_way": "30 feet"}))
    work = next(one for one in peer.work if one.variable == "half_way")
    assert work.calculation == "60 / 2"


def test_a_change_that_cannot_be_thought_through_is_not_made() -> None:
    peer = alice("turns_round")
    assert peer.take(Revised(changes={"distance": "0 feet"})) == [], "20 steps divided by no feet"
    assert str(peer.values["distance"]) == "60 foot"


def test_another_ones_mistake_cannot_be_seen_through() -> None:
    with pytest.raises(PolicyError, match="no mistake of its own"):
        alice().take(Revised(understood="subtracts"))
    with pytest.raises(PolicyError, match="no choice"):
        alice().take(Revised(chosen=("Z",)))


def test_a_check_that_does_not_come_out_is_there_to_be_found() -> None:
    assert alice().failing
    assert not group().peer("Bob").failing


def test_a_group_in_which_nobody_is_right_still_comes_to_an_end() -> None:
    pair = load_collaboration().model_copy(update={"peers": (Peer(name="Ann"), Peer(name="Bea"))})
    models = [GroupModel(pair, problem=name, seed=1).run() for name in ("treat_bags", "paint_mixture")]
    assert all(model.turn < model.settings.turns for model in models)
    assert all(model.journal.ends for model in models)
