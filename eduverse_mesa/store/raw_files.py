"""A database's files read byte by byte, beside SQLite and in the same process.

Where locks are POSIX's, a process that closes a file loses all locks that it has on it, through whatever handle they
came: SQLite would go on without them, and another program that believes itself to be alone would take the log away
from under it (https://www.sqlite.org/howtocorrupt.html, section 2.2). So as long as a connection to the database is
open here, what was opened to be read stays open, and is used again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

SIDES = ("", "-wal", "-shm", "-journal")
"""Endings behind a database's name in the names of the files that SQLite puts beside it."""

_Inode = tuple[int, int]


@dataclass(slots=True)
class _Held:
    """The connections to one database, and the readers of its files."""

    connections: int = 0
    readers: int = 0
    files: dict[_Inode, int] = field(default_factory=dict)


_door = Lock()
_held: dict[_Inode, _Held] = {}


class Reader:
    """A file that is read from its beginning, whoever else reads it."""

    def __init__(self, file: int) -> None:
        self._file, self._at = file, 0

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end."""
        with _door:  # not every system can read at a place without going there
            os.lseek(self._file, self._at, os.SEEK_SET)
            found = os.read(self._file, size)
        self._at += len(found)
        return found


@contextmanager
def peek(path: Path) -> Iterator[Reader]:
    """Read a file, which may be a database's or stand beside one."""
    own = _inode(path)
    if own is None:
        raise FileNotFoundError(2, "No such file or directory", str(path))
    database = _inode(_database_of(path)) or own
    with _door:
        there = _held.setdefault(database, _Held())
        there.readers += 1
        try:
            if own not in there.files:
                there.files[own] = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError:
            there.readers -= 1
            _let_go(database)
            raise
        file = there.files[own]
    try:
        yield Reader(file)
    finally:
        with _door:
            there.readers -= 1
            _let_go(database)


def connected(path: Path) -> _Inode | None:
    """A connection to this database is there from now on; gives what `disconnected` wants."""
    database = _inode(path)
    if database is not None:
        with _door:
            _held.setdefault(database, _Held()).connections += 1
    return database


def disconnected(database: _Inode | None) -> None:
    """A connection was closed."""
    if database is not None:
        with _door:
            _held[database].connections -= 1
            _let_go(database)


def _let_go(database: _Inode) -> None:
    there = _held[database]
    if there.connections or there.readers:
        return
    del _held[database]
    for file in there.files.values():
        os.close(file)


def _inode(path: Path) -> _Inode | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _database_of(path: Path) -> Path:
    side = next((one for one in SIDES[1:] if path.name.endswith(one)), "")
    return path.with_name(path.name.removesuffix(side)) if side else path
