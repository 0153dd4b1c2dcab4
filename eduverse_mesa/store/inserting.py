"""Statements as the driver wants them: a step is written while somebody waits for the next one.

SQLAlchemy writes the SQL and keeps the transaction; the rows go to the driver's own cursor, since on the way through
SQLAlchemy's they would take longer than in the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import ClauseElement, Connection, Table, insert
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError

Row = tuple[Any, ...]


Insertion = tuple[str, tuple[str, ...], bool]
Change = tuple[str, Sequence[str] | None]

# Every study has an engine, and so a dialect, of its own; the SQL is the same for all that speak alike.
_insertions: dict[tuple[Table, int, str, str], Insertion] = {}
_changes: dict[tuple[ClauseElement, str, str], Change] = {}


def _insertion(table: Table, dialect: Dialect, columns: int) -> Insertion:
    """The SQL of an insert, the names of its columns in order, and whether its parameters go by place."""
    key = (table, columns, dialect.name, dialect.driver)
    if key not in _insertions:
        # A number that the database gives is not among the values: the columns are the last so many of the table.
        names = tuple(column.name for column in table.columns)[-columns:]
        compiled = insert(table).inline().compile(dialect=dialect, column_keys=list(names))
        _insertions[key] = str(compiled), names, bool(compiled.positional)
    return _insertions[key]


def _statement(statement: ClauseElement, dialect: Dialect) -> Change:
    """The SQL, and the names of its parameters in order where they go by place."""
    key = (statement, dialect.name, dialect.driver)
    if key not in _changes:
        compiled: Any = statement.compile(dialect=dialect)
        _changes[key] = str(compiled), compiled.positiontup
    return _changes[key]


@contextmanager
def _cursor(connection: Connection) -> Iterator[Any]:
    """The driver's cursor, with errors as SQLAlchemy would raise them, whatever the driver calls them."""
    trouble = connection.dialect.loaded_dbapi.Error
    with closing(connection.connection.cursor()) as cursor:
        try:
            yield cursor
        except trouble as error:
            raise DBAPIError.instance(None, None, error, trouble, dialect=connection.dialect) from error


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows whose values stand in the order of the table's columns."""
    if not rows:
        return
    sql, names, by_place = _insertion(table, connection.dialect, len(rows[0]))
    values: Any = rows if by_place else [dict(zip(names, row, strict=True)) for row in rows]
    with _cursor(connection) as cursor:
        cursor.executemany(sql, values)


def change_rows(connection: Connection, statement: ClauseElement, **values: Any) -> int:
    """Execute a statement, which should be one that stays; how many rows it changed."""
    sql, places = _statement(statement, connection.dialect)
    by_place: Any = values if places is None else tuple(values[name] for name in places)
    with _cursor(connection) as cursor:
        cursor.execute(sql, by_place)
        return int(cursor.rowcount)
