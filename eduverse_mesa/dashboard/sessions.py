"""State that all pages of this process share: where runs are kept, who may come in, what each browser has open."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from eduverse_mesa.dashboard.alerts import Alerts
    from eduverse_mesa.runs.live_lessons import LiveLessons
    from eduverse_mesa.store import AlertRow

FREE = 5
"""Wrong tokens of one address that are answered at once."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds. Each wrong token doubles the wait."""
FORGOTTEN = 600.0
"""Seconds without a wrong one after which the next is the first again."""
_IN_LINE = 4
"""Tries of one address that wait for their answer."""
_ADDRESSES = 10_000
"""Addresses that are remembered; whose last try was longest ago is forgotten first."""


@dataclass(slots=True)
class _Address:
    """Tries of an address."""

    wrong: int = 0
    last: float = 0.0
    in_line: int = 0
    turn: anyio.Lock = field(default_factory=anyio.Lock)

    def wait(self) -> float:
        if self.wrong < FREE or time.monotonic() - self.last > FORGOTTEN:
            return 0.0
        return min(FIRST_WAIT * 2.0 ** min(self.wrong - FREE, 20), LONGEST_WAIT)


class Guesses:
    """The tries of all addresses. Nobody is locked out: the right token from elsewhere is looked at without delay, and
    from the same address in its turn."""

    def __init__(self) -> None:
        self._addresses: OrderedDict[str, _Address] = OrderedDict()

    async def look(self, address: str, is_right: Callable[[], bool], is_gone: Callable[[], Awaitable[bool]]) -> bool:
        """Return True if a token is right, when it is this try's turn; TooManyGuessesError if too many wait already.
        `is_gone` tells if nobody waits for the answer any more."""
        one = self._of(address)
        if one.in_line >= _IN_LINE:
            raise TooManyGuessesError
        one.in_line += 1
        try:
            async with one.turn:
                if await is_gone():
                    return False
                await anyio.sleep(one.wait())
                if is_right():
                    return True
                one.wrong = 1 if time.monotonic() - one.last > FORGOTTEN else one.wrong + 1
                one.last = time.monotonic()
                return False
        finally:
            one.in_line -= 1

    def _of(self, address: str) -> _Address:
        one = self._addresses.setdefault(address, _Address())
        self._addresses.move_to_end(address)
        if len(self._addresses) > _ADDRESSES:
            self._addresses.popitem(last=False)
        return one


class TooManyGuessesError(Exception):
    """So many tries of an address wait for their answer that another is not looked at."""


COOKIE = "eduverse"
"""Names a browser. The page's own scripts cannot read it."""

TICKET = 60.0
"""Seconds for which a ticket opens the door, once."""


@dataclass(slots=True)
class Rights:
    """Rights of each browser. Without a token everybody who comes is the researcher: the server is bound to
    loopback."""

    token: str | None = None
    _researchers: set[str] = field(default_factory=set)
    _guests: set[str] = field(default_factory=set)
    _welcomed: set[str] = field(default_factory=set)
    """Browsers that have had a page of the researcher's, before they took a seat if they did."""
    _tickets: dict[str, float] = field(default_factory=dict)
    """Time at which each of them ends."""

    @property
    def guests(self) -> frozenset[str]:
        """The browsers that have a seat."""
        return frozenset(self._guests)

    def may_enter(self, browser: str) -> bool:
        """Return True if this browser gets any page."""
        return self.token is None or browser in self._researchers or browser in self._guests

    def is_researcher(self, browser: str) -> bool:
        """Return True if this browser gets every page. A browser that has joined a lesson does not, until it leaves."""
        return browser not in self._guests and (self.token is None or browser in self._researchers)

    def may_return(self, browser: str) -> bool:
        """Return True if this browser gets every page again when it leaves its seat: one that came by a join link does
        not."""
        return browser in self._researchers or (self.token is None and browser in self._welcomed)

    def welcome(self, browser: str) -> None:
        """This browser is shown a page of the researcher's."""
        self._welcomed.add(browser)

    def is_token(self, shown: str) -> bool:
        """Return True if this is the token."""
        return self.token is not None and compare_digest(shown.strip().encode(), self.token.encode())

    def new_ticket(self) -> str:
        """A ticket for one browser, which may stand where others read it: a command line, a log."""
        ticket = secrets.token_urlsafe(16)
        self._tickets[ticket] = time.monotonic() + TICKET
        return ticket

    def begin(self) -> None:
        """The door opens: the tickets that were given before count from now."""
        self._tickets = dict.fromkeys(self._tickets, time.monotonic() + TICKET)

    def take_ticket(self, ticket: str) -> bool:
        """Take a ticket; return True if nobody has shown it before, and it is in time."""
        return time.monotonic() <= self._tickets.pop(ticket, -1.0)

    def admit(self, browser: str) -> None:
        """Let a browser in that has shown the token, or a ticket."""
        self._researchers.add(browser)

    def seat(self, browser: str) -> None:
        """This browser has taken a seat: from now on it gets that, and nothing else."""
        self._guests.add(browser)

    def unseat(self, browser: str) -> None:
        """This browser has left its seat."""
        self._guests.discard(browser)


