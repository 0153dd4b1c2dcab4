"""A study in a file: all that is SQLite's alone. What is no study is refused, and never touched."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.raw_files import connected, disconnected, peek
from eduverse_mesa.store.troubles import HOW_ONE_IS_MADE, told

if TYPE_CHECKING:
    from sqlalchemy import Engine

# https://www.sqlite.org/fileformat.html, section 1.3
_MAGIC = b"SQLite format 3\x00"
_HEADER_SIZE = 100
_APPLICATION_AT = slice(68, 72)

_APPLICATION = 0x45445556
"""'EDUV', in the file's application_id: this SQLite file is a study."""

_WAIT_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 0.005
_LEFT = "It was left as it is; name another file."
_DAMAGED = "It was left as it is; take a copy from before."


def open_file(name: str, create: bool, read_only: bool) -> Engine:
    """An engine for the study in this file."""
    from sqlalchemy import StaticPool, create_engine

    if not name or "\x00" in name:
        raise StudyError("this is no name of a file.", where=repr(name), mend="Name one, e.g. course.study.")
    path = Path(name)
    new = check_file(path, create and not read_only)
    # One connection for each open study: SQLite gains nothing by more, and every one costs files.
    engine = create_engine("sqlite://", creator=lambda: _connect(path, new, read_only), poolclass=StaticPool)
    _take_over_transactions(engine, read_only)
    return engine


def which_file(name: str) -> tuple[int, int] | None:
    """Which file is there under this path; None where there is none."""
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_file(path: Path, create: bool) -> bool:
    """True for a file that is to be made. Only a file that says it is a study is ever given to SQLite."""
    where = str(path)
    try:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no ordinary file"
            raise StudyError(f"this is {what}.", where=where, mend="Name a file for the study, e.g. course.study.")
        header = b""
        if path.exists():
            with peek(path) as file:
                header = file.read(_HEADER_SIZE)
        if not header:
            _check_new(path, create)
            return True
    except OSError as error:
        raise _unopened(where, error) from None
    if not header.startswith(_MAGIC[: len(header)]):
        raise StudyError("this is no study.", where=where, mend=_LEFT)
    if len(header) < _HEADER_SIZE:
        raise StudyError("the study is damaged: most of it is missing.", where=where, mend=_DAMAGED)
    if int.from_bytes(header[_APPLICATION_AT], "big") != _APPLICATION:
        raise StudyError("this is another program's database, not a study.", where=where, mend=_LEFT)
    with told(where):
        return _check_pages(path)


def _check_new(path: Path, create: bool) -> None:
    where = str(path)
    if not create and path.exists():
        raise StudyError("the file is empty: no study is in it.", where=where, mend=HOW_ONE_IS_MADE)
    if not create:
        raise StudyError("there is no such study.", where=where, mend=HOW_ONE_IS_MADE)
    steps = _side(path, "-wal")
    if _size(steps) and not _size(path):  # looked at again: somebody may be making it at this moment
        # SQLite would throw them away.
        raise StudyError(
            "the study is gone, but its last steps are still there.",
            where=where,
            mend=f"Put the study back, or delete {steps.name}.",
        )
    path.parent.mkdir(parents=True, exist_ok=True)


def _check_pages(path: Path) -> bool:
    connection = _connect(path, False, True)
    try:
        if connection.execute("pragma page_count").fetchone() == (0,):
            return True  # somebody was stopped while making it
        problems = connection.execute("pragma quick_check(1)").fetchall()
    finally:
        connection.close()
    if problems != [("ok",)]:
        raise StudyError("the study is damaged.", where=str(path), mend=_DAMAGED)
    return False


def _unopened(where: str, error: OSError) -> StudyError:
    return StudyError(
        f"the study cannot be opened ({error.strerror}).", where=where, mend="Check the path and its permissions."
    )


def _side(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int:
    """0 for a file that is not there: who closes a study last takes its log away at any moment."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class _Connection(sqlite3.Connection):
    """A connection that notes which database file it holds open; `raw_files.py` asks for it."""

    database: tuple[int, int] | None = None

    def close(self) -> None:
        """Close it, and say so."""
        super().close()
        database, self.database = self.database, None
        disconnected(database)


def _connect(path: Path, new: bool, read_only: bool) -> sqlite3.Connection:
    mode = _reading_mode(path) if read_only else "rwc" if new else "rw"
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=_WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=_Connection,
    )
    try:
        # Opened by its name, SQLite has not looked at it yet: it holds no lock that could be lost before this.
        connection.database = connected(path)
        if read_only:
            connection.execute("pragma query_only=on")
        else:
            _set_up(connection, new)
        connection.execute("pragma foreign_keys=on")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, new: bool) -> None:
    if new:
        # Before the log is switched on, so that it is in the header from the first moment.
        _insist(connection, f"pragma application_id={_APPLICATION}")
    _insist(connection, "pragma journal_mode=wal")
    connection.execute("pragma synchronous=full")
    # What is deleted may be what somebody said: it is overwritten, not only no longer listed.
    connection.execute("pragma secure_delete=on")
    # The log goes into the file less often: a lesson of six is not interrupted by it (16 MiB of log at most).
    connection.execute("pragma wal_autocheckpoint=4000")


def _insist(connection: sqlite3.Connection, statement: str) -> None:
    """Of those who make a study together one switches its log on; SQLite turns the others away without waiting."""
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(_LOOK_AGAIN_SECONDS)


def _reading_mode(path: Path) -> str:
    """How to read a study without leaving a trace."""
    log = _side(path, "-wal")
    pending = _size(log)
    if not os.access(path.parent, os.W_OK):
        if not pending:
            return "ro&immutable=1"  # the log's index has no room in the folder; nobody can write there either
        if not _side(path, "-shm").exists():
            raise StudyError(
                f"its last steps are in {log.name}, which cannot be read in a folder that cannot be written.",
                where=str(path),
                mend=f"Copy the study together with {log.name} to another folder, and open it there.",
            )
        return "ro"
    # Who reads only ("ro") leaves the log's two files behind; who may write takes them away again at the end, but also
    # moves steps from the log into the file, where there are any.
    return "ro" if pending or not os.access(path, os.W_OK) else "rw"


def _take_over_transactions(engine: Engine, read_only: bool) -> None:
    """Begin write transactions at once: a plain BEGIN that reads and then writes fails when two do so together."""
    from sqlalchemy import event

    statement = "BEGIN" if read_only else "BEGIN IMMEDIATE"

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(statement)
