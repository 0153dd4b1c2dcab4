"""Older studies on a server: the same tables and rows as in the files of that time, brought up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import inspect

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import Study, sqlite
from eduverse_mesa.store.run_list import headlines
from eduverse_mesa.store.schema import metadata
from tests.postgres import ALONE, Server
from tests.store.rows import run_row

pytestmark = ALONE


def copy(dump: Path, path: Path, url: str) -> None:
    """The study of this dump as a file, and table by table on the server."""
    with closing(sqlite3.connect(path)) as file, psycopg.connect(url) as server:
        file.executescript(dump.read_text("utf-8"))
        file.execute(f"pragma application_id={sqlite._APPLICATION}")
        made = dict(file.execute("select name, sql from sqlite_master where type = 'table'").fetchall())
        for name in [table.name for table in metadata.sorted_tables if table.name in made]:
            statement = made[name].replace("WITHOUT ROWID", "").replace("number INTEGER", "number SERIAL")
            server.execute(statement.encode())
            rows = file.execute(f"select * from {name} order by 1").fetchall()
            if rows:
                places = ", ".join(["%s"] * len(rows[0]))
                server.cursor().executemany(f"insert into {name} values ({places})".encode(), rows)
            if "SERIAL" in statement:
                last = f"select setval(pg_get_serial_sequence('{name}', 'number'), {len(rows) + 1}, false)"
                server.execute(last.encode())
        for (index,) in file.execute("select sql from sqlite_master where type = 'index' and sql is not null"):
            server.execute(index.encode())


def tables(study: Study) -> dict[str, Any]:
    """Columns, indexes and what is insisted upon, table by table."""
    looked = inspect(study._engine)
    return {
        name: (
            {one["name"]: (str(one["type"]), one["nullable"], one["default"]) for one in looked.get_columns(name)},
            sorted(str(one["sqltext"]) for one in looked.get_check_constraints(name)),
            sorted(str(one["constrained_columns"]) for one in looked.get_foreign_keys(name)),
            sorted(str(one["name"]) for one in looked.get_indexes(name)),
        )
        for name in looked.get_table_names()
    }


@pytest.mark.parametrize("version", [2, 4, 5, 6, 8])
def test_an_older_study_on_a_server_is_brought_up_to_date(version: int, postgres: Server, tmp_path: Path) -> None:
    path, url = tmp_path / "old.study", postgres.url(postgres.new("template0"))
    copy(Path(__file__).parent / f"format_{version}.sql", path, url)
    with pytest.raises(StudyError, match=rf"older format {version}.*eduverse upgrade URL"):
        Study.open(url, read_only=True)
    with Study.open(str(path)) as file, Study.open(url) as study:
        assert headlines(study) == headlines(file) != []
        assert study.runs() == file.runs()
        for run in study.runs():
            assert study.answers(run.id) == file.answers(run.id)
        assert (study.participants(), study.sittings()) == (file.participants(), file.sittings())
        study.add_run(run_row("b", kind="collaboration"))
        for wrong in ({"kind": "holiday"}, {"parent": "x", "forked_at": (1, 1)}):
            with pytest.raises(StudyError):
                study.add_run(run_row("c", **wrong))
        with Study.open(postgres.url(postgres.new())) as new:
            assert tables(study) == tables(new)
