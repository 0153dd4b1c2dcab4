"""A study in a database on a server: all that is PostgreSQL's alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.troubles import told

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

TURN = 0x45445556
"""'EDUV': who writes to a study holds the advisory lock of this number in its database."""

_WAIT_SECONDS = 30
_CONNECTING_SECONDS = 10
_LOST_SECONDS = 60

_KNOWN = frozenset({"postgresql", "postgresql+psycopg"})
_PLACE = frozenset({"host", "port", "service", "options", "sslmode"})
"""The parts of a URL's query that say where the study is; the rest may hold a password."""


def place_of(url: URL) -> str:
    """A URL as messages name it: whatever may be secret is left out."""
    shown = url.set(query={name: value for name, value in url.query.items() if name in _PLACE})
    return shown.render_as_string(hide_password=True)


def open_server(url: URL, where: str, read_only: bool) -> Engine:
    """An engine for the study in this database."""
    from sqlalchemy import create_engine

    if url.drivername not in _KNOWN:
        raise StudyError(
            f"a study cannot be reached by {url.drivername}.", where=where, mend="Write it as postgresql://..."
        )
    # Threads share one connection, as they do for a file. Who only reads sees the study as it was at one moment.
    isolation, options = "READ COMMITTED", {}
    if read_only:
        isolation, options = "REPEATABLE READ", {"postgresql_readonly": True}
    with told(where):
        try:
            engine = create_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_size=1,
                max_overflow=0,
                pool_pre_ping=True,  # a server that was started anew meanwhile is no trouble
                isolation_level=isolation,
                execution_options=options,
                connect_args=_patience(url),
                hide_parameters=True,
            )
        except ModuleNotFoundError as error:
            raise StudyError(
                f"the driver for PostgreSQL is not installed ({error.name}).",
                where=where,
                mend="pip install 'eduverse-mesa[postgres]'",
            ) from None
    _check_encoding(engine, where)
    if not read_only:
        _take_turns(engine)
    return engine


def _patience(url: URL) -> dict[str, Any]:
    """How long a server that does not answer is waited for, where the URL does not say."""
    wanted = {"connect_timeout": _CONNECTING_SECONDS, "tcp_user_timeout": 1000 * _LOST_SECONDS}
    return {name: value for name, value in wanted.items() if name not in url.query}


def _check_encoding(engine: Engine, where: str) -> None:
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def check(connection: Any, _: Any) -> None:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StudyError(
                f"a study needs a database in UTF-8; this one is in {encoding}.",
                where=where,
                mend="Make another: create database ... encoding 'UTF8' template template0.",
            )


def _take_turns(engine: Engine) -> None:
    """One program writes at a time, as in a file: whoever has waited sees all that was written before it, so that what
    it reads and what it makes of it belong together."""
    from sqlalchemy import event

    statement = f"select set_config('lock_timeout', '{_WAIT_SECONDS}s', true), pg_advisory_xact_lock({TURN})"

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(statement)


@contextmanager
def alone(connection: Connection) -> Iterator[None]:
    """Keep everybody else from writing meanwhile, though there is no transaction, and wait for those who read."""
    connection.exec_driver_sql(f"set lock_timeout = '{_WAIT_SECONDS}s'")
    connection.exec_driver_sql(f"select pg_advisory_lock({TURN})")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"select pg_advisory_unlock({TURN})")
        connection.exec_driver_sql("reset lock_timeout")


def standing(connection: Connection) -> str:
    """Return a text that is another one after anything was written on the server: which transactions are seen."""
    return str(connection.exec_driver_sql("select pg_current_snapshot()").scalar_one())
