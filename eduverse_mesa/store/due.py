"""What an erasing still has to forget and to search for: noted in the transaction in which its rows go, so that neither
a crash nor another program that holds a file loses it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from sqlalchemy import Connection

from eduverse_mesa.store.settings import read_setting, write_setting
from eduverse_mesa.store.study import Study

_KEY = "purge"


class Due(msgspec.Struct, frozen=True):
    """It stays until the caches are rid of it, and the files are written anew and searched."""

    drawn: tuple[str, ...] = ()
    """Ids and hashes that stood with what has gone, and nowhere else."""
    words: tuple[str, ...] = ()
    """What was said, as far as a language model may have repeated it."""

    def beside(self, other: Due) -> Due:
        """Both."""
        return Due(_once((*self.drawn, *other.drawn)), _once((*self.words, *other.words)))

    def without(self, other: Due) -> Due:
        """What belongs to others."""
        drawn, words = set(other.drawn), set(other.words)
        return Due(
            tuple(one for one in self.drawn if one not in drawn), tuple(one for one in self.words if one not in words)
        )


NOTHING = Due()


def add_due(connection: Connection, due: Due, runs: Iterable[str]) -> None:
    """Note it, with the runs that go in this transaction."""
    _write(connection, _read(connection).beside(due).beside(Due(tuple(runs))))


def find_due(study: Study) -> Due | None:
    """All that is due; None: nothing. It may be empty: then files are to be written anew."""
    with study.transaction() as connection:
        return None if read_setting(connection, _KEY) is None else _read(connection)


def set_aside(study: Study, due: Due) -> None:
    """It is noted no more, though still due: the search would find what it is told to search for."""
    with study.transaction() as connection:
        _write(connection, _read(connection).without(due))


def put_back(study: Study, due: Due) -> None:
    """It could not be done."""
    with study.transaction() as connection:
        add_due(connection, due, ())


def settle(study: Study) -> None:
    """What was set aside is done; what others have noted meanwhile stays due."""
    with study.transaction() as connection:
        if _read(connection) == NOTHING:
            write_setting(connection, _KEY, None)


def _read(connection: Connection) -> Due:
    """As it is noted; a mark without more was made by an earlier version."""
    try:
        return msgspec.json.decode(read_setting(connection, _KEY) or "{}", type=Due)
    except msgspec.DecodeError:
        return NOTHING


def _write(connection: Connection, due: Due) -> None:
    write_setting(connection, _KEY, msgspec.json.encode(due).decode())


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
