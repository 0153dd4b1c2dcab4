"""Patience with wrong passwords, which runs out: by name and address together, and more slowly by either alone.

Whoever guesses at one name waits longer and longer, at that address: others there, and the name elsewhere, do not. Many
names from one address, or one name from many, are let through at a steady pace only, once a good many were wrong.

Then the address is crowded, and whoever is wrong there hears the same: to wait. But names that nobody has cost only the
guesser: those at accounts are counted apart, and while they are few, a right password is still let in. So a script that
tries made-up names at a school keeps no pupil out, and learns nothing of which names there are. One that tries real
names keeps out nobody whose name it has not tried: each has a few tries that nobody else uses up. Who was tried gets in
with a browser that is known, and from elsewhere.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from sqlalchemy import Connection, Row, delete, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.naming import alike
from eduverse_mesa.store.schema import refusals

FREE = {"pair": 5, "browser": 8, "name": 50, "address": 200, "accounts": 200}
"""Wrong passwords before one has to wait. A class shares the address of its school, and many have typing mistakes."""

FIRST_WAIT = 2.0
LONGEST_WAIT = {"pair": 300.0, "browser": 60.0}
"""Seconds. Each wrong password doubles the wait."""

PACE = {"name": 60.0, "address": 2.0, "accounts": 2.0}
"""Seconds in which one wrong password is forgotten. They are counted whoever sends them, so nobody waits longer."""

OWN = 2
"""Tries at a crowded address that every account has for itself: whoever guesses at some of a school takes nothing from
the others. With those, guesses at an address are at most so many more for each of its accounts in an hour."""

FORGOTTEN = 3600.0
"""Seconds after which wrong passwords count no more."""


class TooManyError(StudyError):
    """Wrong passwords have come too often."""

    def __init__(self, wait: float, *, crowded: bool = False) -> None:
        self.wait, self.crowded = wait, crowded
        super().__init__("too many wrong passwords.", mend=f"Try again in {wait:.0f} seconds.")


class Try(NamedTuple):
    """A password that is to be looked at, or not."""

    keys: dict[str, str]
    """By which it is counted, and what each of them counts."""
    is_looked_at: bool
    crowded: float
    """Seconds that whoever is wrong is told to wait, since others at the address were; 0: it is not crowded."""


def begin_try(connection: Connection, name: str, address: str, known: str, *, exists: bool, now: float) -> Try:
    """Count a try before its password is looked at: many that come at once cannot all be the first. TooManyError where
    it has to wait by itself. `known`: the browser, where it is known for the account; `exists`: whether there is an
    account of the name, of which a crowded address gives no sign."""
    if known:
        return _counted(connection, {hashed(f"browser {known} {alike(name)}"): "browser"}, now)
    by_name, by_address = _key_of_name(name), hashed(f"guesses from {address}")
    usual = {f"{by_name}.{by_address}": "pair", by_name: "name", by_address: "address"}
    accounts = {hashed(f"guesses at accounts from {address}"): "accounts"} if exists else {}
    crowded = _wait_of(connection, {by_address: "address"}, now)
    if crowded <= 0:
        return _counted(connection, usual | accounts, now)
    # Counted apart from the usual tries, or else their waits would tell later which of the names exist.
    pair = f"{by_name}.crowd.{by_address}"
    quiet = {pair: "pair", f"{by_name}.crowd": "name"}
    if _tries(connection, pair) >= OWN:
        quiet |= accounts
    del usual[by_address]
    if not exists or _wait_of(connection, usual | quiet, now) > 0:
        return Try({}, False, crowded)
    return _counted(connection, quiet, now)._replace(crowded=crowded)


def _counted(connection: Connection, keys: dict[str, str], now: float) -> Try:
    wait = _wait_of(connection, keys, now)
    if wait > 0:
        raise TooManyError(wait)
    for key, kind in keys.items():
        _count(connection, key, kind, now)
    return Try(keys, True, 0.0)


def _key_of_name(name: str) -> str:
    return hashed(f"guesses at {alike(name)}")


def _wait_of(connection: Connection, keys: dict[str, str], now: float) -> float:
    """How long somebody has to wait who has tried too often; none where that is over."""
    for key, kind in keys.items():
        row = _row(connection, key)
        wait = 0.0 if row is None else _wait(kind, row.tries, row.last, now)
        if wait > 0:
            return wait
    return 0.0


def _wait(kind: str, tries: int, last: float, now: float) -> float:
    """Seconds until another password is looked at. Where there is a pace, `last` is such that all of them are forgotten
    when it is too long ago."""
    if kind in PACE:
        # Never longer than one pace: a clock that is set back keeps nobody out.
        return min(PACE[kind], last + FORGOTTEN - (FREE[kind] - 1) * PACE[kind] - now)
    if tries < FREE[kind]:
        return 0.0
    return min(LONGEST_WAIT[kind], FIRST_WAIT * 2.0 ** min(tries - FREE[kind], 20)) - (now - last)


def _count(connection: Connection, key: str, kind: str, now: float) -> None:
    """One try more."""
    row = _row(connection, key)
    before, since = (0, now - FORGOTTEN) if row is None or now - row.last > FORGOTTEN else (row.tries, row.last)
    tries, last = before + 1, since + PACE[kind] if kind in PACE else now
    if row is None:
        connection.execute(insert(refusals), {"key": key, "tries": tries, "last": last})
    else:
        connection.execute(update(refusals).where(refusals.c.key == key).values(tries=tries, last=last))


def _tries(connection: Connection, key: str) -> int:
    row = _row(connection, key)
    return 0 if row is None else row.tries


def _row(connection: Connection, key: str) -> Row[tuple[str, int, float]] | None:
    return connection.execute(select(refusals).where(refusals.c.key == key)).first()


def forgive(connection: Connection, keys: dict[str, str]) -> None:
    """A right password: what was wrong before is forgiven; what others count, too, gets back what this try has cost."""
    for key, kind in keys.items():
        mine = refusals.c.key == key
        if kind in PACE:
            back = {"tries": refusals.c.tries - 1, "last": refusals.c.last - PACE[kind]}
            connection.execute(update(refusals).where(mine).values(back))
        else:
            connection.execute(delete(refusals).where(mine))


def forgive_name(connection: Connection, name: str) -> None:
    """Wrong passwords for this name count no more: it has a new one, or nobody has it any longer."""
    key = _key_of_name(name)
    connection.execute(delete(refusals).where((refusals.c.key == key) | refusals.c.key.startswith(f"{key}.")))


def drop_forgotten(connection: Connection, now: float) -> None:
    """Take out those that count no more."""
    connection.execute(delete(refusals).where(refusals.c.last < now - FORGOTTEN))


def hashed(text: str) -> str:
    """What is kept of a name, an address or a token."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()
