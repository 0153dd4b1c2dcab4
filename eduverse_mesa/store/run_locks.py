"""A sign on a server that a living program writes a run down: it is gone when the program is, however that ended."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from eduverse_mesa.store.location import open_engine
from eduverse_mesa.store.postgresql import TURN
from eduverse_mesa.store.troubles import told

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_KEY_BYTES = 4


class ServerHold:
    """A run is held by this process until `leave` is called or the connection ends."""

    def __init__(self, engine: Engine, connection: Connection) -> None:
        self._engine, self._connection = engine, connection

    def leave(self) -> None:
        """Hold it no longer."""
        self._connection.invalidate()  # what is held goes with the connection, also where the server has gone before
        self._connection.close()
        self._engine.dispose()


def hold_on_server(study: str, run: str) -> ServerHold | None:
    """Hold a run of a study whose place is a URL; None where another living process does."""
    engine, where = open_engine(study, create=False, read_only=True)
    number = int.from_bytes(blake2b(run.encode(), digest_size=_KEY_BYTES).digest(), "big", signed=True)
    try:
        with told(where):
            connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            if connection.exec_driver_sql(f"select pg_try_advisory_lock({TURN}, {number})").scalar_one():
                return ServerHold(engine, connection)
            connection.close()
    except BaseException:
        engine.dispose()
        raise
    engine.dispose()
    return None
