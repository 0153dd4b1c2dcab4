"""Who took part, and where they sat; titles; and a study from before there were people."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, MetaData, Text

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import PlayedStep, Study, migrations, schema, sqlite
from eduverse_mesa.store.run_list import headlines
from tests.postgres import FILE_ONLY
from tests.store.rows import run_row, step_rows

HOSTILE = ["%", "_", "O'Brien", '"; drop table runs; --', "x" * 100_000, "👩🏽‍🎓", "王小明", "\\", "<b>", "a\nb"]


@pytest.fixture
def study(place: str) -> Any:
    with Study.open(place, create=True) as opened:
        opened.add_run(run_row("a"))
        opened.add_run(run_row("b"))
        yield opened


def test_people_come_back_as_they_called_themselves(study: Study) -> None:
    for label in HOSTILE:
        before = study.participants()
        first, second = study.add_participant(label, "student"), study.add_participant(label, "teacher")
        assert [first.id, second.id] == [f"p{len(before) + 1}", f"p{len(before) + 2}"]
        assert study.participants() == [*before, first, second]
        assert study.participant(second.id) == second
        assert (second.label, second.role, second.state) == (label, "teacher", "present")
        assert first.created.endswith("+00:00")
        study.set_title("a", label)
        assert [row.title for row in study.runs()] == [label, ""]


@FILE_ONLY
def test_somebody_without_a_name_is_refused(study: Study) -> None:
    for label in ("", "  ", "\n"):
        with pytest.raises(StudyError, match="needs a name"):
            study.add_participant(label, "student")
    assert study.participants() == []


@FILE_ONLY
def test_a_participant_who_is_not_there_is_said(study: Study) -> None:
    with pytest.raises(StudyError, match=r"no participant 'p1'.*Nobody"):
        study.participant("p1")
    study.add_participant("Ann", "student")
    for ask in (lambda: study.participant("p7"), lambda: study.sit_down("p7", "a", "Liu Li", (1, 1))):
        with pytest.raises(StudyError, match=r"no participant 'p7'.*p1"):
            ask()
    for act in (
        lambda: study.sit_down("p1", "x", "Liu Li", (1, 1)),
        lambda: study.stand_up("x", "Liu Li", (1, 1)),
        lambda: study.sittings("x"),
        lambda: study.set_title("x", "t"),
    ):
        with pytest.raises(StudyError, match="no run 'x'"):
            act()


def test_sittings_have_a_beginning_and_an_end(study: Study) -> None:
    for name in ("Ann", "Bo"):
        study.add_participant(name, "student")
    study.sit_down("p1", "a", "Liu Li", (1, 1))
    study.sit_down("p2", "a", "Wang Fang", (1, 3))
    study.sit_down("p1", "b", "Liu Li", (1, 1))
    with pytest.raises(StudyError, match="p1 sits as Liu Li in run a already"):
        study.sit_down("p2", "a", "Liu Li", (1, 2))
    study.stand_up("a", "Liu Li", (1, 4))
    with pytest.raises(StudyError, match="nobody sits as Liu Li"):
        study.stand_up("a", "Liu Li", (1, 5))
    study.sit_down("p2", "a", "Liu Li", (1, 5))
    assert [tuple(row) for row in study.sittings("a")] == [
        ("p1", "a", "Liu Li", (1, 1), (1, 4), ""),
        ("p2", "a", "Wang Fang", (1, 3), None, ""),
        ("p2", "a", "Liu Li", (1, 5), None, ""),
    ]
    assert [row.run for row in study.sittings(participant="p1")] == ["a", "b"]
    assert len(study.sittings()) == 4


@FILE_ONLY
def test_who_leaves_before_the_first_step_was_never_there(study: Study) -> None:
    study.add_participant("Ann", "student")
    study.sit_down("p1", "a", "Liu Li", (2, 1))
    study.stand_up("a", "Liu Li", (1, 8))
    assert study.sittings("a") == []


def test_people_who_come_together_get_numbers_of_their_own(study: Study, place: str) -> None:
    def join() -> None:
        with Study.open(place) as mine:
            for number in range(10):
                mine.add_participant(f"somebody {number}", "student")

    threads = [Thread(target=join) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row.id for row in study.participants()) == sorted(f"p{number}" for number in range(1, 41))


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(label=TEXT.filter(str.strip), title=TEXT)
def test_any_text_is_a_label(label: str, title: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Study.open(str(tmp_path_factory.mktemp("any") / "a"), create=True) as study:
        study.add_run(run_row())
        with pytest.raises(StudyError, match="cannot hold"):
            study.add_participant(f"{label}\ud800", "student")
        study.add_participant(label, "student")
        study.set_title("a", title)
        assert (study.participant("p1").label, study.run("a").title) == (label, title)


def make_format_2(path: Path) -> None:
    """The study as the version before wrote it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("drop table sittings")
        connection.execute("drop table participants")
        for table, column in (
            *(("runs", name) for name in ("title", "planned")),
            *(("lessons", name) for name in ("updated", "ok", "repaired", "fallback", "failed")),
        ):
            connection.execute(f"alter table {table} drop column {column}")
        connection.execute("update meta set value = '2' where key = 'schema'")
        connection.commit()


