"""How many pages may be open at once: in one browser, and in all of them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

from eduverse_mesa.visualization.app.rights import Rights


class Kernels(Protocol):
    """What the server keeps of pages."""

    def alive(self) -> Collection[str]:
        """All of them."""

    def is_drawn(self, kernel: str) -> bool:
        """Whether a page was drawn by it."""

    def has_page(self, kernel: str, page: str) -> bool:
        """Whether a page of this name is its own."""

    def end(self, kernel: str) -> None:
        """Nobody comes back to it."""


@dataclass(frozen=True, eq=False)
class Visit:
    """The connection of an open page."""

    browser: str
    kernel: str
    end: Callable[[], object]


@dataclass
class Crowd:
    """Counts the connections of open pages, and the kernels that stand behind them.

    A kernel is what the server keeps of a page. It outlives the connection for a while, so that a page finds its own
    again; a browser that goes on asking for new ones must not fill the machine meanwhile. Some places are kept for
    researchers, and one for each seat. Where there is none left, what never drew a page is ended first, then what
    nobody looks at.
    """

    kernels: Kernels
    rights: Rights
    of_browser: int = 20
    """Pages that one browser may have open, and twice as many kernels."""
    in_all: int = 500
    """Pages that may be open in all, and as many kernels."""
    of_researchers: int = 20
    """Places that are kept for researchers."""
    _open: list[Visit] = field(default_factory=list)
    """Whoever came first stands first."""
    _owners: dict[str, str] = field(default_factory=dict)
    """By their kernels, in the order in which those came."""
    _door: threading.Lock = field(default_factory=threading.Lock)

    def come(self, browser: str, kernel: str, end: Callable[[], object]) -> Visit | None:
        """Count a page in; None where there is no room for it. Who came in has to go again. `end` ends it, where
        another needs its place."""
        with self._door:
            alive = {*self.kernels.alive(), *(one.kernel for one in self._open)}
            self._owners = {one: owner for one, owner in self._owners.items() if one in alive}
            if sum(one.browser == browser for one in self._open) >= self.of_browser:
                return None
            new = kernel not in alive
            if new and sum(owner == browser for owner in self._owners.values()) >= 2 * self.of_browser:
                return None
            while not self._has_room(browser, new):
                if not self._make_room():
                    return None
            visit = Visit(browser, kernel, end)
            self._open.append(visit)
            self._owners[kernel] = browser
            return visit

    def go(self, visit: Visit) -> None:
        """This page is closed. What has drawn none until then never will."""
        with self._door:
            if visit in self._open:
                self._open.remove(visit)
            left = all(one.kernel != visit.kernel for one in self._open)
            if left and not self.kernels.is_drawn(visit.kernel):
                self._end(visit.kernel)

    def has_page(self, browser: str, kernel: str, page: str) -> bool:
        """Whether a browser has a page of this name, which it may close."""
        with self._door:
            return self._owners.get(kernel) == browser and self.kernels.has_page(kernel, page)

    def _has_room(self, browser: str, new: bool) -> bool:
        pages, kernels = Counter(one.browser for one in self._open), Counter(self._owners.values())
        return self._has_place(browser, pages) and (not new or self._has_place(browser, kernels))

    def _has_place(self, browser: str, taken: Counter[str]) -> bool:
        """Whether one more of a kind may be taken: as many stay free as are kept for those who have none."""
        guests = self.rights.guests
        researchers = sum(count for one, count in taken.items() if self.rights.is_researcher(one))
        kept_here = max(0, self.of_researchers - researchers)
        kept_seats = min(sum(one not in taken for one in guests), self.in_all // 2)
        if (browser in guests and browser not in taken) or (self.rights.is_researcher(browser) and kept_here):
            kept_here = kept_seats = 0
        return taken.total() + kept_here + kept_seats < self.in_all

    def _make_room(self) -> bool:
        """End the page that has been open longest without drawing anything; else a kernel that nobody looks at, of
        whoever has most of them."""
        for visit in self._open:
            if not self.kernels.is_drawn(visit.kernel):
                self._open.remove(visit)
                self._owners.pop(visit.kernel, None)
                visit.end()
                return True
        looked_at = {one.kernel for one in self._open}
        left = {kernel: owner for kernel, owner in self._owners.items() if kernel not in looked_at}
        if not left:
            return False
        most = Counter(left.values()).most_common(1)[0][0]
        self._end(next(kernel for kernel, owner in left.items() if owner == most))
        return True

    def _end(self, kernel: str) -> None:
        self._owners.pop(kernel, None)
        self.kernels.end(kernel)