def new_browser() -> str:
    """A name for a browser that nobody can guess."""
    return secrets.token_urlsafe(24)


_LOG = logging.getLogger(__name__)

_DESKS = 500
"""Browsers that are remembered; whoever was away longest is forgotten first."""


class Office:
    """The process behind the pages."""

    def __init__(self) -> None:
        self.rights = Rights()
        self.guesses = Guesses()
        self.study = str(Path("eduverse.study"))
        self.address = ""
        """Address at which the dashboard is served: join links begin with it."""
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._door = threading.Lock()

    @cached_property
    def lessons(self) -> LiveLessons:
        """Lessons in which people sit."""
        from eduverse_mesa.runs.live_lessons import LiveLessons

        lessons = LiveLessons()
        lessons.listen(lambda event: self.alerts.changed.tell() if event.kind == "alert" else None)
        return lessons

    @cached_property
    def alerts(self) -> Alerts:
        """Calls for help of whoever types here."""
        from eduverse_mesa.dashboard.alerts import Alerts

        return Alerts(lambda: self.study, self._unwritten)

    def _unwritten(self) -> list[AlertRow]:
        lessons = self.__dict__.get("lessons")
        return [one for lesson in lessons.all() for one in lesson.unwritten] if lessons is not None else []

    def desk(self, browser: str) -> Desk:
        """Return the desk of this browser, made if it has none."""
        with self._door:
            desk = self._desks.get(browser)
            if desk is None:
                desk = self._desks[browser] = Desk(browser, self)
            self._desks.move_to_end(browser)
            leaving = self._forgettable() if len(self._desks) > _DESKS else None
        if leaving is not None:
            leaving.clear()
        return desk

    def _forgettable(self) -> Desk | None:
        for browser, desk in self._desks.items():
            if not desk.busy:
                return self._desks.pop(browser)
        return None

    def close(self, seconds: float = 10.0) -> None:
        """End whatever goes on here, within so many seconds: nobody sits any more, and no run is left as if it ran."""
        from eduverse_mesa.runs.threads import wait_for_ending

        ending = threading.Thread(target=self._end, name="eduverse-end", daemon=True)
        deadline = time.monotonic() + seconds
        ending.start()
        ending.join(seconds)
        wait_for_ending(max(0.0, deadline - time.monotonic()))  # each player that was stopped writes the end of its run

    def _end(self) -> None:
        lessons = self.__dict__.get("lessons")  # asking for them would begin them
        for lesson in lessons.all() if lessons is not None else ():
            lesson.player.stop()  # all of them, before one is waited for
        with self._door:
            desks = list(self._desks.values())
            self._desks.clear()
        for desk in desks:
            desk.clear()
        if lessons is not None:
            lessons.close()

    def forget(self, study: str) -> None:
        """Something was erased from a study, or deleted: live lessons of it that have come to their end are closed, and
        no desk goes on showing what it has read of it."""
        from eduverse_mesa.runs.events import ENDED
        from eduverse_mesa.runs.open_runs import same_study

        lessons = self.__dict__.get("lessons")
        for lesson in lessons.all() if lessons is not None else ():
            if lesson.player.status in ENDED and same_study(lesson.player.study or "", study):
                try:
                    lesson.close()
                except EduverseError as error:
                    _LOG.warning("lesson %s was closed, but not all could be written: %s", lesson.id, error)
        with self._door:
            desks = list(self._desks.values())
        for desk in desks:
            desk.forget(study)

    def knows(self, browser: str) -> bool:
        """Return True if this browser has had a page of ours."""
        return browser in self._desks

    def language_of(self, browser: str) -> str:
        """The language that was chosen in this browser; empty where none was."""
        desk = self._desks.get(browser)
        return desk.language if desk is not None else ""

    def theme_of(self, browser: str) -> bool | None:
        """Return True if this browser has chosen dark, False for light; None if it has chosen neither."""
        desk = self._desks.get(browser)
        return desk.dark if desk is not None else None


OFFICE = Office()