def test_a_study_of_format_2_learns_to_know_people(tmp_path: Path) -> None:
    path = tmp_path / "old.study"
    with Study.open(str(path), create=True) as study:
        study.add_run(run_row("a", scenario='{"lessons":[{},{}],"settings":{"steps":4}}', planned=8))
        study.add_run(run_row("torn", scenario="no json"))
        study.commit("a", PlayedStep(1, 1, "one", step_rows(1, 1)))
        study.commit("a", PlayedStep(1, 2, "two", [row._replace(status="repaired") for row in step_rows(1, 2, 3)]))
        listed, there = headlines(study), study.runs()
        new = _tables(path)
    make_format_2(path)
    with pytest.raises(StudyError, match=r"older format 2.*eduverse upgrade"):
        Study.open(str(path), read_only=True)
    with Study.open(str(path)) as study:
        assert study.runs() == there
        assert headlines(study) == listed
        assert len(study.answers("a")) == 31
        study.commit("a", PlayedStep(1, 3, "three", step_rows(1, 3)))
        assert headlines(study)[0].outcomes == {"ok": 56, "repaired": 3, "fallback": 0, "failed": 0}
        study.set_title("a", "A title")
        study.sit_down(study.add_participant("Ann", "student").id, "a", "Liu Li", (1, 4))
    with Study.open(str(path), read_only=True) as study:
        assert study.run("a").title == "A title"
        assert [row.agent for row in study.sittings("a")] == ["Liu Li"]
    assert _tables(path) == new


def _tables(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(path)) as connection:
        tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
        names = [name for (name,) in connection.execute(tables)]
        return {
            name: {(row[1], row[2].upper(), *row[3:]) for row in connection.execute(f"pragma table_info({name})")}
            for name in names
        }


def test_a_study_that_the_version_before_wrote_is_brought_up_to_date(tmp_path: Path) -> None:
    """A real file of format 2, as text."""
    path = tmp_path / "old.study"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format_2.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
        before = connection.execute("select * from answers order by lesson, step, seq").fetchall()
    with Study.open(str(path)) as study:
        (row,) = headlines(study)
        assert (row.status, row.steps, row.planned, row.title, row.participants) == ("complete", 2, 2, "", ())
        assert row.outcomes == {"ok": len(before), "repaired": 0, "fallback": 0, "failed": 0}
        assert row.updated >= row.created > "2"
        assert [tuple(answer) for answer in study.answers(row.id)] == [(*one[1:], None) for one in before], (
            "who answered is not known"
        )
        study.sit_down(study.add_participant("Ann", "student").id, row.id, "Liu Li", (1, 1))
    with Study.open(str(tmp_path / "new.study"), create=True):
        assert _tables(path) == _tables(tmp_path / "new.study")


