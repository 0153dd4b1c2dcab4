"""A study of the classroom: what matters is found, what cannot matter is not, and it goes on where it was left."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.sensitivity import (
    Method,
    Sensitivity,
    Study,
    analyse,
    choose_parameters,
    find_sensitivity,
    name_of,
    read_factor,
)
from eduverse_mesa.experiments.subjects import scenario_of

pytestmark = pytest.mark.xdist_group("sensitivity")  # what they share is played once

# What is forgotten between lessons cannot matter to the first.
INPUTS = choose_parameters(["attention.base", "carry.state"], around="range")
STUDY = Study(
    inputs=(*INPUTS, read_factor("students=4:6")),
    method=Method("morris", 4),
    measures=("bec.b_offtask", "talk.I_rate"),
    seeds=2,
    settings={"steps": 8},
)


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return find_sensitivity(STUDY)


def index(found: Sensitivity, measure: str, name: str) -> dict[str, float]:
    """An index of each input on one measure."""
    rows = found.indices[found.indices["measure"] == measure]
    return dict(zip(rows["input"].tolist(), rows[name].astype(float).tolist(), strict=True))


def test_what_matters_is_told_from_what_cannot(found: Sensitivity) -> None:
    mu, size = index(found, "bec.b_offtask", "mu"), index(found, "bec.b_offtask", "mu_star")
    assert index(found, "bec.b_offtask", "rank")["attention.base"] == 1
    assert mu["attention.base"] < 0  # more attention, less off task
    assert size["carry.state"] == 0
    assert size["students"] > 0


def test_each_point_is_played_once_with_the_same_seeds(found: Sensitivity) -> None:
    trials = list(STUDY.trials(STUDY.method.points(STUDY.inputs)))
    points = {trial.factors["point"] for trial in trials}
    assert len(trials) == 2 * len(points) == found.runs <= STUDY.runs == 32
    assert {trial.seed for trial in trials} == {1, 2}
    sizes = {len(scenario_of(trial.scenario).roll.students) for trial in trials}
    assert sizes <= {4, 5, 6}
    assert len(sizes) > 1


def test_effects_stand_beside_what_luck_would_show(found: Sensitivity) -> None:
    spread = found.spread.set_index("measure")
    assert list(spread.index) == ["bec.b_offtask", "talk.I_rate"]
    assert bool((spread["least"] <= spread["mean"]).all())
    assert float(spread["chance"].iloc[0]) > 0
    json.dumps(found.document(), allow_nan=False)


def test_a_study_in_a_folder_goes_on_where_it_was_left(tmp_path: Path, found: Sensitivity) -> None:
    folder = tmp_path / "runs"
    first = find_sensitivity(STUDY, folder=folder)
    pd.testing.assert_frame_equal(first.indices, found.indices)
    files = sorted((folder / "results").glob("*.parquet"))
    kept = {file.name: file.stat().st_mtime_ns for file in files[3:]}
    for file in files[:3]:
        file.unlink()
    again = find_sensitivity(STUDY, folder=folder)
    pd.testing.assert_frame_equal(again.indices, first.indices)
    assert {name: (folder / "results" / name).stat().st_mtime_ns for name in kept} == kept
    with pytest.raises(SweepError, match="another sweep"):
        find_sensitivity(replace(STUDY, seeds=3), folder=folder)


def test_interval_of_sobols_method_on_planted_rows() -> None:
    study = replace(STUDY, method=Method("sobol", 64), measures=("planted",), seeds=1)
    points = study.method.points(study.inputs)
    rows = [
        {"trial": str(place), "point": name_of(study.point(row)), "seed": 1, "lesson": 1, "step": 0, "student": ""}
        | {"measure": "planted", "value": 2 * row[0]}
        for place, row in enumerate(points)
    ]
    found = analyse(study, points, pd.DataFrame(rows).drop_duplicates("point"))
    total = index(found, "planted", "ST")
    assert total == pytest.approx({"attention.base": 1, "carry.state": 0, "students": 0}, abs=0.15)


def test_what_cannot_be_studied_is_refused() -> None:
    with pytest.raises(EduverseError, match="no measure is called like"):
        find_sensitivity(replace(STUDY, measures=("joy",), seeds=1, method=Method("morris", 2)))
    with pytest.raises(EduverseError, match=r"^seeds: "):
        replace(STUDY, seeds=0)
    with pytest.raises(EduverseError, match=r"^trajectories, seeds: these are 4,000,000,000 runs"):
        replace(STUDY, seeds=250_000_000)
    with pytest.raises(EduverseError, match="nothing is varied"):
        replace(STUDY, inputs=())
