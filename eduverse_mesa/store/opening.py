"""Open what the user named: a file, or a database on a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.sqlite import open_file
from eduverse_mesa.store.troubles import told

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_URL = re.compile(r"[a-z][a-z0-9+]+://")


def open_engine(study: str, create: bool, read_only: bool) -> tuple[Engine, str]:
    """An engine, and what messages call the study: its path, or its URL without the password."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    if not _URL.match(study):
        return open_file(study, create, read_only), study
    try:
        url = make_url(study)
    except (SQLAlchemyError, ValueError):  # the latter for a port that is no number
        raise StudyError(
            "this is no URL of a database.",
            where=f"{study.partition('://')[0]}://...",  # the rest may hold a password
            mend="Write it as postgresql://user@host:5432/name, or name a file.",
        ) from None
    if url.get_backend_name() == "sqlite":
        return _open_sqlite_url(url, create, read_only), str(url.database)
    where = url.set(query={}).render_as_string(hide_password=True)
    if url.get_backend_name() != "postgresql":
        raise StudyError(
            "a study is kept in SQLite or PostgreSQL.", where=where, mend="Name a file, or postgresql://..."
        )
    return _open_server(url, where, read_only), where


def _open_sqlite_url(url: URL, create: bool, read_only: bool) -> Engine:
    if not url.database or url.database == ":memory:" or url.query:
        raise StudyError(
            "a study in SQLite is a file, opened by its path alone.",
            where=url.render_as_string(),
            mend="Name the file, e.g. course.study.",
        )
    return open_file(str(Path(url.database)), create, read_only)


def _open_server(url: URL, where: str, read_only: bool) -> Engine:
    from sqlalchemy import create_engine

    with told(where):
        try:
            return create_engine(url, execution_options={"postgresql_readonly": True} if read_only else {})
        except ModuleNotFoundError as error:
            raise StudyError(
                f"the driver for PostgreSQL is not installed ({error.name}).",
                where=where,
                mend="Install psycopg, and write the URL as postgresql+psycopg://...",
            ) from None
