"""Passwords: kept as Argon2id hashes, so that whoever reads the database has none of them."""

from __future__ import annotations

from functools import lru_cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from eduverse_mesa.errors import StudyError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 8, 200
"""Characters. A long one is no safer, and costs the server time."""

_MEMORY_KIB, _PASSES = 19456, 2
"""The least that OWASP's cheat sheet on password storage recommends for Argon2id: a class logs in within seconds."""


_AT_ONCE = BoundedSemaphore(4)
"""Hashes that are worked out at the same moment: each takes 19 MiB, and whoever knocks a thousand times at once must
not take the whole memory."""


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ModuleNotFoundError:
        raise StudyError(
            "logging in needs argon2-cffi, which is not installed.", mend="pip install 'eduverse-mesa[app]'"
        ) from None
    return PasswordHasher(time_cost=_PASSES, memory_cost=_MEMORY_KIB, parallelism=1)


def hash_password(password: str) -> str:
    """What is kept of a password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise StudyError(
            f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}.",
            mend="Three words are easy to remember.",
        )
    with _AT_ONCE:
        return _hasher().hash(password)


def is_password(kept: str | None, password: str) -> bool:
    """Whether it is the one. Where there is none to compare with it takes as long, so that the time tells nobody
    which names exist."""
    from argon2.exceptions import InvalidHashError, VerifyMismatchError

    hasher, nobodys = _hasher(), _nobodys()
    try:
        with _AT_ONCE:
            hasher.verify(kept or nobodys, password[:LONGEST])
    except (VerifyMismatchError, InvalidHashError):
        return False
    return kept is not None


@lru_cache(maxsize=1)
def _nobodys() -> str:
    return _hasher().hash("nobody has this one")
