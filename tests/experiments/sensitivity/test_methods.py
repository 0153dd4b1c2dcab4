"""Both methods, on functions whose indices are known."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.sensitivity import Input, Method, MethodName, Points, read_factor

ISHIGAMI = [Input(name, -math.pi, math.pi, "factor") for name in ("x1", "x2", "x3")]
LINEAR = [Input("a", 0, 2, "factor"), Input("b", -1, 1, "factor"), Input("c", 5, 9, "factor")]


def column(indices: pd.DataFrame, name: str) -> dict[str, float]:
    """An index of each input."""
    return dict(zip(indices["input"].tolist(), indices[name].astype(float).tolist(), strict=True))


def ishigami(points: Points) -> list[float]:
    first, second, third = points.T
    return list(np.sin(first) + 7 * np.sin(second) ** 2 + 0.1 * third**4 * np.sin(first))


def test_sobol_finds_the_indices_of_ishigamis_function() -> None:
    method = Method("sobol", 2048)
    points = method.points(ISHIGAMI)
    assert points.shape == (2048 * 5, 3)
    found = method.indices(ISHIGAMI, points, ishigami(points))
    # Worked out by hand for a = 7, b = 0.1 (Ishigami and Homma 1990).
    assert column(found, "S1") == pytest.approx({"x1": 0.3139, "x2": 0.4424, "x3": 0.0}, abs=0.03)
    assert column(found, "ST") == pytest.approx({"x1": 0.5576, "x2": 0.4424, "x3": 0.2437}, abs=0.03)
    assert (found[["S1_conf", "ST_conf"]].to_numpy() < 0.1).all()


def test_morris_ranks_ishigamis_inputs_and_sees_that_they_play_together() -> None:
    method = Method("morris", 60)
    points = method.points(ISHIGAMI)
    assert points.shape == (60 * 4, 3)
    found = method.indices(ISHIGAMI, points, ishigami(points))
    assert (found["mu_star"] > 1).all()
    assert (found["sigma"] > 1).all()
    assert abs(column(found, "mu")["x3"]) < column(found, "mu_star")["x3"] / 2  # both ways, which mu alone would hide


def test_morris_tells_of_a_straight_line_how_far_each_input_moves_it() -> None:
    method = Method("morris", 8)
    points = method.points(LINEAR)
    found = method.indices(LINEAR, points, list(3 * points[:, 0] - 5 * points[:, 1]))
    assert column(found, "mu") == pytest.approx({"a": 6, "b": -10, "c": 0}, abs=1e-9)
    assert column(found, "mu_star") == pytest.approx({"a": 6, "b": 10, "c": 0}, abs=1e-9)
    assert column(found, "sigma") == pytest.approx({"a": 0, "b": 0, "c": 0}, abs=1e-9)


@pytest.mark.parametrize("text", ["sessions=1:2", "students=20:22", "students=20:24", "students=20:30", "steps=3:9"])
def test_morris_tells_of_whole_numbers_what_their_whole_range_does(text: str) -> None:
    """The result is the input itself, so its effect is the range, wherever it is looked at."""
    inputs = [read_factor(text), read_factor("interest=0.2:0.8")]
    method = Method("morris", 12)
    points = method.points(inputs)
    found = method.indices(inputs, points, [inputs[0].at(row[0]) for row in points])
    assert column(found, "mu_star") == pytest.approx({inputs[0].name: inputs[0].high - inputs[0].low, "interest": 0})
    assert column(found, "sigma") == pytest.approx({inputs[0].name: 0, "interest": 0}, abs=1e-9)


def test_sobol_takes_every_whole_number_as_often() -> None:
    inputs = [read_factor("students=20:23"), read_factor("sessions=1:2"), read_factor("interest=0.2:0.8")]
    points = Method("sobol", 64).points(inputs)
    for place, levels in ((0, [20, 21, 22, 23]), (1, [1, 2])):
        taken = [inputs[place].at(float(value)) for value in points[:, place]]
        assert sorted(set(taken)) == levels
        assert all(taken.count(level) / len(taken) == pytest.approx(1 / len(levels), abs=0.02) for level in levels)
    assert points[:, 2].min() >= 0.2
    assert points[:, 2].max() <= 0.8


@pytest.mark.parametrize("name", ["morris", "sobol"])
def test_what_nothing_moves_and_what_cannot_be_told(name: MethodName) -> None:
    method = Method(name, 4)
    points = method.points(LINEAR)
    flat = method.indices(LINEAR, points, [0.5] * len(points))
    unknown = method.indices(LINEAR, points, [math.nan, *[0.5] * (len(points) - 1)])
    numbers = flat.drop(columns="input").to_numpy(dtype=float)
    assert (numbers == 0).all() if name == "morris" else np.isnan(numbers).all()
    assert np.isnan(unknown.drop(columns="input").to_numpy(dtype=float)).all()


def test_the_same_seed_gives_the_same_points() -> None:
    names: tuple[MethodName, ...] = ("morris", "sobol")
    for name in names:
        one, other, third = (Method(name, 4, seed).points(LINEAR) for seed in (1, 1, 2))
        assert (one == other).all()
        assert not (one == third).all()


def test_methods_and_sizes_that_do_not_go_are_refused() -> None:
    with pytest.raises(EduverseError, match="no method"):
        Method("guess", 8)  # type: ignore[arg-type]
    with pytest.raises(EduverseError, match="Take 64 or 128"):
        Method("sobol", 100)
    with pytest.raises(EduverseError, match="too few"):
        Method("morris", 1)
