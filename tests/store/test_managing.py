"""Runs as a list, and runs that are taken out of a study: with all that belongs to them, or not at all."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import MemoryRow, PlayedStep, Study, SummaryRow, TalkRow, run_list
from eduverse_mesa.store.accounts import add_account
from eduverse_mesa.store.alerts import add_alert, alert_at
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.store.run_list import delete_run, headlines
from eduverse_mesa.store.schema import lessons, messages, metadata, runs, talks
from eduverse_mesa.store.steps import insert_rows
from tests.postgres import FILE_ONLY
from tests.store.rows import run_row, step_rows, write_steps

NONE = {"ok": 0, "repaired": 0, "fallback": 0, "failed": 0}


@pytest.fixture
def study(place: str) -> Any:
    """A run, its fork, the fork's fork, and one that has nothing to do with them."""
    with Study.open(place, create=True) as opened:
        opened.add_run(run_row("a", planned=6))
        opened.add_run(run_row("b", parent="a", forked_at=(1, 1)))
        opened.add_run(run_row("c", parent="b", forked_at=(1, 1)))
        opened.add_run(run_row("other"))
        for name in ("a", "other"):
            write_steps(opened, name, range(1, 3))
            opened.commit(
                name,
                PlayedStep(
                    1,
                    3,
                    "d",
                    [row._replace(status="failed", content="null") for row in step_rows(1, 3, 2)],
                    last=True,
                    summaries=[SummaryRow("Mei", "{}")],
                    student_events=[MemoryRow("Mei", "plan", "x", 1)],
                    teacher_events=[MemoryRow("start", "planning", "y", 1)],
                ),
            )
            opened.set_status(name, "complete")
            opened.add_participant(f"who sat in {name}", "student")
        for run in ("b", "c"):
            opened.set_status(run, "interrupted")
        opened.sit_down("p1", "a", "Mei", (1, 1))
        opened.sit_down("p2", "other", "Mei", (1, 1))
        for run in ("a", "other"):
            add_alert(opened, alert_at(run, (1, 1), "Mei", "x"))
        make_dialogues(opened, "a", "other")
        yield opened


def make_dialogues(study: Study, *of: str) -> None:
    """As if these runs were dialogues of a student, too: nothing that names a run is forgotten."""
    student = add_account(study, "kiwi", "student", "correct horse")
    work = add_assignment(study, "week 1", "{}", [student.id], student.id)
    for name in of:
        with study.transaction() as connection:
            insert_rows(connection, talks, [TalkRow(name, student.id, work.id, name)])
            insert_rows(connection, messages, [(name, 1, "kiwi", "hello", "plan", 0.0, "", None)])


def rows_of(study: Study, run: str) -> dict[str, int]:
    counted = {}
    with study.transaction() as connection:
        for table in metadata.tables.values():
            column = "id" if table is runs else "run"
            if column in table.c:
                query = select(func.count()).select_from(table).where(table.c[column] == run)
                counted[table.name] = connection.execute(query).scalar_one()
    return counted


def test_a_list_says_how_each_run_stands(study: Study) -> None:
    study.set_title("a", "The first one")
    study.set_spent("a", '{"tokens":5}')
    study.set_status("b", "running")
    found = {row.id: row for row in headlines(study)}
    assert list(found) == ["a", "b", "c", "other"]
    first, fork = found["a"], found["b"]
    assert (first.title, first.status, first.steps, first.planned) == ("The first one", "complete", 3, 6)
    assert first.outcomes == {"ok": 56, "repaired": 0, "fallback": 0, "failed": 2}
    assert (first.spent, first.participants) == ('{"tokens":5}', ("p1",))
    assert first.created <= first.updated
    assert (fork.parent, fork.forked_at, fork.steps, fork.outcomes) == ("a", (1, 1), 0, NONE)
    assert (fork.status, fork.participants) == ("running", ())


@FILE_ONLY
def test_a_step_is_the_newest_that_a_run_was_written(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="seconds")
    monkeypatch.setattr("eduverse_mesa.store.steps.now", lambda: later)
    study.commit("b", PlayedStep(1, 1, "d", step_rows(1, 1)))
    assert {row.id for row in headlines(study) if row.updated == later} == {"b"}


