"""How many pages may be open at once: in one browser, and in all of them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field


@dataclass
class Crowd:
    """Counts the connections of open pages, and the kernels that stand behind them.

    A kernel is what the server keeps of a page. It outlives the connection for a while, so that a page finds its own
    again; a browser that goes on asking for new ones must not fill the machine meanwhile.
    """

    alive: Callable[[], Collection[str]]
    """The kernels that there are."""
    of_browser: int = 20
    """Pages that one browser may have open, and twice as many kernels."""
    in_all: int = 500
    """Pages that may be open in all, and as many kernels."""
    _open: Counter[tuple[str, str]] = field(default_factory=Counter)
    _owners: dict[str, str] = field(default_factory=dict)
    _door: threading.Lock = field(default_factory=threading.Lock)

    def come(self, browser: str, kernel: str) -> bool:
        """Count a page in; False where there is no room for it. Who came in has to go again."""
        with self._door:
            alive = {*self.alive(), *(one for _, one in self._open)}
            self._owners = {one: owner for one, owner in self._owners.items() if one in alive}
            pages = sum(count for (owner, _), count in self._open.items() if owner == browser)
            if pages >= self.of_browser or self._open.total() >= self.in_all:
                return False
            kernels = sum(owner == browser for owner in self._owners.values())
            if kernel not in alive and (kernels >= 2 * self.of_browser or len(alive) >= self.in_all):
                return False
            self._open[browser, kernel] += 1
            self._owners[kernel] = browser
            return True

    def go(self, browser: str, kernel: str) -> None:
        """One of its pages is closed."""
        with self._door:
            self._open[browser, kernel] -= 1
            if self._open[browser, kernel] <= 0:
                del self._open[browser, kernel]
