"""Who a browser is, and what it may open."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from hmac import compare_digest

COOKIE = "eduverse"
"""Names a browser. The page's own scripts cannot read it."""

_TRIES, _PERIOD = 10, 60.0
"""Wrong tokens that one address may show in so many seconds before it is told to wait."""

_ADDRESSES = 10_000
"""Addresses whose tries are remembered; whose last was longest ago is forgotten first."""


@dataclass(slots=True)
class Rights:
    """What each browser may do. Without a token whoever comes is the researcher: the server is bound to loopback."""

    token: str | None = None
    _researchers: set[str] = field(default_factory=set)
    _guests: set[str] = field(default_factory=set)
    _welcomed: set[str] = field(default_factory=set)
    """Browsers that have had a page of the researcher's, before they took a seat if they did."""
    _tries: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    _door: threading.Lock = field(default_factory=threading.Lock)

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

    def admit(self, browser: str, token: str) -> bool:
        """Let a browser in that shows the token."""
        if self.token is None or not compare_digest(token.strip().encode(), self.token.encode()):
            return False
        self._researchers.add(browser)
        return True

    def seat(self, browser: str) -> None:
        """This browser has taken a seat: from now on it gets that, and nothing else."""
        self._guests.add(browser)

    def unseat(self, browser: str) -> None:
        """This browser has left its seat."""
        self._guests.discard(browser)

    def too_many_tries(self, address: str) -> bool:
        """Count a wrong token from this address; True where it has shown too many lately.

        Whoever shows the right one is let in without being counted: nobody can lock the researcher out, not even from
        the same address.
        """
        now = time.monotonic()
        with self._door:
            tries = self._tries.setdefault(address, deque(maxlen=_TRIES + 1))
            self._tries.move_to_end(address)
            if len(self._tries) > _ADDRESSES:
                self._tries.popitem(last=False)
            tries.append(now)
            return len(tries) > _TRIES and now - tries[0] <= _PERIOD


def new_browser() -> str:
    """A name for a browser that nobody can guess."""
    return secrets.token_urlsafe(24)
