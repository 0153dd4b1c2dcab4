"""Playing a sweep: nothing is lost and nothing comes twice, whoever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pandas as pd
import pytest

from eduverse_mesa.errors import EngineGoneError
from eduverse_mesa.experiments.engines import Finished, Processes, Serial, Task
from eduverse_mesa.experiments.measurers import Row
from eduverse_mesa.experiments.sweeps.execution import (
    AllFailedError,
    Ended,
    count_first,
    play_sweep,
    status_of,
    unless_all_fail,
)
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, begin_sweep, open_sweep, read_sweep, read_wide
from eduverse_mesa.experiments.trials import Trial, trial_of
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.scenarios import fingerprint, load_scenario
from tests.experiments.sweeps.kit import FACTS, killing, plan, play_all

ROOT = Path(__file__).parents[3]


def test_workers_killed_now_and_then_change_nothing(tmp_path: Path) -> None:
    keys = []
    killed: list[int] = []
    with Processes(2, attempts=20) as engine, begin_sweep(tmp_path / "killed", FACTS, plan(4)) as folder:
        for ended in play_sweep(folder, engine):
            assert not ended.error
            keys.append(ended.key)
            if len(keys) % 4 == 1:
                killed.append(engine.pids[len(killed) % 2])
                os.kill(killed[-1], signal.SIGKILL)
    assert len(killed) == 2
    assert_equal_to_serial(tmp_path, folder, keys, 4)


@pytest.mark.slow
def test_a_thousand_runs_while_a_worker_dies_every_two_seconds(tmp_path: Path) -> None:
    planned = begin_sweep(tmp_path / "killed", FACTS, plan(500, 12))
    with Processes(4, attempts=50) as engine, killing(engine, 2.0) as killed, planned as folder:
        ends = list(play_sweep(folder, engine))
    assert {ended.error for ended in ends} == {""}
    assert len(killed) >= 10
    assert_equal_to_serial(tmp_path, folder, [ended.key for ended in ends], 12)


def assert_equal_to_serial(tmp_path: Path, folder: SweepFolder, keys: list[str], steps: int) -> None:
    play_all(tmp_path / "serial", len(keys) // 2, Serial(), steps)
    assert len(keys) == len(set(keys)) == SweepFolder(tmp_path / "serial").facts.trials
    pd.testing.assert_frame_equal(read_sweep(folder), read_sweep(tmp_path / "serial"))
    status = status_of(folder)
    assert (status.done, status.left, status.failing) == (len(keys), 0, ())


@pytest.mark.parametrize(("runs", "sittings"), [(16, 2), pytest.param(1000, 25, marks=pytest.mark.slow)])
def test_a_driver_killed_again_and_again_loses_nothing(tmp_path: Path, runs: int, sittings: int) -> None:
    code = f"""
