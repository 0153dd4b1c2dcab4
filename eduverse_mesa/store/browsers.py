"""Browsers in which somebody has logged in before: whoever guesses passwords elsewhere does not lock them out.

After OWASP's "Slow Down Online Guessing Attacks with Device Cookies". The cookie names nobody: it holds a number drawn
for the browser, and for each account that was logged in there a signature which only this study can make.
"""

from __future__ import annotations

import hmac
import re
import secrets

from sqlalchemy import insert, select

from eduverse_mesa.store.schema import meta
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import NotAllowedError

_KEY = "browsers"
_SHAPE = re.compile(r"[\w-]{16}(\.[0-9a-f]{24}){0,12}", re.ASCII)
_MOST = 12
"""Accounts that one browser is known for: a tablet of the school is used by several."""


def is_known(study: Study, shown: str, account: str) -> bool:
    """Whether this account was logged in with this browser before."""
    if not _SHAPE.fullmatch(shown):
        return False
    drawn, *signed = shown.split(".")
    return any(hmac.compare_digest(one, _sign(study, drawn, account)) for one in signed)


def remember(study: Study, shown: str, account: str) -> str:
    """What the browser shows from now on."""
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
