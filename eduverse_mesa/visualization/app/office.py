"""What all pages of this process share: where runs are kept, who may come in, what each browser has open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.rights import Rights

if TYPE_CHECKING:
    from eduverse_mesa.runs.live import LiveLessons

_DESKS = 500
"""Browsers that are remembered; whoever was away longest is forgotten first."""


class Office:
    """The process behind the pages."""

    def __init__(self) -> None:
        self.rights = Rights()
        self.study = str(Path("eduverse.study"))
        self.address = ""
        """Where the dashboard is served: join links begin with it."""
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._door = threading.Lock()

    @cached_property
    def lessons(self) -> LiveLessons:
        """Lessons in which people sit."""
        from eduverse_mesa.runs.live import LiveLessons

        return LiveLessons()

    def desk(self, browser: str) -> Desk:
        """What this browser has open."""
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

    def language_of(self, browser: str) -> str:
        """The language that was chosen in this browser; empty where none was."""
        desk = self._desks.get(browser)
        return desk.language if desk is not None else ""

    def theme_of(self, browser: str) -> bool | None:
        """Whether this browser has chosen dark or light; None where it has not."""
        desk = self._desks.get(browser)
        return desk.dark if desk is not None else None


OFFICE = Office()
