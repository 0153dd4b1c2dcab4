"""Statements as the driver wants them: a step is written while somebody waits for the next one.

SQLAlchemy's own way, through a dictionary for each row, takes longer than the database does; it still writes the SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ClauseElement, Connection, Table, insert
from sqlalchemy.engine import Dialect

Row = tuple[Any, ...]


@lru_cache(maxsize=64)
def _insertion(table: Table, dialect: Dialect, columns: int) -> tuple[str, tuple[str, ...], bool]:
    """The SQL of an insert, the names of its columns in order, and whether its parameters go by place."""
    # A number that the database gives is not among the values: the columns are the last so many of the table.
    names = tuple(column.name for column in table.columns)[-columns:]
    compiled = insert(table).inline().compile(dialect=dialect, column_keys=list(names))
    return str(compiled), names, bool(compiled.positional)


@lru_cache(maxsize=64)
def _statement(statement: ClauseElement, dialect: Dialect) -> tuple[str, Sequence[str] | None]:
    """The SQL, and the names of its parameters in order where they go by place."""
    compiled: Any = statement.compile(dialect=dialect)
    return str(compiled), compiled.positiontup


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows whose values stand in the order of the table's columns."""
    if not rows:
        return
    sql, names, by_place = _insertion(table, connection.dialect, len(rows[0]))
    values: Any = list(rows) if by_place else [dict(zip(names, row, strict=True)) for row in rows]
    connection.exec_driver_sql(sql, values)


def change_rows(connection: Connection, statement: ClauseElement, **values: Any) -> int:
    """Execute a statement, which should be one that stays; how many rows it changed."""
    sql, places = _statement(statement, connection.dialect)
    by_place: Any = values if places is None else tuple(values[name] for name in places)
    return connection.exec_driver_sql(sql, by_place).rowcount
