"""Arms over seeds: how they are made, broken off, paired and compared."""

from __future__ import annotations

import math
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import LessonError
from eduverse_mesa.measures.intervals import bounds_of
from eduverse_mesa.models.classroom import Move, NoChange
from eduverse_mesa.runs import Run, open_study, run_course
from eduverse_mesa.runs.arms import MOST_SEEDS, ArmPlan, SeedProgress, check_seeds, fork_seeds, play_arms, play_seeds
from eduverse_mesa.runs.comparison import (
    Arm,
    Measured,
    differences,
    first_difference,
    numbers_of,
    pairing,
    same_but_for_the_seed,
    shared_seeds,
    summaries,
    values,
)
from eduverse_mesa.scenarios import Scenario, load_scenario


def lesson(layout: str = "lecture") -> Scenario:
    return load_scenario(steps=6, layout=layout)


@cache
def arm(layout: str, seeds: tuple[int, ...]) -> Arm:
    return Arm(layout, tuple(Measured.of(run) for run in play_seeds(lesson(layout), seeds)))


def made(name: str, numbers: dict[int, float]) -> Arm:
    """An arm of runs that were not played."""
    return Arm(name, tuple(Measured(f"{name}-{seed}", seed, {"m": value}) for seed, value in numbers.items()))


# --- making them ---


def test_the_runs_of_an_arm_are_those_that_are_played_alone() -> None:
    runs = list(play_seeds(lesson(), [3, 1, 3]))
    assert [run.spec.seed for run in runs] == [3, 1]
    assert all(run.complete for run in runs)
    assert first_difference(runs[1], run_course(lesson(), 1)) is None


def test_arms_are_played_seed_by_seed() -> None:
    plans = [ArmPlan(layout, lesson(layout), "embedded") for layout in ("lecture", "round")]
    played = [(plan.name, run.spec.seed) for plan, run in play_arms(plans, [1, 2])]
    assert played == [("lecture", 1), ("round", 1), ("lecture", 2), ("round", 2)]


def test_an_arm_tells_how_far_it_is() -> None:
    heard: list[SeedProgress] = []
    runs = list(play_seeds(lesson(), [1, 2], progress=heard.append))
    assert [(told.run, told.step) for told in heard] == [
        (number, step) for number, run in enumerate(runs, start=1) for step in range(1, run.steps + 1)
    ]
    shares = [told.share for told in heard]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1


def test_an_arm_can_be_broken_off_in_the_middle_of_a_run() -> None:
    heard: list[SeedProgress] = []
    runs = list(play_seeds(lesson(), range(9), progress=heard.append, stop=lambda: len(heard) > 8))
    assert len(runs) == 1
    assert heard[-1].run == 2


def test_an_arm_that_is_broken_off_leaves_an_interrupted_run_in_its_study(tmp_path: Path) -> None:
    path = str(tmp_path / "arms.study")
    heard: list[SeedProgress] = []
    runs = list(play_seeds(lesson(), [1, 2], study=path, progress=heard.append, stop=lambda: len(heard) > 8))
    with open_study(path) as opened:
        stored = [(row.id, row.status) for row in opened.study.runs()]
    assert stored[0] == (runs[0].id, "complete")
    assert [status for _, status in stored] == ["complete", "interrupted"]


@pytest.mark.parametrize("seeds", [[], [-1], range(MOST_SEEDS + 1)])
def test_seeds_that_cannot_be_played_are_refused(seeds: list[int]) -> None:
    with pytest.raises(LessonError):
        check_seeds(seeds)


@pytest.mark.parametrize("kept", [True, False])
def test_forks_over_seeds_differ_from_their_parents_after_the_change(tmp_path: Path, kept: bool) -> None:
    move = Move(step=4, student="Liu Li", to=(28, 12))
    study = str(tmp_path / "forks.study") if kept else None
    spec = run_course(lesson(), 1).spec
    pairs = list(fork_seeds(spec, (1, 3), [move], [1, 2, 3], study=study))
    assert [pair.parent.spec.seed for pair in pairs] == [1, 2, 3]
    for pair in pairs:
        assert pair.fork is not None
        assert pair.fork.spec.parent == pair.parent.id
        place = first_difference(pair.parent, pair.fork)
        assert place is not None
        assert place[:2] >= (1, 4)


def test_a_fork_of_nothing_makes_no_difference_over_seeds() -> None:
    spec = run_course(lesson(), 1).spec
    parents, forks = Arm("as it was"), Arm("changed")
    for pair in fork_seeds(spec, (1, 3), [NoChange(step=4)], [1, 2]):
        assert pair.fork is not None
        parents, forks = parents.with_run(Measured.of(pair.parent)), forks.with_run(Measured.of(pair.fork))
    table = differences(parents, forks)
    assert table["paired"].all()
    assert set(table["difference"].dropna()) == {0.0}
    assert set(table["effect"].dropna()) == {0.0}


def test_a_run_that_was_over_before_the_change_has_no_fork() -> None:
    spec = run_course(lesson(), 1).spec
    (pair,) = fork_seeds(spec, (1, 50), [NoChange(step=51)], [1])
    assert pair.fork is None


# --- pairing ---


