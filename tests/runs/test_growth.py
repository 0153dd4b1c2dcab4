"""Long courses: each lesson writes about as much as the one before."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from weakref import ref

import pandas as pd
import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs import open_study, record_course, replay_run, run_tables
from eduverse_mesa.runs.classroom import replay_lessons
from eduverse_mesa.runs.exports import export_run
from eduverse_mesa.runs.tables import as_csv
from eduverse_mesa.scenarios import Scenario, load_scenario

LESSONS = 24


def long_course() -> Scenario:
    """Lessons of four steps, one like the other."""
    short = load_scenario(layout="collab", students="six", lesson="spring_1", steps=4)
    [lesson] = short.lessons
    named = tuple(lesson.model_copy(update={"name": f"spring {number}"}) for number in range(LESSONS))
    return short.model_copy(update={"lessons": named})


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.study"
    record_course(str(path), long_course(), 1)
    return path


def test_a_lesson_writes_as_much_as_the_one_before(study: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        [run] = opened.runs()
        written = [
            sum(len(row.record) for row in opened.study.summaries(run, lesson)) for lesson in range(1, LESSONS + 1)
        ]
    assert min(written) > 5000
    assert max(written[-4:]) < 1.1 * max(written[1:5])


def test_a_recorded_course_is_gone_through_with_one_lesson_in_hand(study: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        [run] = opened.runs()
        gone: list[Callable[[], object]] = []
        gc.freeze()  # what was there before need not be looked through again after each lesson
        for lesson in replay_lessons(opened, run):
            assert lesson.complete
            assert lesson.number == len(gone) + 1
            gone.append(ref(lesson.model))
            del lesson
            gc.collect()
            assert sum(model() is not None for model in gone) <= 2, "that one, and the one that was before it"
    assert len(gone) == LESSONS


def test_lesson_by_lesson_is_the_same_as_all_at_once(study: Path, tmp_path: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        [run] = opened.runs()
        export_run(opened, run, "csv", tmp_path / "csv")
        export_run(opened, run, "parquet", tmp_path / "parquet")
        whole = run_tables(replay_run(opened, run))
    for name, table in whole._asdict().items():
        table.insert(0, "layout", "collab")
        table.insert(0, "seed", 1)
        table.insert(0, "run", run)
        assert (tmp_path / "csv" / f"{name}.csv").read_bytes() == as_csv(table)
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "parquet" / f"{name}.parquet"), table)


@pytest.mark.parametrize("form", ["csv", "parquet", "growth", "xapi"])
def test_an_export_that_fails_halfway_leaves_nothing_and_spoils_nothing(form: str, study: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.study"
    copy.write_bytes(study.read_bytes())
    out = tmp_path / "out"
    with open_study(str(copy)) as opened:
        [run] = opened.runs()
        before = {path: path.read_bytes() for path in export_run(opened, run, form, out)}
        with opened.study.transaction() as connection:
            connection.exec_driver_sql("update steps set digest = 'x' where lesson = 20 and step = 2")
        with pytest.raises(StudyError, match="lesson 20 goes another way"):
            export_run(opened, run, form, out)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith("copy.study")]
    assert {path: path.read_bytes() for path in kept} == before
