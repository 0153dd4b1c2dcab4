"""What is kept of a set of problems."""

from __future__ import annotations

from typing import Any

import msgspec

from eduverse_mesa.pupils.setups import (
    SOMEBODY,
    About,
    about,
    document_of,
    is_usual,
    one_problem,
    with_end,
    write_setup,
)
from eduverse_mesa.scenarios.groups import default_peers
from eduverse_mesa.store import AssignmentRow
from tests.models.groups import problem, setup


def row(setup: str) -> AssignmentRow:
    return AssignmentRow("id", "Week 1", setup, "teacher", "")


def document(*peers: dict[str, Any]) -> dict[str, Any]:
    found = setup(None).model_dump(mode="json", by_alias=True)
    several = (problem("steps_and_distance"), problem("race_fuel_zh"))
    return {
        **found,
        "problems": [one.model_dump(mode="json", by_alias=True) for one in several],
        "peers": list(peers) or [one.model_dump(mode="json") for one in default_peers("en")],
        "seats": [],
    }


def test_peers_nobody_has_chosen_are_called_as_the_language_of_the_problem_has_it() -> None:
    usual = row(write_setup(document(), About()))
    assert [one.name for one in one_problem(usual, 1).peers] == [one.name for one in default_peers("en")]
    assert [one.name for one in one_problem(usual, 2).peers] == [one.name for one in default_peers("zh")]
    assert is_usual(document_of(usual)["peers"])
    chosen = row(write_setup(document({"name": "Cleo", "skill": "limited", "style": ""}), About()))
    assert [one.name for one in one_problem(chosen, 2).peers] == ["Cleo"]


def test_the_mistake_of_a_problem_is_that_of_the_peer_of_limited_skill() -> None:
    strong = {"name": "Dan", "skill": "advanced", "style": ""}
    weak = {"name": "Cleo", "skill": "limited", "style": ""}
    given = About({"steps_and_distance": "subtracts"})
    peers = one_problem(row(write_setup(document(strong, weak), given)), 1).peers
    assert [(one.name, one.misconception) for one in peers] == [("Dan", None), ("Cleo", "subtracts")]
    assert [one.misconception for one in one_problem(row(write_setup(document(strong, weak), given)), 2).peers] == [
        None
    ] * 2
    assert one_problem(row(write_setup(document(strong), given)), 1).peers[0].misconception == "subtracts"


def test_a_set_that_was_given_before_sets_had_mistakes_is_read_as_it_was() -> None:
    before = document({"name": "Cleo", "skill": "limited", "style": "", "misconception": "multiplies"})
    old = row(msgspec.json.encode(before).decode())
    assert about(old) == About()
    assert one_problem(old, 1).peers[0].misconception == "multiplies"
    assert one_problem(old, 2).peers[0].misconception is None, "it is no misconception of this problem"
    ended = row(with_end(old, "2026-01-01"))
    assert about(ended).ended == "2026-01-01"
    assert document_of(ended) == before | {"seats": [SOMEBODY]}
    assert not about(row(with_end(ended, ""))).ended