from pathlib import Path
from eduverse_mesa.experiments.engines import Processes
from tests.experiments.sweeps.kit import play_all
play_all(Path({str(tmp_path / "killed")!r}), {runs // 2}, Processes(2))
"""
    done = []
    for _ in range(sittings):
        driver = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)
        before = len(list((tmp_path / "killed").glob("results/*.parquet")))
        until = time.monotonic() + 120
        while len(list((tmp_path / "killed").glob("results/*.parquet"))) < min(before + max(1, runs // 40), runs):
            assert time.monotonic() < until
            assert driver.poll() is None
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        done.append(len(list((tmp_path / "killed").glob("results/*.parquet"))))
    assert done[0] < runs
    assert done == sorted(done)
    assert len(play_all(tmp_path / "killed", runs // 2)) == runs - done[-1]
    play_all(tmp_path / "serial", runs // 2)
    pd.testing.assert_frame_equal(read_sweep(tmp_path / "killed"), read_sweep(tmp_path / "serial"))
    assert not list(tmp_path.rglob("*.part"))


def test_a_trial_that_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    """The server that it asks is not there; later its scenario's policy is another one, as if it had come."""
    scenario = load_scenario("first_lesson", layout="round", steps=4)
    bad = Trial(scenario=trial_of(scenario, 1).scenario, seed=9, policy="llm", factors={"layout": "round"})
    with begin_sweep(tmp_path, FACTS, [*plan(1), (fingerprint(scenario), bad)]) as folder:
        ends = {ended.key: ended.error for ended in play_sweep(folder, Serial())}
    assert "no model is named" in ends.pop(bad.key)
    assert set(ends.values()) == {""}
    status = status_of(SweepFolder(tmp_path))
    assert (status.trials, status.done, status.left) == (3, 2, 1)
    assert [(attempt.key, attempt.attempts) for attempt in status.failing] == [(bad.key, 1)]
    with open_sweep(tmp_path) as folder:
        [again] = play_sweep(folder, Serial())
    assert (again.key, again.error) == (bad.key, ends.get(bad.key, again.error))
    assert len(SweepFolder(tmp_path).attempts()) == 2


class Mortal(Serial):
    """An engine that dies after some tasks."""

    def __init__(self, tasks: int) -> None:
        self.left = tasks

    def run(self, work: str, tasks: Iterable[Task]) -> Iterator[Finished]:
        for finished in super().run(work, tasks):
            if not self.left:
                raise EngineGoneError("the engine is gone.", mend="Take another.")
            self.left -= 1
            yield finished


def test_when_the_engine_dies_the_other_runs_are_left_for_later(tmp_path: Path) -> None:
    out = tmp_path / "my sweep"
    with begin_sweep(out, FACTS, plan(3)) as folder, pytest.raises(EngineGoneError) as gone:
        list(unless_all_fail(play_sweep(folder, Mortal(2)), folder, 4))
    assert str(gone.value) == (
        f"{out}: the engine is gone. 2 of 6 runs are kept. Take another. Go on: eduverse sweep resume '{out}'"
    )
    status = status_of(SweepFolder(out))
    assert (status.done, status.left, status.failing, status.begun_again) == (2, 4, (), 0)
    with open_sweep(out) as folder:
        assert [ended.error for ended in play_sweep(folder, Serial())] == [""] * 4


def test_to_stop_is_to_ask_for_no_more(tmp_path: Path) -> None:
    with Processes(2) as engine, begin_sweep(tmp_path, FACTS, plan(6)) as folder:
        playing = play_sweep(folder, engine)
        next(playing)
        playing.close()
        kept = folder.done()
    assert 1 <= len(kept) < 12
    assert len(play_all(tmp_path, 6)) == 12 - len(kept)


def test_measures_that_nothing_keeps_are_told(tmp_path: Path) -> None:
    facts = msgspec.structs.replace(FACTS, keep=("wonder.*",))
    with begin_sweep(tmp_path, facts, plan(1)) as folder:
        errors = [ended.error for ended in play_sweep(folder, Serial())]
    assert len(errors) == 2
    for error in errors:  # each names its own: not every lesson has the same
        assert "none of the measures is kept by wonder.*" in error
        assert "bec.b_active" in error


def test_results_are_one_table_tidy_or_wide(tmp_path: Path) -> None:
    play_all(tmp_path, 3)
    tidy = read_sweep(str(tmp_path))
    assert list(tidy.columns) == ["trial", "layout", "seed", "lesson", "step", "student", "measure", "value"]
    assert set(tidy["layout"]) == {"lecture", "round"}
    wide = read_wide(tmp_path)
    assert len(wide) == 6 * 2, "a row for the lesson and one for the course"
    active = tidy[(tidy["measure"] == "bec.b_active") & (tidy["student"] == "")]
    of_lesson = wide[wide["lesson"] == 1]
    assert of_lesson.set_index("trial")["bec.b_active"].to_dict() == active.set_index("trial")["value"].to_dict()
    assert wide.loc[wide["lesson"] == 0, "outcomes.ok"].min() > 0


def test_an_empty_sweep_is_an_empty_table(tmp_path: Path) -> None:
    with begin_sweep(tmp_path, FACTS, plan(1)):
        assert list(read_sweep(tmp_path).columns)[:3] == ["trial", "layout", "seed"]
        assert read_wide(tmp_path).empty


def test_a_result_that_is_damaged_is_named(tmp_path: Path) -> None:
    from eduverse_mesa.errors import SweepError

    play_all(tmp_path, 1)
    file = next((tmp_path / "results").glob("*.parquet"))
    os.truncate(file, 100)
    with pytest.raises(SweepError, match=file.name):
        read_sweep(tmp_path)


def refuse(run: Run) -> Iterator[Row]:
    """A measurer of a user's own that cannot measure anything."""
    raise ValueError("no\x1b[31m data")


def refuse_rooms(run: Run) -> Iterator[Row]:
    """One that can, but not in every room."""
    if run.spec.scenario.layout.name == "lecture":
        raise ValueError("no room")
    yield Row(0, 0, "", "bec.mine", 1.0)


@pytest.mark.parametrize(("measure", "ended"), [("refuse", 4), ("refuse_rooms", 12)])
def test_a_sweep_of_which_nothing_succeeds_is_given_up(measure: str, ended: int, tmp_path: Path) -> None:
    facts = msgspec.structs.replace(FACTS, measure=(f"{__name__}:{measure}",))
    planned = ((mark, msgspec.structs.replace(trial, measure=facts.measure)) for mark, trial in plan(6, 2))
    ends: list[str] = []

    def take(going: Iterator[Ended]) -> None:
        ends.extend(one.key for one in going)

    with begin_sweep(tmp_path, facts, planned) as folder, Serial() as engine:
        going = unless_all_fail(play_sweep(folder, engine), folder, count_first(engine))
        if measure == "refuse":
            with pytest.raises(AllFailedError, match=r"the first 4 runs have all failed; the last: ValueError: no"):
                take(going)
        else:
            take(going)
    assert len(ends) == ended
