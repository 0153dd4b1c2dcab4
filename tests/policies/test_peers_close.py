"""How a dialogue with a pupil ends: not by "ok" alone, not on an open question, and with a peer's words."""

from __future__ import annotations

import pytest

from eduverse_mesa.decisions.groups import Intended
from eduverse_mesa.models.groups import GroupModel
from tests.models.groups import STEPS, with_pupil


def moves(model: GroupModel) -> list[str]:
    return [one.answer.outcome.move for one in model.journal.answers if isinstance(one.answer.outcome, Intended)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "ok"), [(STEPS, "ok"), (f"{STEPS}_zh", "好"), ("race_fuel", "yes")])
def test_who_has_only_said_ok_is_asked_for_something_of_their_own_and_not_for_ever(
    name: str, ok: str, seed: int
) -> None:
    model = with_pupil(*[ok, "..."] * 16, name=name, seed=seed)
    back = [one for one in moves(model) if one in ("ask_back", "ask_number")]
    assert 1 <= len(back) <= 2
    assert model.solved
    assert model.dialogue[-1].speaker != "Mia"


@pytest.mark.parametrize("seed", range(4))
def test_who_has_worked_something_out_is_not_asked_back(seed: int) -> None:
    model = with_pupil("60/20=3 so one step is 3 feet", *["ok", "..."] * 14, seed=seed)
    assert not {"ask_back", "ask_number"} & set(moves(model))
    assert model.solved


@pytest.mark.parametrize("seed", range(4))
def test_a_question_at_the_end_is_answered_before_the_end(seed: int) -> None:
    model = with_pupil("60/20=3 so one step is 3 feet", *["ok", "..."] * 5, seed=seed)
    while model.running and model.stage != "validate":
        model.hear("Mia", "ok", model.now)
        model.step()
        model.tick(max(model.now, model.due or 0))
        model.step()
    for text in ("i dont get it why 3", "ok", "ok", "ok", "bob can you explain it?", "ok", "ok"):
        if model.running:
            model.hear("Mia", text, model.now)
            model.step()
            assert model.running, "nothing ends on a pupil's words"
            model.tick(max(model.now, model.due or 0))
            model.step()
    assert model.dialogue[-1].speaker != "Mia"


@pytest.mark.parametrize("seed", [2, 3])
def test_a_wrong_value_of_a_pupil_is_asked_about_before_another_is_named(seed: int) -> None:
    model = with_pupil("ok", "ok", "ok", "ok", seed=seed, misconception="reads_twelve")
    while model.stage != "execute":
        model.tick(max(model.now, model.due or 0))
        model.step()
    assert not any(claim.about == "half_way" for one in model.dialogue for claim in one.meaning.claims)
    model.hear("Mia", "half of the steps are 40 feet", model.now)
    model.step()
    model.tick(max(model.now, model.due or 0))
    model.step()
    assert moves(model)[-1] == "wonder"
    assert "30" not in model.dialogue[-1].text