def test_a_study_of_before_there_were_tutors_learns_that_its_runs_are_of_lessons(tmp_path: Path) -> None:
    """A real file of format 4, as text."""
    path = tmp_path / "old.study"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format_4.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
    with pytest.raises(StudyError, match=r"older format 4.*eduverse upgrade"):
        Study.open(str(path), read_only=True)
    with Study.open(str(path)) as study:
        (row,) = headlines(study)
        assert (row.kind, row.title, row.steps, row.participants) == ("course", "A title", 2, ("p1",))
        assert row.outcomes == {"ok": 3, "repaired": 3, "fallback": 0, "failed": 0}
        study.add_run(run_row("b", kind="tutoring"))
        with pytest.raises(StudyError, match="cannot be entered"):
            study.add_run(run_row("c", kind="holiday"))
    with Study.open(str(path), read_only=True) as study:
        assert [row.kind for row in study.runs()] == ["course", "tutoring"]
    with Study.open(str(tmp_path / "new.study"), create=True):
        assert _tables(path) == _tables(tmp_path / "new.study")


def test_a_study_of_before_there_were_groups_may_hold_their_runs(tmp_path: Path) -> None:
    """A real file of format 5, as text: its table of runs is made anew, and nothing that names a run is lost."""
    path = tmp_path / "old.study"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format_5.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
    with Study.open(str(path)) as study:
        rows = study.runs()
        assert [(row.kind, row.parent, row.status) for row in rows] == [
            ("course", None, "complete"),
            ("course", rows[0].id, "complete"),
            ("tutoring", None, "complete"),
        ]
        assert len(study.answers(rows[0].id)) == len(study.answers(rows[2].id)) == 1
        assert [one.run for one in study.sittings()] == [rows[0].id]
        study.add_run(run_row("b", kind="collaboration"))
        with pytest.raises(StudyError, match="cannot be entered"):
            study.add_run(run_row("c", kind="holiday"))
        with pytest.raises(StudyError, match="no run 'x'"):
            study.add_run(run_row("d", parent="x", forked_at=(1, 1)))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma foreign_key_check").fetchall() == []
    with Study.open(str(tmp_path / "new.study"), create=True):
        assert _tables(path) == _tables(tmp_path / "new.study")


def test_a_study_of_before_runs_knew_their_rules_does_not_make_any_up(tmp_path: Path) -> None:
    """A real file of format 6, as text: a summary of each lesson holds all that a student remembers."""
    path = tmp_path / "old.study"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format_6.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
        before = connection.execute("select * from summaries order by lesson, student").fetchall()
    with Study.open(str(path)) as study:
        [row] = study.runs()
        assert (row.status, row.rules) == ("complete", 0)
        kept = [(row.id, lesson, *one) for lesson in (1, 2) for one in study.summaries(row.id, lesson)]
        assert kept == before
        assert len(kept) == 12
        study.add_run(run_row("b", rules=3))
        assert [one.rules for one in study.runs()] == [0, 3]
    with Study.open(str(tmp_path / "new.study"), create=True):
        assert _tables(path) == _tables(tmp_path / "new.study")


def test_what_leads_to_an_older_format_does_not_grow_with_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more column of runs, as a later version may want it: a file of format 5 still comes to it step by step."""
    later = MetaData()
    for table in schema.metadata.sorted_tables:
        table.to_metadata(later)
    later.tables["runs"].append_column(Column("mood", Text, nullable=False, server_default="calm"))

    def add_moods(connection: Connection) -> None:
        connection.exec_driver_sql("alter table runs add column mood text not null default 'calm'")

    monkeypatch.setattr(migrations, "metadata", later)
    monkeypatch.setattr(migrations, "runs", later.tables["runs"])
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, add_moods))
    path = tmp_path / "old.study"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / "format_5.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
    with Study.open(str(path)) as study:
        assert [row.kind for row in study.runs()] == ["course", "course", "tutoring"]
    with Study.open(str(tmp_path / "new.study"), create=True):
        assert _tables(path)["runs"] == _tables(tmp_path / "new.study")["runs"]
        assert any(column[0] == "mood" for column in _tables(path)["runs"])
