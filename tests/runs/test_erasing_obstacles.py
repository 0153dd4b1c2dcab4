"""Erasing somebody where something stands in the way: lessons that go on, readers, files that are gone, a kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.erasure import erase_participant, participant, participant_document
from eduverse_mesa.store import Study, purge
from tests.runs.courses import child, course, ended
from tests.runs.people import SEAT, play_with
from tests.runs.test_erasing import LABEL, SENTENCES, answers_of, left, replay_all, two_people


@pytest.fixture
def study(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_people(tmp_path, tmp_path_factory)


# --- what stands in the way ---


def test_a_lesson_that_goes_on_is_stopped_first(study: Path) -> None:
    with open_study(str(study)) as opened:
        opened.study.set_status(opened.runs()[0], "running")
    with pytest.raises(StudyError, match=r"is being played.*Stop the lesson first"):
        erase_participant(str(study), "p1")
    assert left(study.parent, LABEL, *SENTENCES) == [LABEL, *SENTENCES]


def test_an_interrupted_run_goes_on_without_the_words(tmp_path: Path) -> None:
    from eduverse_mesa.runs import resume_run

    path = tmp_path / "a.study"
    run = play_with(path, course(lessons=2, steps=5), {SEAT: (LABEL, SENTENCES)})
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in ("answers", "steps"):
            connection.execute(f"delete from {table} where lesson = 2 or step > 3")
        for table in ("student_memory", "teacher_memory", "summaries"):
            connection.execute(f"delete from {table}")
        connection.execute("delete from lessons where lesson = 2")
        connection.execute("update lessons set steps = 3, status = 'running', ended = null")
        connection.execute("update runs set status = 'interrupted'")
    assert erase_participant(str(path), "p1").complete
    with open_study(str(path)) as opened:
        assert resume_run(opened, run, "embedded").complete
    assert left(tmp_path, LABEL, *SENTENCES) == []
    replay_all(path)


def test_a_run_that_cannot_be_played_loses_the_words_all_the_same(study: Path) -> None:
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute("update steps set digest = 'x' || digest where lesson = 1 and step = 2")
    done = erase_participant(str(study), "p1")
    assert done.complete
    assert done.not_replayed == (done.runs[0], done.runs[2])  # in the other one only the title was changed
    assert left(study.parent, LABEL, *SENTENCES) == []


def test_answers_without_their_steps_stay(study: Path) -> None:
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute("delete from steps")
    before = answers_of(study, "Li Wei")
    assert erase_participant(str(study), "p1").complete
    assert answers_of(study, "Li Wei") == before
    assert left(study.parent, LABEL, *SENTENCES) == []


def test_what_is_still_there_is_said(study: Path) -> None:
    with open_study(str(study)) as opened:
        first = opened.study.runs()[0]
        opened.study.add_run(first._replace(id=f"the {LABEL} run"))
        opened.study.set_status(f"the {LABEL} run", "complete")
    done = erase_participant(str(study), "p1")
    assert not done.complete
    assert {one.where for one in done.found} == {"a.study", "runs.id"}
    assert left(study.parent, *SENTENCES) == []


def test_a_study_that_is_read_meanwhile_is_erased_later(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(study)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from answers").fetchone()
        monkeypatch.setattr("eduverse_mesa.store.sqlite._WAIT_SECONDS", 0.1)
        with pytest.raises(StudyError, match=r"another program|in use"):
            erase_participant(str(study), "p1")
    assert erase_participant(str(study), "p1").resumed
    assert left(study.parent, LABEL, *SENTENCES) == []


def test_a_step_that_comes_meanwhile_keeps_all_as_it_was(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    best = participant._best_redaction

    def slowly(opened: Any, *given: Any) -> Any:
        done = best(opened, *given)
        with opened.study.transaction() as connection:
            connection.exec_driver_sql("insert into steps select run, lesson, step + 100, digest from steps")
        return done

    monkeypatch.setattr(participant, "_best_redaction", slowly)
    with pytest.raises(StudyError, match=r"written to in the meantime.*nothing was erased"):
        erase_participant(str(study), "p1")
    assert left(study.parent, LABEL, *SENTENCES) == [LABEL, *SENTENCES]
    with open_study(str(study)) as opened:
        assert opened.study.participant("p1").state == "present"


def test_the_seat_is_free_again(study: Path) -> None:
    erase_participant(str(study), "p1")
    with open_study(str(study)) as opened:
        run = opened.runs()[0]
        assert opened.study.sittings(participant="p1")[0].until == (2, 5)
        with pytest.raises(StudyError, match="p1 was erased"):
            opened.study.sit_down("p1", run, SEAT, (2, 6))
        opened.study.sit_down(opened.study.add_participant(LABEL, "student").id, run, SEAT, (2, 6))


def test_answers_that_nobody_can_read_lose_the_words_too(study: Path) -> None:
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute(
            "update answers set content = '{' || content where agent = ? and source = 'human' and step = 2", (SEAT,)
        )
    with open_study(str(study), read_only=True) as opened:
        assert "{{" in json.dumps(participant_document(opened, "p1"))
    erase_participant(str(study), "p1")
    assert left(study.parent, LABEL, *SENTENCES) == []


def die(point: str, path: str) -> None:
    """Erase, and be killed at this point."""

    def now(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if point == "before the files":
        purge.purge = now
    elif point == "after the files":
        participant.mark = now  # type: ignore[attr-defined]
    else:
        Study.sittings = now  # type: ignore[method-assign, assignment]
    erase_participant(path, "p1")


@pytest.mark.parametrize("point", ["before anything", "before the files", "after the files"])
def test_killed_on_the_way_it_is_finished_later(point: str, study: Path) -> None:
    assert ended(child(die, point, str(study))) == -signal.SIGKILL
    still = left(study.parent, LABEL, *SENTENCES)
    assert still == ([] if point == "after the files" else [LABEL, *SENTENCES])
    done = erase_participant(str(study), "p1")
    assert done.complete
    assert done.resumed == (point != "before anything")
    assert left(study.parent, LABEL, *SENTENCES) == []
    replay_all(study)
