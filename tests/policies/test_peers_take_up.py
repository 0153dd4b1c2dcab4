"""What a pupil has worked out is taken up: nobody asks how after it was shown, nobody hands it out again."""

from __future__ import annotations

import pytest

from eduverse_mesa.decisions.groups import Intended
from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.models.groups.record import STAGES
from tests.models.groups import STEPS, with_pupil


def moves(model: GroupModel) -> list[str]:
    return [one.answer.outcome.move for one in model.journal.answers if isinstance(one.answer.outcome, Intended)]


SHOWN = [
    (STEPS, "60 divided by 20 is 3, so 3 feet per step"),
    (STEPS, "60/20=3"),
    (STEPS, "its 3 because 60/20=3"),
    (f"{STEPS}_zh", "60÷20=3，一步3英尺"),
    ("equal_discounts", "18/15=1.2 and 1.2*100=120 so the price is 120 dollars"),
    ("equal_discounts_zh", "18÷15=1.2，1.2×100=120，价格是120美元"),
    ("desert_growth", "4*15=60 square miles in one day"),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "text"), SHOWN)
def test_who_has_shown_how_is_not_asked_how(name: str, text: str, seed: int) -> None:
    ok = "好" if name.endswith("zh") else "ok"
    model = with_pupil(ok, text, ok, text, ok, name=name, seed=seed)
    assert "early_result" not in moves(model)
    assert {"take_up", "take_up_other", "plan_differs", "same_value"} & set(moves(model))


@pytest.mark.parametrize("seed", range(3))
def test_who_has_only_said_a_value_is_asked_once_whoever_asks(seed: int) -> None:
    model = with_pupil("one step is 3 feet", "one step is 3 feet", "3 feet", "its 3 feet", seed=seed)
    early = [one for one in moves(model) if one == "early_result"]
    assert len(early) == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "text"), SHOWN)
def test_what_a_pupil_has_worked_out_is_given_to_nobody(name: str, text: str, seed: int) -> None:
    model = with_pupil(text, *["..."] * 5, name=name, seed=seed)
    done = {claim.about for one in model.dialogue if one.speaker == "Mia" for claim in one.meaning.claims}
    assert done
    for one in model.dialogue:
        handed = {task for task, _ in one.meaning.gives} | set(one.meaning.takes)
        assert not handed & done, one.text


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_solution_leads_through_all_stages_in_order_and_quickly(seed: int) -> None:
    model = with_pupil("60/20=3 so one step is 3 feet", *["ok", "..."] * 10, seed=seed)
    stages = [one.stage for one in model.dialogue]
    assert stages == sorted(stages, key=list(STAGES).index)
    assert model.solved
    assert model.turn < 26
