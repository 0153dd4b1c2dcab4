"""Patience with wrong passwords, which runs out: by the name, by the address and by the browser."""

from __future__ import annotations

from hashlib import blake2b

from sqlalchemy import Connection, delete, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.naming import alike
from eduverse_mesa.store.schema import refusals

FREE = {"name": 5, "address": 30, "browser": 8}
"""Wrong passwords before one has to wait. A class shares the address of its school, and many have typing mistakes."""

FIRST_WAIT = 2.0
LONGEST_WAIT = {"name": 300.0, "address": 30.0, "browser": 60.0}
"""Seconds. One pupil's script must not keep a class out for long; passwords that are drawn stand far more guesses."""

FORGOTTEN = 3600.0
"""Seconds after which wrong passwords count no more."""


class TooManyError(StudyError):
    """Wrong passwords have come too often."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        super().__init__("too many wrong passwords.", mend=f"Try again in {wait:.0f} seconds.")


def keys_of(name: str, address: str, known: str) -> dict[str, str]:
    """What wrong passwords are counted by. A browser that is known counts its own, and stands aside from what others
    do with the name or from the same address."""
    if known:
        return {hashed(f"browser {known} {alike(name)}"): "browser"}
    return {_key_of_name(name): "name", hashed(f"address {address}"): "address"}


def _key_of_name(name: str) -> str:
    return hashed(f"name {alike(name)}")


def refuse_too_many(connection: Connection, keys: dict[str, str], now: float) -> None:
    """Let somebody wait who has tried too often."""
    for key, kind in keys.items():
        row = connection.execute(select(refusals).where(refusals.c.key == key)).first()
        if row is None or row.tries < FREE[kind]:
            continue
        wait = min(LONGEST_WAIT[kind], FIRST_WAIT * 2.0 ** min(row.tries - FREE[kind], 20)) - (now - row.last)
        if wait > 0:
            raise TooManyError(wait)


def count(connection: Connection, key: str, now: float) -> None:
    """One try more."""
    row = connection.execute(select(refusals).where(refusals.c.key == key)).first()
    if row is None:
        connection.execute(insert(refusals), {"key": key, "tries": 1, "last": now})
        return
    tries = 1 if now - row.last > FORGOTTEN else row.tries + 1
    connection.execute(update(refusals).where(refusals.c.key == key).values(tries=tries, last=now))


def forgive(connection: Connection, keys: dict[str, str]) -> None:
    """A right password: the name is forgiven, and the address gets back what this try has cost."""
    for key, kind in keys.items():
        if kind == "address":
            connection.execute(
                update(refusals).where(refusals.c.key == key).values(tries=refusals.c.tries - 1)
            )  # fmt: skip
        else:
            connection.execute(delete(refusals).where(refusals.c.key == key))


def forgive_name(connection: Connection, name: str) -> None:
    """Wrong passwords for this name count no more: it has a new one, or nobody has it any longer."""
    connection.execute(delete(refusals).where(refusals.c.key == _key_of_name(name)))


def drop_forgotten(connection: Connection, now: float) -> None:
    """Take out those that count no more."""
    connection.execute(delete(refusals).where(refusals.c.last < now - FORGOTTEN))


def hashed(text: str) -> str:
    """What is kept of a name, an address or a token."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()
