"""Single answers taken out of the cache, so that no byte of them stays: a model may have quoted a person."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from eduverse_mesa.errors import PolicyError

_WAIT_SECONDS = 30.0


def forget_answers(path: Path, holds: Callable[[str], bool]) -> int:
    """Forget the answers whose text is like that; gives how many. The file must be a cache of answers."""
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)) as connection:
            connection.execute("pragma secure_delete=on")
            rows = connection.execute("select key, text from answers").fetchall()
            found = [(key,) for key, text in rows if isinstance(text, str) and _any(text, holds)]
            connection.executemany("delete from answers where key = ?", found)
            if found:
                connection.execute("vacuum")
            (busy, _, _) = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    except sqlite3.Error as error:
        raise PolicyError(
            f"the cache of answers cannot be searched: {error}.",
            where=str(path),
            mend="Close what uses it and try again, or delete it: its answers are asked for again.",
        ) from None
    if busy:
        raise PolicyError(
            "another program reads the cache of answers.", where=str(path), mend="Close it, and try again."
        )
    return len(found)


def _any(text: str, holds: Callable[[str], bool]) -> bool:
    """The text as it is, or any text within it where it is JSON: there, letters may be written as escapes."""
    if holds(text):
        return True
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str) and holds(part):
            return True
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
    return False
