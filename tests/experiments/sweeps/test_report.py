"""What a sweep shows: means and intervals that can be checked by hand."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.sweeps.execution import play_sweep
from eduverse_mesa.experiments.sweeps.folder import begin_sweep, read_sweep
from eduverse_mesa.experiments.sweeps.report import ALL, group_levels, report_sweep, run_values, summarise
from eduverse_mesa.measures.intervals import mean_interval
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.sweeps import sweep_report
from eduverse_mesa.visualization.reports.text import render_text
from tests.experiments.sweeps.kit import FACTS, plan, play_all


def test_means_are_those_of_the_runs_at_a_level(tmp_path: Path) -> None:
    play_all(tmp_path, 4)
    report = report_sweep(tmp_path, ["bec.b_*"])
    tidy = read_sweep(tmp_path)
    of_round = tidy[(tidy["layout"] == "round") & (tidy["measure"] == "bec.b_active") & (tidy["student"] == "")][
        "value"
    ]
    row = report.means[(report.means["level"] == "round") & (report.means["measure"] == "bec.b_active")].iloc[0]
    assert row["mean"] == pytest.approx(of_round.mean())
    half = 3.182446305 * of_round.std(ddof=1) / 2  # Student's t of 0.975 with 3 degrees of freedom
    assert (row["low"], row["high"]) == pytest.approx((of_round.mean() - half, of_round.mean() + half))
    assert row["n"] == 4
    assert set(report.means["measure"]) == {name for name in set(tidy["measure"]) if name.startswith("bec.b_")}
    assert report.means.loc[report.means["factor"] == ALL, "n"].tolist() == [4] * 4, "seeds, not runs"
    assert "4 seeds are too few to go by: play 5 or more" in render_text(sweep_report(report))
    text, page = render_text(sweep_report(report)), render_page(sweep_report(report))
    of_active = text.split("active (bec.b_active)\n")[1].split("\n\n")[0]
    interval = f"{max(row['low'], 0):.3f} … {row['high']:.3f}"
    assert re.search(rf"layout: round +{row['mean']:.3f} +{interval} +4\b", of_active)
    assert f'<th scope="row">layout: round</th><td class="number">{row["mean"]:.3f}</td>' in page
    assert "<h2>active (bec.b_active)</h2>" in page
    assert page.count('class="chart"') == 4
    assert "http" not in page.partition("<script")[0]
    assert report.document()["means"][0]["factor"] == ALL


def test_a_course_counts_once() -> None:
    tidy = pd.DataFrame(
        [("a", 1, lesson, 0, "", "m", value) for lesson, value in ((1, 2.0), (2, 4.0))]
        + [("b", 2, 1, 0, "", "m", 9.0), ("b", 2, 1, 0, "Li", "m", 100.0), ("b", 2, 1, 3, "", "m", 100.0)],
        columns=["trial", "seed", "lesson", "step", "student", "measure", "value"],
    )
    assert run_values(tidy, [])["value"].tolist() == [3.0, 9.0]
    [row] = summarise(run_values(tidy, []), []).to_dict("records")
    assert (row["mean"], row["n"]) == (6.0, 2)


def test_what_is_said_of_the_whole_course_stands_before_its_lessons() -> None:
    rows = [("a", 1, lesson, 0, "", "m", value) for lesson, value in ((0, 10.0), (1, 0.0), (2, 2.0))]
    rows += [("a", 1, lesson, 0, "", "other", value) for lesson, value in ((1, 0.0), (2, 2.0))]
    tidy = pd.DataFrame(rows, columns=["trial", "seed", "lesson", "step", "student", "measure", "value"])
    assert run_values(tidy, []).set_index("measure")["value"].to_dict() == {"m": 10.0, "other": 1.0}


def test_a_factor_that_changes_nothing_makes_no_interval_narrower() -> None:
    """Twenty levels of it are the same three draws of luck again: what is known is what one level says."""
    luck = {1: 0.0, 2: 1.0, 3: 5.0}
    rows = [(f"{level}-{seed}", level, seed, "m", value) for level in range(20) for seed, value in luck.items()]
    values = pd.DataFrame(rows, columns=["trial", "nothing", "seed", "measure", "value"])
    told = summarise(values, ["nothing"])
    expected = mean_interval(list(luck.values()))
    assert [tuple(row) for row in told[["mean", "low", "high", "n"]].to_numpy()] == [pytest.approx(expected)] * len(
        told
    )


def test_many_numbers_are_put_in_groups_of_equal_size() -> None:
    column = pd.Series(np.linspace(0, 1, 100))
    groups = group_levels(column)
    assert next(iter(groups.cat.categories)) == "0 to 0.1919"
    assert groups.value_counts().tolist() == [20] * 5
    few = pd.Series([1, 2, 3])
    assert group_levels(few) is few


def test_what_is_not_done_is_said(tmp_path: Path) -> None:
    with begin_sweep(tmp_path, FACTS, plan(2)) as folder:
        with pytest.raises(SweepError, match="no run is done yet"):
            report_sweep(tmp_path)
        playing = play_sweep(folder, Serial())
        next(playing)
        playing.close()
    report = report_sweep(tmp_path)
    assert "3 of 4 runs are not done: no seed has played every point yet" in render_text(sweep_report(report))
    assert "3 of 4 runs are not done" in render_page(sweep_report(report))
    assert all(math.isnan(low) for low in report.means["low"]), "one run has no interval"
    assert report.document()["means"][0]["low"] is None
    with pytest.raises(SweepError, match="no measure is called wonder"):
        report_sweep(tmp_path, ["wonder"])


def test_of_a_sweep_that_is_not_done_whole_seeds_are_counted(tmp_path: Path) -> None:
    with begin_sweep(tmp_path / "half", FACTS, plan(3)) as folder:
        playing = play_sweep(folder, Serial())
        for _ in range(5):
            next(playing)
        playing.close()
    play_all(tmp_path / "two", 2)
    half, two = report_sweep(tmp_path / "half"), report_sweep(tmp_path / "two")
    pd.testing.assert_frame_equal(half.means, two.means)
    assert half.whole == 2
    assert "1 of 6 runs are not done: these are the seeds that have played every point (2)" in render_text(
        sweep_report(half)
    )


def test_a_sweep_that_measures_steps_only_is_not_said_to_be_unplayed(tmp_path: Path) -> None:
    facts = msgspec.structs.replace(FACTS, measure=("steps",), keep=("*",))
    made = [(key, msgspec.structs.replace(trial, measure=("steps",))) for key, trial in plan(1, layouts=("round",))]
    with begin_sweep(tmp_path, facts, made) as folder:
        assert len(list(play_sweep(folder, Serial()))) == 1
    with pytest.raises(SweepError, match="its runs are done, and none of its measures is one number for a run"):
        report_sweep(tmp_path)
