"""From names, paths and mappings to a group and its problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.loader import load_collaboration
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import COLLABORATION, PROBLEM, refusal


def test_without_a_word_it_is_alice_and_bob_on_nine_problems() -> None:
    found = load_collaboration()
    assert [(peer.name, peer.skill) for peer in found.peers] == [("Alice", "limited"), ("Bob", "advanced")]
    assert len({problem.name for problem in found.problems}) == 9
    assert found.seats == ()


def test_a_problem_is_one_of_the_group_or_a_built_in_one_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(COLLABORATION, encoding="utf-8")
    (tmp_path / "pens.yaml").write_text(PROBLEM, encoding="utf-8")
    path = tmp_path / "two.yaml"
    assert [one.name for one in load_collaboration(path).problems] == ["steps_and_distance"]
    assert [one.name for one in load_collaboration(path, problem="race_fuel").problems] == ["race_fuel"]
    assert [one.name for one in load_collaboration(path, problem=tmp_path / "pens.yaml").problems] == ["pens"]


def test_rules_and_seats_are_changed_by_the_caller() -> None:
    found = load_collaboration(arm="vanilla", seats=["Noa"], settings={"settings.turns": 12})
    assert (found.settings.arm, found.settings.turns, found.members) == ("vanilla", 12, ("Noa", "Alice", "Bob"))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ("peers: [{name: Ann}, {name: ann, skill: advanced}]", "two members are called"),
        ("peers: [{name: Ann}]\nseats: []", "there is one member"),
        ("peers: [{name: Ann, misconception: nonsense}, {name: Ben}]", "no misconception of these problems"),
        ("problems: [steps_and_distance, steps_and_distance]", "is there twice"),
        ("settings: {parameters: {concede.cue: 3}}", "out of range"),
        ("settings: {arm: other}", "arm"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, change: str, part: str) -> None:
    data = parse(COLLABORATION, "two.yaml").data
    changed = parse(change, "change").data
    assert isinstance(data, dict)
    assert isinstance(changed, dict)
    error = refusal(load_collaboration, {**data, **changed})
    assert part in str(error)


def test_a_problem_that_is_not_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match="Built in"):
        load_collaboration(problem="no_such_problem")
