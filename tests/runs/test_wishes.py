"""How many of a policy's wishes gave way, to what, and why; and that every report says it where it is often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eduverse_mesa.decisions import Outcome, Plan, Planned
from eduverse_mesa.policies import by_agent, make_policy
from eduverse_mesa.policies.recorded import ScriptedPolicy
from eduverse_mesa.runs.classroom import Run, run_course
from eduverse_mesa.runs.tables import results
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.run import report_tables, run_report
from eduverse_mesa.visualization.reports.text import render_text


def run_with(script: Callable[[Any], Outcome | None], who: str = "Liu Li", steps: int = 10) -> Run:
    embedded = make_policy("embedded")
    own = ScriptedPolicy(script, rest=embedded)  # type: ignore[arg-type]
    own.name = "stubborn"
    scenario = load_scenario(steps=steps, settings={"pacing.mode": "fixed"})
    return run_course(scenario, seed=1, policy=by_agent({who: own}, rest=embedded))


def stands(decision: Any) -> Outcome | None:
    return Planned("Me!", "stand_answer") if isinstance(decision, Plan) else None


def wishes(run: Run) -> dict[str, dict[str, Any]]:
    return {one["policy"]: one for one in results(run)["wishes"]}


def test_what_gave_way_is_counted_for_each_policy_with_to_what_and_why() -> None:
    run = run_with(stands)
    found = wishes(run)
    mine = next(one for name, one in found.items() if name != "embedded")
    model = run.lessons[0].model
    gone = [row for row in model.journal.rejections if row.wanted == "stand_answer"]
    assert mine["wishes"] == 10
    assert mine["gave_way"] == len(gone) > 5
    assert mine["share"] == len(gone) / 10
    assert sum(one["count"] for one in mine["reasons"]) == len(gone)
    assert {(one["wanted"], one["replaced_by"], one["reason"]) for one in mine["reasons"]} == {
        (row.wanted, row.replaced_by, row.reason) for row in gone
    }
    assert f"{len(gone)} of 10 actions" in mine["warning"]
    assert "the teacher has not called this student" in mine["warning"]


@pytest.mark.parametrize("scenario", ["first_lesson", "mathematics_30"])
def test_to_wait_for_ones_turn_is_no_wish_that_gave_way(scenario: str) -> None:
    run = run_course(load_scenario(scenario, steps=20), seed=1)
    assert run.lessons[0].model.journal.rejections
    (one,) = wishes(run).values()
    assert one["gave_way"] == 0
    assert one["warning"] is None


def test_every_report_warns_where_it_is_often() -> None:
    run = run_with(stands)
    warning = next(one["warning"] for one in results(run)["wishes"] if one["warning"])
    told = warning.partition(":")[0]
    assert told.endswith("were not possible at that moment and became others")
    shown = run_report(report_tables(run))
    assert told in render_text(shown, 1000)
    assert told in render_page(shown)


def test_no_report_warns_where_it_is_rare() -> None:
    calm = run_course(load_scenario(steps=10), seed=1)
    shown = run_report(report_tables(calm))
    assert shown.warnings == []
    assert "Plan.permitted" not in render_page(shown)


def test_an_act_that_does_not_exist_is_told_like_any_other() -> None:
    run = run_with(lambda decision: Planned("Hop!", "juggle") if isinstance(decision, Plan) else None)
    mine = next(one for one in results(run)["wishes"] if one["gave_way"])
    assert "juggle" in mine["warning"]
    assert "there is no such behaviour" in {one["reason"] for one in mine["reasons"]}
