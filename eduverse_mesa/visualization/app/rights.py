"""Who a browser is, and what it may open."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from hmac import compare_digest

COOKIE = "eduverse"
"""Names a browser. The page's own scripts cannot read it."""

TICKET = 60.0
"""Seconds for which a ticket opens the door, once."""


@dataclass(slots=True)
class Rights:
    """What each browser may do. Without a token whoever comes is the researcher: the server is bound to loopback."""

    token: str | None = None
    _researchers: set[str] = field(default_factory=set)
    _guests: set[str] = field(default_factory=set)
    _welcomed: set[str] = field(default_factory=set)
    """Browsers that have had a page of the researcher's, before they took a seat if they did."""
    _tickets: dict[str, float] = field(default_factory=dict)
    """When each of them ends."""

    @property
    def guests(self) -> frozenset[str]:
        """The browsers that have a seat."""
        return frozenset(self._guests)

    def may_enter(self, browser: str) -> bool:
        """Whether this browser gets any page."""
        return self.token is None or browser in self._researchers or browser in self._guests

    def is_researcher(self, browser: str) -> bool:
        """Whether this browser gets every page. A browser that has joined a lesson does not, until it leaves."""
        return browser not in self._guests and (self.token is None or browser in self._researchers)

    def may_return(self, browser: str) -> bool:
        """Whether this browser gets every page again when it leaves its seat: who came by a join link does not."""
        return browser in self._researchers or (self.token is None and browser in self._welcomed)

    def welcome(self, browser: str) -> None:
        """This browser is shown a page of the researcher's."""
        self._welcomed.add(browser)

    def is_token(self, shown: str) -> bool:
        """Whether this is the token."""
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
        """Whether this is a ticket that nobody has shown before, in time."""
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