def test_runs_of_one_arm_differ_in_their_seeds_only() -> None:
    one, two, other = run_course(lesson(), 1), run_course(lesson(), 2), run_course(lesson("round"), 1)
    assert same_but_for_the_seed(one.spec) == same_but_for_the_seed(two.spec)
    assert same_but_for_the_seed(one.spec) != same_but_for_the_seed(other.spec)


@pytest.mark.parametrize(
    ("one", "other", "expected", "n"),
    [
        ({1: 0.0, 2: 0.0, 3: 0.0}, {1: 1.0, 2: 1.0, 3: 1.0}, "seeds", 3),
        ({1: 0.0, 2: 0.0, 3: 0.0}, {2: 1.0, 3: 1.0, 4: 9.0}, "seeds", 2),
        ({1: 0.0}, {1: 1.0}, "seeds", 1),
        ({1: 0.0, 2: 0.0}, {3: 1.0, 4: 1.0}, "none", 2),
        ({1: 0.0, 2: 0.0, 3: 5.0}, {3: 6.0, 4: 1.0, 5: 1.0}, "none", 3),
    ],
)
def test_which_arms_are_paired(one: dict[int, float], other: dict[int, float], expected: str, n: int) -> None:
    before, after = made("before", one), made("after", other)
    assert pairing(before, after) == pairing(after, before) == expected
    assert shared_seeds(before, after) == tuple(sorted(set(one) & set(other)))
    (row,) = differences(before, after).to_dict(orient="records")
    assert row["paired"] == (expected == "seeds")
    assert row["n"] == n
    assert row["difference"] == pytest.approx(1 if expected == "seeds" else row["after"] - row["before"])


def test_a_single_pair_has_a_difference_and_no_interval() -> None:
    (row,) = differences(made("a", {1: 0.25}), made("b", {1: 0.5})).to_dict(orient="records")
    assert row["difference"] == 0.25
    assert math.isnan(row["low"])
    assert math.isnan(row["effect"])


def test_a_seed_that_was_played_twice_counts_once() -> None:
    twice = Arm("a", tuple(Measured(str(number), 1, {"m": float(number)}) for number in range(2)))
    assert twice.by_seed("m") == {1: 0.5}
    assert summaries([twice])["n"].tolist() == [1]


def test_what_was_not_measured_is_left_out_of_its_pair() -> None:
    before, after = made("a", {1: 0.0, 2: math.nan, 3: 0.0}), made("b", {1: 1.0, 2: 1.0, 3: 1.0})
    (row,) = differences(before, after).to_dict(orient="records")
    assert row["n"] == 2
    assert row["difference"] == 1


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_the_order_of_runs_makes_no_difference(one: list[int], other: list[int]) -> None:
    luck = random.Random(5)
    first, second = ({seed: luck.random() for seed in range(6)} for _ in range(2))
    expected = differences(made("a", first), made("b", second))
    found = differences(made("a", {seed: first[seed] for seed in one}), made("b", {s: second[s] for s in other}))
    assert found.equals(expected)


@given(st.dictionaries(st.integers(0, 9), st.floats(-10, 10), min_size=2))
def test_the_other_way_round_the_difference_is_the_other_way_round(numbers: dict[int, float]) -> None:
    one, other = made("a", numbers), made("b", {seed: value * 2 + seed for seed, value in numbers.items()})
    (there,), (back,) = (differences(*arms).to_dict(orient="records") for arms in ((one, other), (other, one)))
    assert there["difference"] == pytest.approx(-back["difference"])
    assert (there["low"], there["high"]) == pytest.approx((-back["high"], -back["low"]))


# --- real lessons ---


def test_two_layouts_over_seeds() -> None:
    lecture, round_ = arm("lecture", (1, 2, 3, 4)), arm("round", (1, 2, 3, 4))
    table = differences(lecture, round_).set_index("measure")
    assert table.loc["bec.b_offtask", "n"] == 4
    assert table["paired"].all()
    expected = [round_.by_seed("irf.r")[seed] - lecture.by_seed("irf.r")[seed] for seed in lecture.seeds]
    assert table.loc["irf.r", "difference"] == pytest.approx(sum(expected) / 4)
    shown = table.dropna(subset=["low"])
    assert (shown["low"] <= shown["difference"] + 1e-12).all()
    assert (shown["difference"] <= shown["high"] + 1e-12).all()
    long = values([lecture, round_])
    means = long.groupby(["arm", "measure"])["value"].mean()
    for row in summaries([lecture, round_]).itertuples():
        assert row.mean == pytest.approx(means[row.arm, row.measure])


def test_numbers_of_a_run_have_every_student() -> None:
    run: Run = run_course(lesson(), 1)
    numbers = numbers_of(run)
    for student in run.spec.scenario.roll.students:
        assert f"student.{student.name}.attention" in numbers
    assert all(isinstance(value, float) for value in numbers.values())


def test_no_interval_leaves_what_its_measure_can_be() -> None:
    arm = Arm("few", tuple(Measured.of(run) for run in play_seeds(lesson(), (1, 2, 3))))
    for measure, low, high in summaries([arm])[["measure", "low", "high"]].itertuples(index=False):
        least, most = bounds_of(measure)
        assert math.isfinite(least), measure
        assert least <= low <= high <= most or math.isnan(low), measure
