"""A scenario written down is the same scenario when it is read again."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.loader import load_scenario
from eduverse_mesa.scenarios.scenario import dump_scenario, fingerprint
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import inline

# Letters of all scripts, but no line ends of Unicode: YAML folds those where JSON does not.
letters = st.characters(exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp"))
shares = st.floats(0, 1)
names = st.text(letters, min_size=1, max_size=20).filter(lambda name: name.strip() != "")
texts = st.text(letters, max_size=60)
cells = st.sampled_from([(x, y) for x in range(8) for y in (2, 4)])


@st.composite
def scenarios(draw: st.DrawFn) -> dict[str, Any]:
    """Variations of the small scenario, as a user might write them."""
    data = deepcopy(inline())
    data["title"] = draw(texts)
    for number, student in enumerate(data["class"]["students"]):
        student["name"] = f"{number} {draw(names)}"
        student["traits"] = draw(st.dictionaries(st.sampled_from(["openness", "neuroticism"]), shares))
        student["portrait"] = {"language_style": draw(texts)}
        student["speech"] = {"hedging": draw(st.none() | shares), "fillers": draw(st.lists(names, max_size=2))}
        student["perception"] = draw(st.none() | st.just({"radius": 3.5}))
    data["settings"] = {
        "steps": draw(st.integers(1, 1000)),
        "gate": {"threshold": draw(shares)},
        "ablation": draw(st.lists(st.sampled_from(["nocog", "nolocal"]), max_size=2)),
        "parameters": {"attention.base": draw(st.floats(-2, 3))},
    }
    data["seating"] = {data["class"]["students"][1]["name"].strip(): draw(cells | st.sampled_from(["b", "c"]))}
    data["lessons"][0]["demand"] = draw(shares)
    return data


@given(scenarios())
def test_a_dump_is_read_as_the_same_scenario(data: dict[str, Any]) -> None:
    scenario = load_scenario(data)
    dump = dump_scenario(scenario)
    again = load_scenario(json.loads(json.dumps(dump, allow_nan=False)))
    assert again == scenario
    assert dump_scenario(again) == dump
    assert fingerprint(again) == fingerprint(scenario)


@given(scenarios())
def test_a_dump_as_json_is_a_scenario_file(data: dict[str, Any]) -> None:
    scenario = load_scenario(data)
    text = json.dumps(dump_scenario(scenario), ensure_ascii=False)
    read = parse(text, "F").data
    assert isinstance(read, dict)
    assert load_scenario(read) == scenario


@pytest.mark.parametrize("name", list_names("scenario"))
def test_built_in_scenarios_are_kept(name: str) -> None:
    scenario = load_scenario(name)
    assert load_scenario(dump_scenario(scenario)) == scenario


def test_a_fingerprint_tells_scenarios_apart_and_nothing_else() -> None:
    scenario = load_scenario(inline())
    shuffled = dict(reversed(dump_scenario(scenario).items()))
    assert fingerprint(load_scenario(shuffled)) == fingerprint(scenario)
    assert len(fingerprint(scenario)) == 16
    assert int(fingerprint(scenario), 16) >= 0
    others: list[dict[str, object]] = [
        {"gate.threshold": 0.61},
        {"class.students.Ann.age": 14},
        {"lessons.0.title": "x"},
        {"seating.Bob": "c"},
    ]
    prints = {fingerprint(load_scenario(inline(), settings=other)) for other in others}
    assert len(prints | {fingerprint(scenario)}) == 5
