"""Open a database as a study: refuse what is none, and never touch what is refused."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.troubles import told

if TYPE_CHECKING:
    from sqlalchemy import Engine

_HEADER = b"SQLite format 3\x00"
_APPLICATION = 0x45445556
"""'EDUV', in the file's application_id: this SQLite file is a study."""
_WAIT_SECONDS = 30


def is_url(study: str) -> bool:
    """Whether this names a database server rather than a file."""
    return "://" in study


def open_engine(study: str, create: bool, read_only: bool) -> Engine:
    """An engine for the study."""
    from sqlalchemy import StaticPool, create_engine

    if is_url(study):
        with told(study.rsplit("@", 1)[-1]):  # never repeat a password
            return create_engine(study)
    path = Path(study)
    new = _check_file(path, create, read_only)
    engine = create_engine("sqlite://", creator=lambda: _connect(path, new, read_only), poolclass=StaticPool)
    _take_over_transactions(engine, read_only)
    return engine


def _check_file(path: Path, create: bool, read_only: bool) -> bool:
    """True for a file that is to be made."""
    where = str(path)
    try:
        if path.is_dir():
            raise StudyError("this is a folder.", where=where, mend="Name a file in it, e.g. course.study.")
        size = path.stat().st_size if path.exists() else None
        if size is None or (size == 0 and create):
            if not create or read_only:
                raise StudyError("there is no such study.", where=where, mend="Make one with eduverse run --out.")
            path.parent.mkdir(parents=True, exist_ok=True)
            return True
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StudyError(
            f"the study cannot be opened ({error.strerror}).", where=where, mend="Check the path and its permissions."
        ) from None
    if header != _HEADER:
        raise StudyError("this is no study, or a damaged one.", where=where, mend="It was left as it is.")
    with told(where):
        connection = _connect(path, False, True)
        try:
            _check_content(connection, where)
        finally:
            connection.close()
    return False


def _check_content(connection: sqlite3.Connection, where: str) -> None:
    """Look into the file without writing to it."""
    tables = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    (application,) = connection.execute("pragma application_id").fetchone()
    if application != _APPLICATION:
        whose = "an empty database" if not tables else "another program's database"
        raise StudyError(f"this is {whose}, not a study.", where=where, mend="It was left as it is.")
    problems = [row[0] for row in connection.execute("pragma quick_check(1)")]
    if problems != ["ok"]:
        raise StudyError("the study is damaged.", where=where, mend="It was left as it is; take a copy from before.")


def _connect(path: Path, new: bool, read_only: bool) -> sqlite3.Connection:
    location = f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rwc' if new else 'rw'}"
    if read_only and not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists():
        # A WAL file cannot be shared from a folder that cannot be written; nobody else can write there either.
        location += "&immutable=1"
    connection = sqlite3.connect(
        location, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        if not read_only:
            if new:
                connection.execute(f"pragma application_id={_APPLICATION}")
            connection.execute("pragma journal_mode=wal")
            connection.execute("pragma synchronous=full")
        connection.execute("pragma foreign_keys=on")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _take_over_transactions(engine: Engine, read_only: bool) -> None:
    """Begin write transactions at once: a plain BEGIN that reads and then writes fails when two do so together."""
    from sqlalchemy import event

    statement = "BEGIN" if read_only else "BEGIN IMMEDIATE"

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(statement)
