"""The settings that a school has made for a study, beside its runs."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from eduverse_mesa.store.schema import meta
from eduverse_mesa.store.study import Study


def setting(study: Study, key: str) -> str | None:
    """Return the value that is set, if there is one."""
    with study.transaction() as connection:
        return read_setting(connection, key)


def read_setting(connection: Connection, key: str) -> str | None:
    """The same within a transaction."""
    return connection.execute(select(meta.c.value).where(meta.c.key == key)).scalar()


def write_setting(connection: Connection, key: str, value: str | None) -> None:
    """Set it within a transaction; None takes it away."""
    connection.execute(delete(meta).where(meta.c.key == key))
    if value is not None:
        connection.execute(insert(meta), {"key": key, "value": value})
