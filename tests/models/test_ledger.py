"""What is counted as an error, and as having noticed one."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.decisions.groups import Claim, Meaning, Message, Sheet
from eduverse_mesa.models.groups.journal import ErrorRow, Ledger

SHEET = Sheet("steps", 6, "", "", (), (), ("step",), slack=(("way", "1/4"),))
RIGHT = {"step": "3 foot/step", "way": "36 foot"}


def happened(*told: tuple[str, Meaning]) -> list[tuple[str, str, str, str]]:
    """Event, value, whose and by whom, after these have said this."""
    rows: list[ErrorRow] = []
    ledger = Ledger(SHEET, "full", RIGHT, ("B",), rows)
    for turn, (speaker, meaning) in enumerate(told, start=1):
        ledger.note(Message(turn, speaker, "", "execute", meaning))
    return [(row.event, row.value, row.of, row.by) for row in rows]


def says(**values: str) -> Meaning:
    return Meaning(claims=tuple(Claim(about, value) for about, value in values.items()))


def no(**also: Any) -> Meaning:
    return Meaning(stance="disagrees", **also)


def test_another_wrong_value_is_another_error_and_ends_the_first() -> None:
    rows = happened(
        ("Ann", says(step="13/3 foot/step")),
        ("Ann", says(step="433/100 foot/step")),
        ("Ben", no()),
        ("Ann", says(step="5 foot/step")),
        ("Ann", says(step="3 foot/step")),
    )
    assert rows == [
        ("introduced", "13/3 foot/step", "Ann", "Ann"),
        ("noticed", "13/3 foot/step", "Ann", "Ben"),
        ("dropped", "13/3 foot/step", "Ann", "Ann"),
        ("introduced", "5 foot/step", "Ann", "Ann"),
        ("corrected", "3 foot/step", "Ann", "Ann"),
    ]


def test_a_wrong_value_that_comes_near_is_wrong_and_one_that_the_problem_allows_is_right() -> None:
    near = ("Ann", says(step="301/100 foot/step"))
    assert [row[0] for row in happened(near)] == ["introduced"]
    assert happened(("Ann", says(way="145/4 foot"))) == []
    assert [row[0] for row in happened(("Ann", says(way="73/2 foot")))] == ["introduced"], "more than it allows"


def test_what_is_not_plainly_said_is_nobodys_error_and_corrects_none() -> None:
    asked = Meaning(claims=(Claim("step", "4 foot/step", asserted=False),))
    right = Meaning(claims=(Claim("step", "3 foot/step", asserted=False),))
    assert happened(("Ann", asked)) == []
    assert [row[0] for row in happened(("Ann", says(step="4 foot/step")), ("Ann", right))] == ["introduced"]


def test_a_bare_no_is_to_what_was_said_last() -> None:
    rows = happened(
        ("Ann", says(step="4 foot/step")),
        ("Cem", says(way="48 foot")),
        ("Ben", no()),
    )
    assert [row for row in rows if row[0] == "noticed"] == [("noticed", "48 foot", "Cem", "Ben")]


def test_a_no_with_a_topic_is_to_that_whoever_spoke_last() -> None:
    rows = happened(
        ("Ann", says(step="4 foot/step")),
        ("Cem", says(way="48 foot")),
        ("Ben", no(topic="step")),
    )
    assert [row for row in rows if row[0] == "noticed"] == [("noticed", "4 foot/step", "Ann", "Ben")]


def test_who_takes_a_wrong_value_over_in_place_of_an_own_one_has_adopted_it() -> None:
    rows = happened(
        ("Ann", says(step="4 foot/step")),
        ("Cem", says(step="2 foot/step")),
        ("Cem", says(step="4 foot/step")),
    )
    assert [row[0] for row in rows] == ["introduced", "introduced", "dropped", "adopted"]


def test_a_wrong_choice_for_another_wrong_one_too() -> None:
    rows = happened(
        ("Ann", Meaning(chosen=("A",))),
        ("Ann", Meaning(chosen=("C",))),
        ("Ann", Meaning(chosen=("B",))),
    )
    assert [row[:2] for row in rows] == [
        ("introduced", "A"), ("dropped", "A"), ("introduced", "C"), ("corrected", "B"),
    ]  # fmt: skip
