"""Many programs on one study, and programs that are killed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from sqlite3 import ProgrammingError
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import PlayedStep, Study, migrations, sqlite
from tests.store.rows import run_row, step_rows, write_steps

ROOT = Path(__file__).parents[2]

# Waits for its signal, so that all begin together.
OWN_RUN = """
import sys
from eduverse_mesa.store import Study
from tests.store.rows import run_row, write_steps
print("ready", flush=True); sys.stdin.readline()
with Study.open(sys.argv[1], create=True) as study:
    study.add_run(run_row(sys.argv[2]))
    write_steps(study, sys.argv[2], range(1, 41))
"""

SAME_RUN = """
import sys
from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import PlayedStep, Study
from tests.store.rows import step_rows
with Study.open(sys.argv[1]) as study:
    done = len(study.digests("a"))
    print("ready", flush=True); sys.stdin.readline()
    try:
        for step in range(done + 1, 61):
            study.commit("a", PlayedStep(1, step, sys.argv[2], step_rows(1, step)))
    except StudyError as error:
        print("lost:", error)
    else:
        print("won")
"""

ENDLESS = """
import sys
from eduverse_mesa.store import PlayedStep, Study
from tests.store.rows import run_row, step_rows
with Study.open(sys.argv[1], create=True) as study:
    if not study.runs():
        study.add_run(run_row())
    step = len(study.digests("a"))
    print("ready", flush=True)
    while True:
        step += 1
        study.commit("a", PlayedStep(1, step, f"a-{step}", step_rows(1, step)))
        print(step, flush=True)
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def together(processes: list[subprocess.Popen[str]]) -> list[str]:
    """Let them all begin at once; what each said. None of them failed."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=120) for process in processes]
    assert [error for _, error in ends] == [""] * len(processes)
    return [said for said, _ in ends]


def test_eight_programs_make_one_study_and_write_to_it(tmp_path: Path) -> None:
    path = str(tmp_path / "together.study")
    together([start(OWN_RUN, path, f"run-{number}") for number in range(8)])
    with Study.open(path, read_only=True) as study:
        assert {row.id for row in study.runs()} == {f"run-{number}" for number in range(8)}
        for row in study.runs():
            assert study.digests(row.id) == {(1, step): f"{row.id}-{step}" for step in range(1, 41)}
            assert study.answers(row.id) == [answer for step in range(1, 41) for answer in step_rows(1, step)]
    assert [file.name for file in tmp_path.iterdir()] == ["together.study"]


def test_of_two_writers_of_a_run_one_wins(tmp_path: Path) -> None:
    path = str(tmp_path / "one.study")
    with Study.open(path, create=True) as study:
        study.add_run(run_row())
        write_steps(study, "a", range(1, 4))
    won, lost = sorted(together([start(SAME_RUN, path, name) for name in ("first", "second")]), reverse=True)
    assert won == "won\n"
    assert "Only one program may write to a run" in lost
    with Study.open(path, read_only=True) as study:
        assert list(study.digests("a")) == [(1, step) for step in range(1, 61)]
        assert study.answers("a") == [answer for step in range(1, 61) for answer in step_rows(1, step)]
        # The loser may have had the first steps, but never one after the winner's.
        writers = list(dict.fromkeys(study.digests("a")[1, step] for step in range(4, 61)))
        assert len(writers) <= 2


def test_a_killed_writer_leaves_whole_steps(tmp_path: Path) -> None:
    """Killed again and again, from the making of the file on; every time all is there that was said to be."""
    chance, path = random.Random(1), tmp_path / "killed.study"
    kept = 0
    for attempt in range(12):
        process = start(ENDLESS, str(path))
        assert process.stdout is not None
        if attempt % 3:
            for _ in range(chance.randint(1, 8)):
                process.stdout.readline()
            time.sleep(chance.uniform(0, 0.01))  # at any moment of a step
        else:
            time.sleep(chance.uniform(0.1, 0.6))  # while it imports, opens and makes the study
        process.kill()
        said, trouble = process.communicate()
        assert trouble == ""
        kept = max([kept, *(int(word) for word in said.split() if word.isdecimal())])
        if attempt % 3 or path.exists():
            with Study.open(str(path), create=True) as study:
                steps = len(study.digests("a")) if study.runs() else 0
                assert steps >= kept
                kept = steps
                if steps:
                    assert study.digests("a") == {(1, step): f"a-{step}" for step in range(1, steps + 1)}
                    assert study.answers("a") == [row for step in range(1, steps + 1) for row in step_rows(1, step)]
                    assert [(row.status, row.steps) for row in study.lessons("a")] == [("running", steps)]
    assert kept > 10


def test_a_study_left_by_a_killed_writer_can_be_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "killed.study"
    process = start(ENDLESS, str(path))
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.1)
    process.kill()
    process.communicate()
    assert path.with_name("killed.study-wal").stat().st_size
    before = path.read_bytes()
    with Study.open(str(path), read_only=True) as study:
        steps = len(study.digests("a"))
        assert steps
        assert len(study.answers("a")) == 28 * steps
        with pytest.raises(StudyError, match="cannot be written"):
            study.commit("a", PlayedStep(1, steps + 1, "d"))
    assert path.read_bytes() == before
    # Its last steps are in the log beside it: a study is never begun anew on top of them.
    path.unlink()
    with pytest.raises(StudyError, match=r"its last steps are still there.*killed\.study-wal"):
        Study.open(str(path), create=True)


def test_a_migration_runs_once_however_many_open_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "older.study")
    Study.open(path, create=True).close()
    ran: list[int] = []

    def migrate(connection: Any) -> None:
        ran.append(1)
        time.sleep(0.05)
        connection.exec_driver_sql("alter table runs add column mood text")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, migrate))
    barrier = Barrier(4)

    def open_it() -> None:
        barrier.wait()
        Study.open(path).close()

    run_all([open_it] * 4)
    assert ran == [1]


def test_many_make_one_study_at_the_same_moment(tmp_path: Path) -> None:
    """Closer together than programs can be started; about one round in five met a study 'in use' once."""
    for attempt in range(25):
        path, barrier = str(tmp_path / f"{attempt}.study"), Barrier(6)

        def make(path: str = path, barrier: Barrier = barrier) -> None:
            barrier.wait()
            Study.open(path, create=True).close()

        run_all([make] * 6)


def test_a_log_that_has_just_been_taken_away_is_empty(tmp_path: Path) -> None:
    assert sqlite._size(tmp_path / "a.study-wal") == 0


def test_who_reads_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    with Study.open(str(path), create=True) as study:
        study.add_run(run_row())
    before = path.read_bytes()
    with Study.open(str(path), read_only=True) as study:
        with pytest.raises(StudyError, match="cannot be written"):
            study.commit("a", PlayedStep(1, 1, "d", step_rows(1, 1)))
        with pytest.raises(StudyError, match="cannot be written"):
            study.set_status("a", "complete")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.study"]


def run_all(work: list[Callable[[], None]]) -> None:
    failed: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=guarded, args=(task,)) for task in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_run_goes_on_once_there_is_room_again(tmp_path: Path) -> None:
    path = tmp_path / "full.study"
    with Study.open(str(path), create=True) as study:
        study.add_run(run_row())
        write_steps(study, "a", range(1, 3))
        with study._engine.connect() as connection:
            pages = connection.exec_driver_sql("pragma page_count").scalar_one()
            connection.exec_driver_sql(f"pragma max_page_count={pages + 4}")
        with pytest.raises(StudyError, match=r"disk is full.*Make room") as caught:
            write_steps(study, "a", range(3, 100))
        assert str(path) in str(caught.value)
        done = len(study.digests("a"))
        assert len(study.answers("a")) == 28 * done
        with study._engine.connect() as connection:
            connection.exec_driver_sql("pragma max_page_count=1000000")
        write_steps(study, "a", range(done + 1, done + 11))
        assert len(study.answers("a")) == 28 * (done + 10)


def test_steps_in_a_log_that_cannot_be_read_here_are_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    with Study.open(str(tmp_path / "a.study"), create=True) as study:
        study.add_run(run_row())
        write_steps(study, "a", range(1, 3))
        for name in ("a.study", "a.study-wal"):
            shutil.copy(tmp_path / name, folder / name)
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) != folder)
    with pytest.raises(StudyError, match=r"a\.study-wal.*Copy the study together"):
        Study.open(str(folder / "a.study"), read_only=True)


def test_a_study_that_is_closed_while_somebody_is_at_it_is_not_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    connect = sqlite._connect

    def noted(*given: Any) -> Any:
        made.append(connect(*given))
        return made[-1]

    monkeypatch.setattr(sqlite, "_connect", noted)
    study = Study.open(str(tmp_path / "a.study"), create=True)
    inside, go_on, told = Event(), Event(), list[str]()

    def work() -> None:
        with study.transaction():
            inside.set()
            assert go_on.wait(90)

    def come_later() -> None:
        try:
            study.runs()
        except StudyError as error:
            told.append(error.message)

    at_work = Thread(target=work)
    at_work.start()
    assert inside.wait(90)
    others = [Thread(target=study.close), Thread(target=come_later)]
    for other in others:
        other.start()
    others[0].join(0.1)
    assert others[0].is_alive(), "who closes it waits for who is at it"
    go_on.set()
    for thread in (at_work, *others):
        thread.join(90)
    assert told in ([], ["the study is closed."])
    for connection in made:
        with pytest.raises(ProgrammingError, match="closed"):
            connection.execute("select 1")
