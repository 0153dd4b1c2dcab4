"""Logging in: tokens that only the browser has, and patience with wrong passwords that runs out."""

from __future__ import annotations

import secrets
from hashlib import blake2b

from sqlalchemy import Connection, delete, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.accounts import account_named
from eduverse_mesa.store.passwords import is_password
from eduverse_mesa.store.rows import AccountRow
from eduverse_mesa.store.schema import accounts, logins, refusals
from eduverse_mesa.store.study import Study

IDLE, LONGEST = 2 * 3600.0, 12 * 3600.0
"""Seconds after which a login ends: without a sign of life, and in any case."""

FREE = {"name": 5, "address": 30}
"""Wrong passwords before one has to wait. A class shares the address of its school, and many have typing mistakes."""

FIRST_WAIT, LONGEST_WAIT = 2.0, 900.0
FORGOTTEN = 3600.0
"""Seconds after which wrong passwords count no more."""


class TooManyError(StudyError):
    """Wrong passwords have come too often."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        super().__init__("too many wrong passwords.", mend=f"Try again in {wait:.0f} seconds.")


def log_in(study: Study, name: str, password: str, address: str, now: float) -> tuple[AccountRow, str] | None:
    """The account and a new token; nothing where name and password do not belong together.

    `now`: seconds since 1970, by the clock of whoever serves.
    """
    keys = {_hash(f"name {' '.join(name.split()).casefold()}"): "name", _hash(f"address {address}"): "address"}
    with study.transaction() as connection:
        _refuse_too_many(connection, keys, now)
        # Counted before it is looked at: many that come at once cannot all be the first.
        for key in keys:
            _count(connection, key, now)
    found = account_named(study, name)
    if not is_password(found[1] if found else None, password) or found is None:
        return None
    with study.transaction() as connection:
        _forgive(connection, keys)
        _drop_old(connection, now)
        token = secrets.token_urlsafe(32)
        connection.execute(
            insert(logins), {"token": _hash(token), "account": found[0].id, "began": now, "seen": now}
        )  # fmt: skip
    return found[0], token


def who_is(study: Study, token: str, now: float) -> AccountRow | None:
    """Whose login this is, where it has not ended."""
    if not token:
        return None
    columns = [accounts.c[name] for name in AccountRow._fields]
    query = select(logins.c.began, logins.c.seen, *columns).join_from(logins, accounts)
    one = logins.c.token == _hash(token)
    with study.transaction() as connection:
        row = connection.execute(query.where(one)).first()
        if row is None:
            return None
        if now - row.began > LONGEST or now - row.seen > IDLE:
            connection.execute(delete(logins).where(one))
            return None
        if now - row.seen > _NOTED:
            connection.execute(update(logins).where(one).values(seen=now))
    return AccountRow(*row[2:])


_NOTED = 60.0
"""Signs of life are written down no more often than this."""


def log_out(study: Study, token: str) -> None:
    """End a login."""
    with study.transaction() as connection:
        connection.execute(delete(logins).where(logins.c.token == _hash(token)))


def _refuse_too_many(connection: Connection, keys: dict[str, str], now: float) -> None:
    for key, kind in keys.items():
        row = connection.execute(select(refusals).where(refusals.c.key == key)).first()
        if row is None or row.tries < FREE[kind]:
            continue
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(row.tries - FREE[kind], 20)) - (now - row.last)
        if wait > 0:
            raise TooManyError(wait)


def _count(connection: Connection, key: str, now: float) -> None:
    row = connection.execute(select(refusals).where(refusals.c.key == key)).first()
    if row is None:
        connection.execute(insert(refusals), {"key": key, "tries": 1, "last": now})
        return
    tries = 1 if now - row.last > FORGOTTEN else row.tries + 1
    connection.execute(update(refusals).where(refusals.c.key == key).values(tries=tries, last=now))


def _forgive(connection: Connection, keys: dict[str, str]) -> None:
    """A right password: the name is forgiven, and the address gets back what this try has cost."""
    for key, kind in keys.items():
        if kind == "name":
            connection.execute(delete(refusals).where(refusals.c.key == key))
        else:
            connection.execute(
                update(refusals).where(refusals.c.key == key).values(tries=refusals.c.tries - 1)
            )  # fmt: skip


def _drop_old(connection: Connection, now: float) -> None:
    connection.execute(delete(logins).where((logins.c.began < now - LONGEST) | (logins.c.seen < now - IDLE)))
    connection.execute(delete(refusals).where(refusals.c.last < now - FORGOTTEN))


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()
