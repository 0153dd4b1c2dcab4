"""A study without a trace of what was deleted or written over, as far as whoever uses its database can see to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from sqlalchemy import Connection, String, Table, select, text

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.postgresql import alone
from eduverse_mesa.store.raw_files import SIDES
from eduverse_mesa.store.schema import metadata
from eduverse_mesa.store.settings import read_setting, write_setting
from eduverse_mesa.store.study import Study


def files_of(path: Path) -> list[Path]:
    """A database's file and those that SQLite puts beside it, as far as they are there."""
    return [side for suffix in SIDES if (side := path.with_name(path.name + suffix)).exists()]


def own_files(study: Study) -> list[Path]:
    """The files of a study that can be searched from here: none, where a server keeps it."""
    return files_of(Path(study.path)) if study.kind == "sqlite" else []


def out_of_reach(study: Study) -> tuple[str, ...]:
    """Return the places that may still hold the words after a purge, and that are not ours to change."""
    return () if study.kind == "sqlite" else ("the server's own log of changes, its copies and its backups",)


def purge(study: Study) -> None:
    """Write a study anew without what nobody uses any more.

    It fails, and can be tried again, where another program reads the study at that moment or the disk has no room.
    """
    left = _purge_file(study) if study.kind == "sqlite" else _purge_tables(study)
    if left:
        raise StudyError(
            "the words were replaced, but the database still holds them, since another program reads it.",
            where=study.path,
            mend="Close the other programs that have it open, and erase once more.",
        )


def _purge_file(study: Study) -> bool:
    with study.driver() as driver:
        driver.execute("pragma secure_delete=on")
        driver.execute("vacuum")
        busy, _, _ = driver.execute("pragma wal_checkpoint(truncate)").fetchone()
        (unused,) = driver.execute("pragma freelist_count").fetchone()
    log = Path(f"{study.path}-wal")
    return bool(busy or unused or (log.exists() and log.stat().st_size))


def _purge_tables(study: Study) -> bool:
    """Write every table anew, and what the server has noted of its values for planning; whether some row that is dead
    had to be kept, since somebody still sees the study as it was before."""
    left = 0
    with study.outside() as connection, alone(connection):
        # What this connection has deleted is counted now, and not after the rows have been counted anew.
        connection.exec_driver_sql("select pg_stat_force_next_flush()")
        for table in metadata.tables:
            connection.exec_driver_sql(f"vacuum (full, analyze) {table}")
            _forget_values(connection, metadata.tables[table])
            dead = "select n_dead_tup from pg_stat_all_tables where relid = %(name)s::text::regclass"
            left += connection.exec_driver_sql(dead, {"name": table}).scalar_one()
        # Whoever does not own the database is told by a warning that this was left out.
        connection.exec_driver_sql("vacuum (full) pg_catalog.pg_statistic")
    return left > 0


def _forget_values(connection: Connection, table: Table) -> None:
    """A server that finds a table empty keeps what it has noted of its values before; a column's type, given anew,
    takes that away."""
    if connection.execute(select(table).limit(1)).first() is not None:
        return
    noted = text("select attname from pg_stats where schemaname = current_schema() and tablename = :name")
    names = set(connection.execute(noted, {"name": table.name}).scalars())
    for column in table.columns:
        if column.name in names and isinstance(column.type, String):
            kind = column.type.compile(connection.dialect)
            connection.exec_driver_sql(f"alter table {table.name} alter column {column.name} type {kind}")


_KEY = "purge"


class Due(msgspec.Struct, frozen=True):
    """It stays until the caches are rid of it, and the files are written anew and searched."""

    drawn: tuple[str, ...] = ()
    """Ids and hashes that stood with what has gone, and nowhere else."""
    words: tuple[str, ...] = ()
    """Texts that were said, as far as a language model may have repeated them."""

    def beside(self, other: Due) -> Due:
        """Both."""
        return Due(_once((*self.drawn, *other.drawn)), _once((*self.words, *other.words)))

    def without(self, other: Due) -> Due:
        """Return what is due here and does not belong to others."""
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
    """Clear the note once what was set aside is done; what others have noted meanwhile stays due."""
    with study.transaction() as connection:
        if _read(connection) == NOTHING:
            write_setting(connection, _KEY, None)


def _read(connection: Connection) -> Due:
    """Return what is noted as due; a mark without more was made by an earlier version."""
    try:
        return msgspec.json.decode(read_setting(connection, _KEY) or "{}", type=Due)
    except msgspec.DecodeError:
        return NOTHING


def _write(connection: Connection, due: Due) -> None:
    write_setting(connection, _KEY, msgspec.json.encode(due).decode())


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
