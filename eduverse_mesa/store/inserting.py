"""Many rows at once: a step is written while somebody waits for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.engine import Dialect

Row = tuple[Any, ...]


@lru_cache(maxsize=64)
def _statement(table: Table, dialect: Dialect, columns: int) -> tuple[str, tuple[str, ...], bool]:
    """The SQL of an insert, the names of its columns in order, and whether its parameters go by place."""
    # A number that the database gives is not among the values: the columns are the last so many of the table.
    names = tuple(column.name for column in table.columns)[-columns:]
    compiled = insert(table).compile(dialect=dialect, column_keys=list(names))
    return str(compiled), names, bool(compiled.positional)


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows whose values stand in the order of the table's columns.

    The driver gets the rows as they are: SQLAlchemy's own way through a dictionary for each row takes longer than the
    database does.
    """
    if not rows:
        return
    sql, names, by_place = _statement(table, connection.dialect, len(rows[0]))
    values: Any = list(rows) if by_place else [dict(zip(names, row, strict=True)) for row in rows]
    connection.exec_driver_sql(sql, values)
