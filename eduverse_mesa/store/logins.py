"""Logging in: browsers that are known for an account, tokens that only the browser has, and logins that end."""

from __future__ import annotations

import hmac
import re
import secrets

from sqlalchemy import Connection, delete, insert, select, update

from eduverse_mesa.store.accounts import (
    TooManyError,
    account_named,
    begin_try,
    drop_forgotten,
    forgive,
    hashed,
    is_password,
)
from eduverse_mesa.store.rows import AccountRow
from eduverse_mesa.store.schema import accounts, logins, meta
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import NotAllowedError

_KEY = "browsers"
_SHAPE = re.compile(r"[\w-]{16}(\.[0-9a-f]{24}){0,12}", re.ASCII)
_MOST = 12
"""Accounts that one browser is known for: a tablet of the school is used by several."""


def is_known(study: Study, shown: str, account: str) -> bool:
    """Return True if this account was logged in with this browser before."""
    if not _SHAPE.fullmatch(shown):
        return False
    drawn, *signed = shown.split(".")
    return any(hmac.compare_digest(one, _sign(study, drawn, account)) for one in signed)


def remember(study: Study, shown: str, account: str) -> str:
    """Return the text that the browser shows from now on."""
    drawn, *signed = shown.split(".") if _SHAPE.fullmatch(shown) else [secrets.token_urlsafe(12)]
    mine = _sign(study, drawn, account)
    return ".".join([drawn, *[one for one in signed if one != mine][-(_MOST - 1) :], mine])


def drawn_for(shown: str) -> str:
    """The browser's own number."""
    return shown.partition(".")[0]


def _sign(study: Study, drawn: str, account: str) -> str:
    return hmac.digest(_secret(study), f"{drawn} {account}".encode(), "sha256").hex()[:24]


def _secret(study: Study) -> bytes:
    try:
        with study.transaction() as connection:
            kept = connection.execute(select(meta.c.value).where(meta.c.key == _KEY)).scalar()
            if kept is None:
                kept = secrets.token_hex(32)
                connection.execute(insert(meta), {"key": _KEY, "value": kept})
    except NotAllowedError:  # another server of the same study has drawn one at this moment
        return _secret(study)
    return bytes.fromhex(kept)


IDLE, LONGEST = 2 * 3600.0, 12 * 3600.0
"""Seconds after which a login ends: without a sign of life, and in any case."""


def log_in(
    study: Study, name: str, password: str, address: str, now: float, browser: str = ""
) -> tuple[AccountRow, str] | None:
    """The account and a new token; nothing where name and password do not belong together.

    `now`: seconds since 1970, by the clock of whoever serves. `browser`: what the browser shows of earlier logins.
    """
    found = account_named(study, name)
    # Asked also where there is no such name, so that the time tells nobody which names exist.
    known = is_known(study, browser, found[0].id if found else "") and found is not None
    with study.transaction() as connection:
        tried = begin_try(
            connection, name, address, drawn_for(browser) if known else "", exists=found is not None, now=now
        )
    right = tried.is_looked_at and is_password(found[1] if found else None, password)
    if not right or found is None:
        if tried.crowded:
            raise TooManyError(tried.crowded, crowded=True)
        return None
    with study.transaction() as connection:
        kept = connection.execute(select(accounts.c.password).where(accounts.c.id == found[0].id)).scalar()
        if kept != found[1]:  # it was changed while this one was looked at
            return None
        forgive(connection, tried.keys)
        _drop_old(connection, now)
        token = secrets.token_urlsafe(32)
        connection.execute(
            insert(logins), {"token": hashed(token), "account": found[0].id, "began": now, "seen": now}
        )  # fmt: skip
    return found[0], token


def who_is(study: Study, token: str, now: float) -> AccountRow | None:
    """Return the account of this login, where the login has not ended; it is a sign of life."""
    found = _login(study, token, now)
    if found is None:
        return None
    seen, row = found
    if now - seen > _NOTED:
        with study.transaction() as connection:
            connection.execute(update(logins).where(logins.c.token == hashed(token)).values(seen=now))
    return row


def is_logged_in(study: Study, token: str, now: float) -> bool:
    """Return True if a login still holds; no sign of life: a page that is only left open does not keep it."""
    return _login(study, token, now) is not None


def _login(study: Study, token: str, now: float) -> tuple[float, AccountRow] | None:
    if not token:
        return None
    columns = [accounts.c[name] for name in AccountRow._fields]
    query = select(logins.c.began, logins.c.seen, *columns).join_from(logins, accounts)
    one = logins.c.token == hashed(token)
    with study.transaction() as connection:
        row = connection.execute(query.where(one)).first()
        if row is None:
            return None
        if now - row.began > LONGEST or now - row.seen > IDLE:
            connection.execute(delete(logins).where(one))
            return None
    return row.seen, AccountRow(*row[2:])


_NOTED = 60.0
"""Signs of life are written down no more often than this."""


def log_out(study: Study, token: str) -> None:
    """End a login."""
    with study.transaction() as connection:
        connection.execute(delete(logins).where(logins.c.token == hashed(token)))


def log_out_everywhere(study: Study, account: str) -> None:
    """End every login of an account: who forgot to log out at school does it at home."""
    with study.transaction() as connection:
        connection.execute(delete(logins).where(logins.c.account == account))


def forget_old(study: Study, now: float) -> None:
    """Take out logins that have ended, and wrong passwords that count no more."""
    with study.transaction() as connection:
        _drop_old(connection, now)


def _drop_old(connection: Connection, now: float) -> None:
    connection.execute(delete(logins).where((logins.c.began < now - LONGEST) | (logins.c.seen < now - IDLE)))
    drop_forgotten(connection, now)
