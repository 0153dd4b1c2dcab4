"""URLs: what is sent to a server is no dialect of SQLite, and passwords stay secret."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateTable

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import Study, schema, steps
from eduverse_mesa.store.location import shown
from eduverse_mesa.store.steps import insert_rows
from tests.cli.commands import refusal
from tests.store.rows import run_row


def test_a_url_of_sqlite_is_a_file_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    with Study.open(f"sqlite:///{path}", create=True) as study:
        assert study.path == shown(f"sqlite:///{path}") == shown(str(path)) == str(path)
        study.add_run(run_row())
    with Study.open(str(path), read_only=True) as study:
        assert study.runs() == [run_row()]
    (tmp_path / "diary").write_text("Dear diary")
    with pytest.raises(StudyError, match="no study"):
        Study.open(f"sqlite:///{tmp_path / 'diary'}", create=True)


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://ann:secret@host/study",
        "nonsense://ann:secret@host/x?password=secret",
        "postgresql+nonsense://ann:secret@host/x?password=secret",
        "postgresql://ann:secret@host:port/x",
    ],
)
def test_what_cannot_hold_a_study_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StudyError) as caught:
        Study.open(url, create=True)
    assert caught.value.mend
    assert "secret" not in str(caught.value)


AMISS = {
    "postgresql://ann:my@secretTAIL@host/x": "postgresql://***@host/x",
    "postgresql://ann:my@secret@TAIL@host:5432/x?sslmode=require": "postgresql://***@host:5432/x",
    "postgresql://ann@secret:word@host/x": "postgresql://***@host/x",
    "postgresql://ann:my@secret/TAIL@host/x": "postgresql://***@host/x",
    "postgresql://ann:my@secret?TAIL@host/x": "postgresql://...",
    "postgresql://ann:word@host/x?password=my@secretTAIL": "postgresql://...",
    "postgresql://ann:secretTAIL@host:badport/x": "postgresql://...",
    "postgresql://ann:secretTAIL": "postgresql://...",
    "postgresql://ann:secretTAIL@../x": "postgresql://...",
    "postgresql://ann:secretTAIL@a..b/x": "postgresql://...",
    "postgresql://ann:secretTAIL@/x?host=a..b": "postgresql://...",
    f"postgresql://ann:secretTAIL@{'h' * 64}.example/x": "postgresql://...",
}


@pytest.mark.parametrize("url", AMISS)
@pytest.mark.parametrize("command", [("list",), ("mathvc", "serve", "--port", "0", "--study"), ("delete", "--yes")])
def test_a_url_that_is_amiss_is_told_in_a_sentence_and_asked_of_nobody(
    url: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", ask)
    told = refusal(capsys, *command, url)
    assert AMISS[url] in told
    assert ("%40" in told) == (url.count("@") > 1)
    assert not any(word in told for word in ("secret", "TAIL", "Traceback"))
    with pytest.raises(StudyError) as caught:
        Study.open(url)
    assert str(caught.value) in told
    with pytest.raises(StudyError):
        shown(url)


def test_an_at_sign_is_written_with_a_percent_sign() -> None:
    assert shown("postgresql://ann%40school:my%40secret@host/x") == "postgresql://ann%40school:***@host/x"
    assert shown("postgresql://host/x?user=ann@school") == "postgresql://host/x"


@pytest.mark.parametrize("name", ["", "a\x00b"])
def test_what_is_no_name_of_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no name of a file"):
        Study.open(name and str(tmp_path / name), create=True)
    assert list(tmp_path.iterdir()) == []


def test_the_tables_and_the_turn_are_plain_sql() -> None:
    dialect = postgresql.dialect()
    made = [str(CreateTable(table).compile(dialect=dialect)) for table in schema.metadata.sorted_tables]
    assert len(made) == 23
    assert not any(word in sql.upper() for sql in made for word in ("ROWID", "AUTOINCREMENT", "PRAGMA"))
    assert str(steps._ADVANCE.compile(dialect=dialect)).startswith("UPDATE lessons SET")


def test_every_drivers_errors_come_as_those_of_sqlalchemy(tmp_path: Path) -> None:
    """Rows go to the driver itself, whose errors have other classes in every driver."""
    with Study.open(str(tmp_path / "a"), create=True) as study, study._engine.begin() as connection:
        with pytest.raises(IntegrityError):
            insert_rows(connection, schema.meta, [("twice", "1"), ("twice", "2")])
        connection.rollback()
