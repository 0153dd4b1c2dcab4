"""When a peer gives way: for a reason, and only with what it has said itself."""

from __future__ import annotations

import pytest

from eduverse_mesa.models.groups import GroupModel
from tests.models.groups import STEPS, with_pupil


def changed_unheard(model: GroupModel) -> list[str]:
    """Changes of mind of peers who had told nobody before what they thought."""
    found = []
    for row in model.journal.revisions:
        before = [one.meaning for one in model.dialogue if one.speaker == row.peer and one.turn < row.turn]
        if not any(one.claims or one.plans or one.chosen for one in before):
            found.append(f"{row.peer}: {row.before} to {row.after}")
    return found


EARLY = {
    STEPS: ("One step is much shorter than the line, so we have to share it out", "multiplies"),
    "equal_discounts": ("15% is not 15 dollars, it's 15 for every hundred", "percent_are_dollars"),
    "equal_discounts_zh": ("15%不是15美元，是每100美元里的15", "percent_are_dollars"),
    "treat_bags": ("5 goes into both but 15 is greater and goes into both too", "stops_at_five"),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", EARLY)
def test_nobody_takes_back_what_it_has_not_said(name: str, seed: int) -> None:
    reason, misconception = EARLY[name]
    model = with_pupil(reason, "ok", reason, "ok", reason, name=name, seed=seed, misconception=misconception)
    assert changed_unheard(model) == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("question", "name", "misconception"),
    [
        ("why do we need the fee difference? C has messages free?", "phone_plans", None),
        ("why is one step much shorter than the line?", STEPS, "multiplies"),
        ("is 15 for every hundred dollars not 15 dollars?", "equal_discounts", "percent_are_dollars"),
        ("为什么一步要比整条线短？", f"{STEPS}_zh", "multiplies"),
    ],
)
def test_nobody_gives_way_to_a_question(question: str, name: str, misconception: str | None, seed: int) -> None:
    model = with_pupil("ok", *[question] * 6, name=name, seed=seed, misconception=misconception)
    assert [row for row in model.journal.revisions if row.by == "Mia"] == []


@pytest.mark.parametrize("question", ["why 5?", "5??", "how do you get 5?"])
def test_who_asks_about_a_value_is_not_praised_for_it(question: str) -> None:
    model = with_pupil("480 miles per gallon", "ok", "ok", "its 600-120=480", "480", question, name="race_fuel")
    assert not any("looked again" in one.text or "Now we have the same" in one.text for one in model.dialogue[-1:])


def test_a_pupil_who_insists_on_a_wrong_calculation_wins_no_more_by_saying_it_again() -> None:
    won = []
    for seed in range(24):
        model = with_pupil(
            *["60/20=3 so one step is 3 feet"] + ["bob, 20+20=40 so one step is 40 feet"] * 9,
            seed=seed,
            misconception="turns_round",
        )
        won += [row for row in model.journal.revisions if row.by == "Mia" and row.after.startswith("40 ")]
    assert won == []


def test_a_third_is_asked_in_where_two_go_round_in_circles() -> None:
    asked = 0
    for seed in range(6):
        model = with_pupil(*["60/20=3 so one step is 3 feet"] * 10, seed=seed, misconception="subtracts")
        against = [one for one in model.dialogue if one.stage == "execute" and one.meaning.stance == "disagrees"]
        by_alice = [one.turn for one in against if one.speaker == "Alice"]
        if len(by_alice) > 1:
            asked += 1
            assert any(one.speaker == "Bob" and one.turn <= by_alice[1] + 2 for one in against)
    assert asked
