"""Profiles, on something that is known: two numbers and what they yield."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.calibration.report import Calibration, best_learned, profile
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.realism import calibration_report
from tests.experiments.calibration.test_fit import FREE_TOY, TOY, TRUTH, WANTED, fitted


@pytest.fixture(scope="module")
def profiles() -> pd.DataFrame:
    return profile(fitted(), FREE_TOY, WANTED, points=9, lessons=2, work=TOY)


def test_the_misfit_is_least_where_the_truth_lies_and_level_where_nothing_depends_on_it(profiles: pd.DataFrame) -> None:
    for name, truth in TRUTH.items():
        rows = profiles[profiles["parameter"] == name]
        best = rows.loc[rows["misfit"].idxmin()]
        assert best["value"] == pytest.approx(truth, abs=0.1)
        assert rows["misfit"].iloc[0] > 5 < rows["misfit"].iloc[-1]
    assert np.ptp(profiles.loc[profiles["parameter"] == "idle", "misfit"]) == pytest.approx(0)


def test_points_span_what_was_expected_and_hold_the_fitted_value(profiles: pd.DataFrame) -> None:
    for _, rows in profiles.groupby("parameter"):
        assert len(rows) == 10
        assert rows["value"].is_monotonic_increasing
        assert rows["fitted"].iloc[0] in set(rows["value"])
        assert rows["value"].min() < -0.8
        assert rows["value"].max() > 0.8


def test_points_stay_within_the_range() -> None:
    narrow = {name: parameter.model_copy(update={"range": (-1.0, 0.9)}) for name, parameter in FREE_TOY.items()}
    found = profile(fitted(), narrow, WANTED, parameters=("a",), points=3, lessons=1, work=TOY)
    assert set(found["parameter"]) == {"a"}
    assert -1.0 <= found["value"].min() < found["value"].max() <= 0.9


def test_the_best_learned_come_first() -> None:
    assert set(best_learned(fitted(), 2)) == set(TRUTH)


@pytest.mark.parametrize(("points", "lessons"), [(2, 1), (3, 0)])
def test_too_little_for_a_profile(points: int, lessons: int) -> None:
    with pytest.raises(EduverseError, match="too little"):
        profile(fitted(), FREE_TOY, WANTED, points=points, lessons=lessons, work=TOY)


def test_the_report_shows_profiles_where_there_are_any(profiles: pd.DataFrame) -> None:
    row = {"target": "sum", "group": "rates", "wanted": 0.3, "sd": 0.05, "before": 0.1, "after": 0.3}
    bare = Calibration(fitted(), pd.DataFrame([row]))
    assert "One parameter moved" not in render_page(calibration_report(bare))
    page = render_page(calibration_report(replace(bare, profiles=profiles)))
    assert "One parameter moved" in page
    assert bare.document()["profiles"] == []
    assert {row["parameter"] for row in replace(bare, profiles=profiles).document()["profiles"]} == set(FREE_TOY)
