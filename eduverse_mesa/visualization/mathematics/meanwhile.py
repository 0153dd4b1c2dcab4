"""What the server knows only while it runs: passwords that are not printed yet, and what was just done."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

SITTING = 2 * 3600.0
"""Seconds after the last of them for which slips are kept: who has gone home has left the page open."""
_MOST = 1000


class Slip(NamedTuple):
    """Who logs in, and with what."""

    account: str
    name: str
    password: str


@dataclass
class _Sitting:
    """Of one teacher."""

    at: float = 0.0
    """When the last slip was added."""
    slips: dict[str, Slip] = field(default_factory=dict)
    """By the account, the latest first."""
    form: str = ""
    """The form of which the last of them came."""
    refused: dict[str, str] = field(default_factory=dict)
    """Names in that form that have no account, and why."""
    turn: Lock = field(default_factory=Lock)
    """One form after the other."""


class Slips:
    """Passwords that a teacher has made and not printed yet: of a study they cannot be read, since only hashes of them
    are kept there. They never leave memory, but on her pages."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, _Sitting] = {}

    def put(self, teacher: str, made: Mapping[str, tuple[str, str]], now: float) -> None:
        """Name and password by account, beside the earlier ones of her sitting; a new password takes the place of the
        old one."""
        with self._lock:
            self._forget_old(now)
            kept = self._kept.setdefault(teacher, _Sitting())
            kept.at = now
            new = {account: Slip(account, *one) for account, one in made.items()}
            kept.slips = new | {account: one for account, one in kept.slips.items() if account not in new}

    def of(self, teacher: str, now: float, accounts: Callable[[], Collection[str]]) -> list[Slip]:
        """Hers, the latest first; those of no account any more are forgotten."""
        self.tidy(now, accounts)
        with self._lock:
            return list(self._kept[teacher].slips.values()) if teacher in self._kept else []

    def tidy(self, now: float, accounts: Callable[[], Collection[str]]) -> None:
        """Forget what was kept for a sitting, and whoever was erased by another program. Accounts are read after it is
        known whose slips there are: no slip goes whose account is made meanwhile."""
        with self._lock:
            self._forget_old(now)
            known = {account for kept in self._kept.values() for account in kept.slips}
        for account in known.difference(accounts()) if known else ():
            self.take_out(account)

    def _forget_old(self, now: float) -> None:
        for teacher in [one for one, kept in self._kept.items() if now - kept.at > SITTING]:
            del self._kept[teacher]

    def clear(self, teacher: str) -> None:
        """She has them."""
        with self._lock:
            self._kept.pop(teacher, None)

    def take_out(self, account: str) -> None:
        """Whoever this was is erased."""
        with self._lock:
            for kept in self._kept.values():
                kept.slips.pop(account, None)
                kept.form, kept.refused = "", {}  # the name may stand there

    # --- a form that is sent twice makes its accounts once ---

    def turn(self, teacher: str, now: float) -> Lock:
        """To be held while a form of hers is worked on: two clicks send it twice at once."""
        with self._lock:
            self._forget_old(now)
            return self._kept.setdefault(teacher, _Sitting(now)).turn

    def sent_before(self, teacher: str, form: str) -> dict[str, str] | None:
        """What was refused of this form; None where another one was the last, or none."""
        with self._lock:
            kept = self._kept.get(teacher)
            return dict(kept.refused) if kept is not None and kept.form == form else None

    def done(self, teacher: str, form: str, refused: Mapping[str, str]) -> None:
        """This form is worked on."""
        with self._lock:
            if teacher in self._kept:
                self._kept[teacher].form, self._kept[teacher].refused = form, dict(refused)


class Notes:
    """What was just done, for the next page that the same login asks for: a page that was sent on says so."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[str, str] = OrderedDict()

    def leave(self, login: str, note: str) -> None:
        """For the next page."""
        with self._lock:
            self._notes[login] = note
            while len(self._notes) > _MOST:
                self._notes.popitem(last=False)

    def take(self, login: str) -> str:
        """What there is to say; it is said once."""
        with self._lock:
            return self._notes.pop(login, "")
