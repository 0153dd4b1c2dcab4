"""Playing SimLearner's studies in a folder: what is done stays, and nothing foreign is mixed in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import LessonError, SweepError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.folders import ABOUT, RESULTS
from eduverse_mesa.experiments.papers import simlearner
from eduverse_mesa.experiments.papers.eduverse import plan as eduverse
from eduverse_mesa.experiments.papers.record import Progress, Record
from eduverse_mesa.experiments.papers.simlearner.designs import Play
from eduverse_mesa.experiments.papers.simlearner.plan import PAPER, Plan, table_of

SMALL = Plan(which="simlearner-1", seeds=2, policy="embedded", settings={"turns": 2, "visits": 1})


def whole(plan: Plan, folder: Path | None = None) -> Record[Play, pd.DataFrame]:
    with PAPER.open(plan, folder) as recorded:
        recorded.play(Serial())
        return recorded


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """A folder in which all is done, and what it holds."""
    folder = tmp_path_factory.mktemp("done") / "out"
    return folder, table_of(whole(SMALL, folder))


@pytest.fixture
def played(done: tuple[Path, pd.DataFrame], tmp_path: Path) -> pd.DataFrame:
    """What was played; a copy of its folder is `out`."""
    shutil.copytree(done[0], tmp_path / "out")
    return done[1]


def test_a_study_that_was_broken_off_goes_on_and_comes_out_the_same(played: pd.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "broken"

    def stop(now: Progress) -> None:
        if now.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), PAPER.open(SMALL, folder) as recorded:
        recorded.play(Serial(), stop)
    assert len(pd.read_parquet(folder / RESULTS).groupby(["arm", "seed"])) == 3
    heard: list[int] = []
    with PAPER.open(SMALL, folder) as recorded:
        assert recorded.progress == Progress(3, 4)
        assert [one.key for one in recorded.left] == ["first_grade-base-s2"]
        recorded.play(Serial(), lambda now: heard.append(now.done))
    assert heard == [4]
    pd.testing.assert_frame_equal(table_of(whole(SMALL, folder)), played)


def test_fewer_seeds_leave_what_more_have_given(played: pd.DataFrame, tmp_path: Path) -> None:
    one = Plan(which=SMALL.which, seeds=1, policy="embedded", settings=SMALL.settings)
    with PAPER.open(one, tmp_path / "out") as recorded:
        assert recorded.left == []
        pd.testing.assert_frame_equal(table_of(recorded), played[played["seed"] == 1].reset_index(drop=True))
    assert len(pd.read_parquet(tmp_path / "out" / RESULTS)) == len(played)


def test_what_was_played_otherwise_is_not_mixed_in(played: pd.DataFrame, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        pytest.raises(SweepError, match="was played here"),
        PAPER.open(Plan(which=SMALL.which, seeds=2, policy="embedded", settings={"turns": 3}), out),
    ):
        pass
    with (
        pytest.raises(SweepError, match=r"of another paper are kept here \(SimLearner\)"),
        eduverse.PAPER.open(eduverse.Plan(which="4", seeds=1), out),
    ):
        pass
    pd.DataFrame(played.assign(value=played["value"] + 1)).to_parquet(out / RESULTS)
    with pytest.raises(SweepError, match="comes out differently now"), PAPER.open(SMALL, out):
        pass
    (out / RESULTS).write_bytes(b"no table")
    with pytest.raises(SweepError, match="cannot be read"), PAPER.open(SMALL, out):
        pass
    with eduverse.PAPER.open(eduverse.Plan(which="4", seeds=1, settings={"steps": 3}), tmp_path / "other"):
        pass
    assert (tmp_path / "other" / ABOUT).exists()
    with pytest.raises(SweepError, match=r"of another paper are kept here \(EduVerse\)"):
        whole(SMALL, tmp_path / "other")


def test_a_cohort_that_fails_leaves_the_others_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def work(payload: bytes) -> bytes:
        counted.append(payload)
        if len(counted) == 3:
            raise ValueError("nobody there")
        return simlearner.plays.work(payload)

    monkeypatch.setattr("eduverse_mesa.experiments.papers.simlearner.plan.WORK", f"{__name__}:fails")
    monkeypatch.setitem(globals(), "fails", work)
    with pytest.raises(LessonError, match="nobody there"):
        whole(SMALL, tmp_path)
    monkeypatch.undo()
    with PAPER.open(SMALL, tmp_path) as recorded:
        assert recorded.progress.done == 2
