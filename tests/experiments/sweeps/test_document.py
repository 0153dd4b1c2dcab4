"""Sweep files: what they say, and what is told of those that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.experiments.sweeps.document import load_sweep_file
from eduverse_mesa.experiments.sweeps.plan import draw_points, plan_sweep, state_facts
from eduverse_mesa.scenarios import load_scenario
from tests.scenarios.documents import LAYOUT

CLASS = "{name: two, teacher: {name: Ms Hill}, students: [{name: Ann}, {name: Bob}]}"


def write(folder: Path, text: str) -> Path:
    file = folder / "seats.yaml"
    file.write_text("kind: sweep\nname: seats\n" + text)
    return file


def levels(folder: Path, text: str) -> list[dict[str, Any]]:
    return [
        {name: chosen.level for name, chosen in point.items()}
        for point in draw_points(load_sweep_file(write(folder, text)))
    ]


def told(folder: Path, text: str) -> str:
    with pytest.raises(EduverseError) as caught:
        plan_sweep(write(folder, text))
    return str(caught.value).replace(str(folder), "")


def test_a_grid_is_each_level_with_each(tmp_path: Path) -> None:
    found = levels(tmp_path, "factors:\n  layout: [lecture, round]\n  gate.threshold: {from: 0.4, to: 0.8, steps: 3}")
    assert found == [
        {"layout": layout, "gate.threshold": threshold}
        for layout in ("lecture", "round")
        for threshold in (0.4, 0.6, 0.8)
    ]


@pytest.mark.parametrize(
    ("spread", "wanted"),
    [
        ("{from: 6, to: 30, steps: 3}", [6, 18, 30]),
        ("{from: 0.1, to: 0.4, steps: 4}", [0.1, 0.2, 0.3, 0.4]),
        ("{from: 0.01, to: 1, steps: 3, scale: log}", [0.01, 0.1, 1.0]),
        ("{from: 1, to: 4, steps: 3, whole: true}", [1, 2, 4]),
        ('[1, 2.5, true, "0.5", round]', [1, 2.5, True, "0.5", "round"]),
        ("[[nocog], [], [nocog, nolocal]]", ["nocog", "[]", "nocog + nolocal"]),
    ],
)
def test_levels_by_their_bounds_or_one_by_one(tmp_path: Path, spread: str, wanted: list[object]) -> None:
    found = [point["key"] for point in levels(tmp_path, f"factors: {{key: {spread}}}")]
    assert json.dumps(found) == json.dumps(wanted)


def test_a_latin_hypercube_spreads_its_points_over_every_factor(tmp_path: Path) -> None:
    text = """
factors:
  layout: [lecture, round]
  a: {from: 0, to: 10}
  b: {mean: 5, sd: 2, from: 0}
  c: {from: 1, to: 4, whole: true}
design: {latin_hypercube: 40, seed: 7}
"""
    found = levels(tmp_path, text)
    assert found == levels(tmp_path, text)
    assert found != levels(tmp_path, text.replace("seed: 7", "seed: 8"))
    assert sorted(int(point["a"] * 4) for point in found) == list(range(40)), "one in each fortieth"
    assert sum(point["layout"] == "round" for point in found) == 20
    assert [sum(point["c"] == number for point in found) for number in (1, 2, 3, 4)] == [10] * 4
    normal = [point["b"] for point in found]
    assert 4.7 < sum(normal) / 40 < 5.3
    assert min(normal) >= 0


def test_a_plan_has_every_point_with_every_seed(tmp_path: Path) -> None:
    text = "factors:\n  layout: [lecture, round]\n  policy: [embedded, '@Li Wei=embedded']\nseeds: [3, 5, 3]"
    plan = plan_sweep(write(tmp_path, text))
    assert state_facts(plan) == "4 points x 2 seeds = 8 runs"
    trials = [trial for _, trial in plan.trials()]
    assert len({trial.key for trial in trials}) == 8
    assert [trial.seed for trial in trials] == [3] * 4 + [5] * 4
    assert {trial.policy for trial in trials} == {"embedded", "@Li Wei=embedded"}
    assert load_scenario(json.loads(trials[2].scenario)) == load_scenario("first_lesson", layout="round")


def test_the_base_and_the_parts_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(LAYOUT)
    (tmp_path / "base.yaml").write_text(f"kind: scenario\nname: base\nlayout: own\nclass: {CLASS}\nlessons: science\n")
    text = "scenario: base\nfactors:\n  layout: [own, ./own.yaml, round]\n"
    text += "  lesson: [renaissance, [renaissance, science]]"
    plan = plan_sweep(write(tmp_path, text))
    scenarios = [json.loads(trial.scenario) for _, trial in plan.trials()][:6]
    assert [len(scenario["lessons"]) for scenario in scenarios] == [1, 2] * 3
    assert [scenario["layout"]["name"] for scenario in scenarios[::2]] == ["nook", "nook", "round"]
    assert plan.points[1].factors == {"layout": "own", "factor.lesson": "renaissance + science"}


def test_a_scenario_can_stand_in_the_file(tmp_path: Path) -> None:
    text = "scenario:\n  name: mine\n  layout: round\n  class: six\n  lessons: science\n"
    text += "factors: {steps: [4, 6]}\nseeds: 1"
    trials = [json.loads(trial.scenario) for _, trial in plan_sweep(write(tmp_path, text)).trials()]
    assert [scenario["settings"]["steps"] for scenario in trials] == [4, 6]
    assert "seats.yaml:5:11: there is no built-in layout 'rund'" in told(tmp_path, text.replace("round", "rund"))


def test_text_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    plan = plan_sweep(write(tmp_path, 'factors: {lessons.0.title: ["0.5", "yes: no"]}\nseeds: 1'))
    assert [json.loads(trial.scenario)["lessons"][0]["title"] for _, trial in plan.trials()] == ["0.5", "yes: no"]


def test_every_level_that_is_no_scenario_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    message = told(
        tmp_path,
        """