def test_what_is_counted_is_what_is_there(study: Study) -> None:
    """The counts are kept with the lesson, step by step: they must be those of the answers."""
    statuses = ("ok", "repaired", "fallback", "failed")
    for step in range(1, 4):
        mixed = [row._replace(status=statuses[(row.seq + step) % 4]) for row in step_rows(1, step, 7)]
        study.commit("b", PlayedStep(1, step, "d", mixed))
    for row in headlines(study):
        kept = [answer.status for answer in study.answers(row.id)]
        assert row.outcomes == {status: kept.count(status) for status in statuses}


def test_a_run_goes_with_all_that_belongs_to_it(study: Study) -> None:
    before = rows_of(study, "other")
    assert delete_run(study, "other") == ["other"]
    assert set(rows_of(study, "other").values()) == {0}
    assert set(before.values()) - {0, 1, 2, 3, 58} == set()
    assert min(before.values()) > 0
    assert [row.id for row in study.runs()] == ["a", "b", "c"]
    assert [row.id for row in study.participants()] == ["p1", "p2"]
    assert rows_of(study, "a") == before


def test_more_runs_than_a_statement_takes_go_in_several(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a fork goes in a later one than the run it comes from."""
    monkeypatch.setattr(run_list, "_AT_ONCE", 1)
    assert delete_run(study, "a", with_forks=True) == ["a", "b", "c"]
    assert [row.id for row in study.runs()] == ["other"]
    assert rows_of(study, "other")


def test_a_run_with_forks_stays_unless_they_go_too(study: Study) -> None:
    with pytest.raises(StudyError, match=r"run a has 2 forks: b, c.*with its forks"):
        delete_run(study, "a")
    with pytest.raises(StudyError, match=r"run b has 1 fork: c"):
        delete_run(study, "b")
    assert len(study.runs()) == 4
    assert delete_run(study, "b", with_forks=True) == ["b", "c"]
    assert delete_run(study, "a", with_forks=True) == ["a"]
    assert [row.id for row in study.runs()] == ["other"]


def test_a_run_that_is_being_played_stays(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    study.set_status("c", "running")
    for run in ("c", "b"):
        with pytest.raises(StudyError, match=r"run c is being played; its last step was written at .*Stop"):
            delete_run(study, run, with_forks=True)
    assert len(study.runs()) == 4
    assert delete_run(study, "c", abandoned=True) == ["c"]
    study.set_status("b", "running")
    monkeypatch.setattr(run_list, "QUIET", timedelta(seconds=-1))
    assert delete_run(study, "b") == ["b"]


@FILE_ONLY
def test_a_run_that_is_not_there_is_said(study: Study) -> None:
    with pytest.raises(StudyError, match="no run 'x'"):
        delete_run(study, "x")


FORBID = {
    "sqlite": ["create trigger t before delete on runs begin select raise(abort, 'no'); end"],
    "postgresql": [
        "create function no() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
        "create trigger t before delete on runs for each row execute function no()",
    ],
}


def test_all_or_nothing_goes(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows_of(study, "other")
    with study.transaction() as connection:
        for statement in FORBID[study.kind]:
            connection.exec_driver_sql(statement)
    with pytest.raises(StudyError, match="no"):
        delete_run(study, "other")
    assert rows_of(study, "other") == before


@FILE_ONLY
def test_what_was_deleted_is_in_no_byte(study: Study) -> None:
    secret = "a sentence that nobody else has said"
    study.add_run(run_row("secret", title=secret))
    study.commit("secret", PlayedStep(1, 1, "d", [step_rows(1, 1)[0]._replace(content=f'"{secret}"')]))
    study.set_status("secret", "complete")
    delete_run(study, "secret")
    study.close()
    folder = Path(study.path).parent
    assert [path.name for path in folder.iterdir() if secret.encode() in path.read_bytes()] == []


def test_a_list_of_many_runs_is_quick(tmp_path: Path) -> None:
    with Study.open(str(tmp_path / "many"), create=True) as study:
        long = '{"text":"' + "x" * 60_000 + '"}'
        for number in range(500):
            study.add_run(run_row(f"run {number}", scenario=long))
        with study.transaction() as connection:
            rows = [
                (f"run {n}", one, "complete", 40, "t", "t", "t", 1200, 0, 0, 1) for n in range(500) for one in (1, 2)
            ]
            insert_rows(connection, lessons, rows)
        started = time.process_time()
        found = headlines(study)
        assert time.process_time() - started < 3.0
        assert [row.steps for row in found] == [80] * 500
        assert found[7].outcomes == {"ok": 2400, "repaired": 0, "fallback": 0, "failed": 2}
