"""Older studies brought up to date on demand, with a copy of how they were."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs import open_study, replay_run, results
from eduverse_mesa.store import Study, sqlite
from eduverse_mesa.store.migrations import newest_format, study_format, upgrade
from tests.cli.commands import call, refusal
from tests.postgres import ALONE, Server
from tests.store.test_migrations import copy as put_on_a_server

FORMATS = (2, 4, 5, 6, 8)
Capture = pytest.CaptureFixture[str]


def old_study(path: Path, version: int) -> Path:
    """A real study of that format."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((Path(__file__).parent / f"format_{version}.sql").read_text("utf-8"))
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
    return path


def content(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("version", FORMATS)
def test_an_old_study_is_brought_up_to_date_and_a_copy_is_kept(version: int, tmp_path: Path, capsys: Capture) -> None:
    path = old_study(tmp_path / "my course.study", version)
    before = content(path)
    for command in ("list", "replay", "participants"):
        told = refusal(capsys, command, path)
        assert f"has the older format {version}. Bring it up to date: eduverse upgrade '{path}'" in told
    assert content(path) == before, "to look at it changes nothing"
    said = call(capsys, "upgrade", path)
    kept = tmp_path / f"my course.format-{version}.study"
    assert said.code == 0
    assert f"{path} had format {version}, and has format {newest_format()} now." in said.out
    assert f"As it was it is kept in {kept}" in said.out
    assert content(kept) == before
    assert study_format(str(kept)).format == version, "the copy is a study itself"
    assert call(capsys, "list", path).code == 0
    again = call(capsys, "upgrade", path)
    assert (again.code, "there is nothing to do" in again.out) == (0, True)
    assert sorted(one.name for one in tmp_path.glob("*.study")) == sorted([kept.name, path.name])


def test_what_is_only_in_the_log_yet_is_in_the_copy_and_no_copy_is_written_over(tmp_path: Path) -> None:
    path = old_study(tmp_path / "a.study", 6)
    with closing(sqlite3.connect(path)) as program:
        program.execute("pragma journal_mode=wal")
        program.execute("update runs set title = 'late'")
        program.commit()
        assert path.with_name("a.study-wal").stat().st_size
        (tmp_path / "a.format-6.study").write_text("something else")
        kept = upgrade(str(path))
        assert program.execute("select title from runs").fetchall() == [("late",)]
    assert kept == str(tmp_path / "a.format-6-2.study")
    assert (tmp_path / "a.format-6.study").read_text() == "something else"
    with closing(sqlite3.connect(kept)) as copy:
        assert copy.execute("select title from runs").fetchall() == [("late",)]


def test_where_no_copy_can_be_made_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_study(tmp_path / "a.study", 6)
    before = content(path)
    nowhere = tmp_path / "gone" / "b.study"
    monkeypatch.setattr("eduverse_mesa.store.migrations._free", lambda _: nowhere)
    with pytest.raises(StudyError, match=r"no copy .* can be written.*left as it is"):
        upgrade(str(path))
    assert content(path) == before


def test_a_study_that_cannot_be_brought_up_to_date_is_left_with_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = old_study(tmp_path / "a.study", 6)
    before = content(path)

    def refuse(*_: object, **__: object) -> None:
        raise StudyError("the disk is full.")

    monkeypatch.setattr("eduverse_mesa.store.migrations._add_columns", refuse)
    with pytest.raises(StudyError, match="disk is full"):
        upgrade(str(path))
    assert content(path) == before
    assert [one.name for one in tmp_path.iterdir()] == ["a.study"]


def test_what_is_no_study_of_this_version_or_an_older_one_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert "there is no such study" in refusal(capsys, "upgrade", tmp_path / "none.study")
    (tmp_path / "text.study").write_text("hello")
    assert "this is no study" in refusal(capsys, "upgrade", tmp_path / "text.study")
    path = tmp_path / "later.study"
    Study.open(str(path), create=True).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update meta set value = '99' where key = 'schema'")
        connection.commit()
    assert "has format 99" in refusal(capsys, "upgrade", path)


@ALONE
def test_of_a_study_on_a_server_no_copy_is_made_and_it_is_asked_before(
    postgres: Server, tmp_path: Path, capsys: Capture
) -> None:
    path, url = tmp_path / "old.study", postgres.url(postgres.new("template0"))
    put_on_a_server(Path(__file__).parent / "format_5.sql", path, url)
    assert "older format 5. Bring it up to date: eduverse upgrade URL (make a copy before: pg_dump)" in refusal(
        capsys, "list", url
    )
    asked = call(capsys, "upgrade", url)
    assert asked.code == 2
    assert f"Format 5 becomes {newest_format()} in the database itself" in asked.err
    assert "pg_dump" in asked.err
    assert "Add --yes where it is meant" in asked.err
    assert study_format(url).format == 5
    said = call(capsys, "upgrade", url, "--yes")
    assert said.code == 0
    assert f"had format 5, and has format {newest_format()} now." in said.out
    assert study_format(url).format == newest_format()
    assert "there is nothing to do" in call(capsys, "upgrade", url).out


def test_what_a_run_has_spent_is_told_from_estimates_as_far_as_its_answers_tell(tmp_path: Path) -> None:
    """Of 17 requests 16 stand with answers, three of which do not tell what they took; the probe's stands nowhere."""
    path = old_study(tmp_path / "a.study", 8)
    with closing(sqlite3.connect(path)) as connection:
        (before,) = connection.execute("select spent from runs").fetchone()
    assert before == '{"tokens":40191,"requests":17,"usd":0.0}'
    with Study.open(str(path)) as study:
        (run,) = study.runs()
        rows = study.answers(run.id)
        bill = Bill.read(run.spent)
        told = [(row.tokens_in, row.tokens_out) for row in rows if row.calls and row.tokens_in and row.tokens_out]
        assert {row.model for row in rows} == {None}
        assert bill.tokens == sum(read + written for read, written in told) == 13 * 1050
        assert (bill.requests, bill.untold, bill.tokens + bill.most_tokens) == (17, 17 - 13, 40191)
        assert bill.cost is None
    assert replayed(path)["models"]["untold"]["calls"] == 4


def replayed(path: Path) -> dict[str, Any]:
    with open_study(str(path), read_only=True) as opened:
        return results(replay_run(opened, opened.newest()))