factors:
  layout: [lecture, rond]
  gate.threshold: [0.5, 7]
  students: [6, thirty]
  policy: [embedded, lm]
  gait.threshold: [1]
""",
    )
    for told_of in (
        ":5:21: factors.layout.1: there is no built-in layout 'rond'",
        ":6:25: factors.gate.threshold.1: settings.gate.threshold: expected a number from 0 to 1",
        ":8:22: factors.policy.1: there is no policy 'lm'. Did you mean 'llm'?",
        ":9:20: factors.gait.threshold.0: settings.gait: unknown key 'gait'. Did you mean 'gate'?",
    ):
        assert told_of in message


def test_levels_that_do_not_go_together_are_told_together(tmp_path: Path) -> None:
    message = told(tmp_path, "factors:\n  layout: [lecture, rows_30]\n  students: [six, thirty]")
    assert "factors: layout lecture, students thirty:" in message
    assert "has 6 seats for 30 students" in message


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mesure: [talk]", ":3:1: mesure: unknown key 'mesure'. Did you mean 'measure'?"),
        ("seeds: 0", ":3:8: seeds: expected"),
        ("seeds: []", ":3:8: seeds"),
        ("factors: {layout: []}", ":3:19: factors.layout: there are no levels"),
        ("factors: {layout: round}", "factors.layout: expected levels, found the text 'round'. Write a list"),
        ("factors: {layout: [round, round]}", "factors.layout: a level is given twice"),
        ("factors: {layout: [3]}", "factors.layout.0: this is no layout. Write the name of a layout"),
        ("factors: {students: [true]}", "factors.students.0: this is no students"),
        ("factors: {a: {from: 3}}", "factors.a: the levels have no bounds. Give from and to"),
        ("factors: {a: {from: 3, to: 2}}", "factors.a: there is nothing from 3 to 2"),
        (
            "factors: {a: {from: 3.2, to: 3.8, steps: 2, whole: true}}",
            "the bounds of whole numbers are none themselves",
        ),
        ("factors: {a: {mean: 2, sd: 1, to: 3.5, whole: true}}", "the bounds of whole numbers are none themselves"),
        ("factors: {a: {from: -1.0e+308, to: 1.0e+308, steps: 5}}", "a bound is further from 0 than 1e+100"),
        ("measure: [lessons, talk, lessons]", "measure.2: a measurer is given twice. Remove one."),
        (
            "factors: {a: {from: 0, to: 1, steps: 1000}}\nseeds: 2000",
            "these are 2,000,000 runs. 1,000,000 are the most",
        ),
        ("factors: {a: {from: 1, to: 2, stepps: 3}}", "factors.a.stepps: unknown key 'stepps'. Did you mean 'steps'?"),
        ("factors: {a: {mean: 1, sd: -1}}", "factors.a.sd: expected a number above 0"),
        ("factors: {a: {mean: 1}}", "one of 'mean' and 'sd' is missing"),
        ("factors: {a: {mean: 1, sd: 1, steps: 3}}", "a normal distribution has no steps"),
        ("factors: {a: {from: 0, to: 1, steps: 3, scale: log}}", "a log scale begins above 0"),
        ("factors: {a: {from: 0, to: 1}}", "factors.a: a grid needs levels to be counted. Add `steps: 5`"),
        ("factors: {layout: {from: 0, to: 1}}\ndesign: {latin_hypercube: 3}", "layout cannot be any number"),
        ("factors: {a: {from: 0, to: 1, steps: 1000}, b: {from: 0, to: 1, steps: 1000}}", "has 1,000,000 points"),
        ("factors:", "factors: no factor is given"),
        ("design: cube", ":3:9: design: expected grid or a mapping"),
        ("measure: [lessens]", ":3:11: measure.0: there is no measurer 'lessens'"),
        ("scenario: nowhere", ":3:11: there is no built-in scenario 'nowhere'"),
        ("kind: scenario", "given twice"),
        ("factors: {policy: [llm]}", "no model is named"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_mend(tmp_path: Path, text: str, wanted: str) -> None:
    assert wanted in told(tmp_path, text)


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: scenario\nname: a")
    with pytest.raises(ScenarioError, match=r"a.yaml:1:7: kind: expected sweep, found the text 'scenario'"):
        load_sweep_file(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text("- a")
    with pytest.raises(ScenarioError, match="expected a sweep, a mapping"):
        load_sweep_file(tmp_path / "a.yaml")
