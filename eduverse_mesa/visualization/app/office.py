"""What all pages of this process share: where runs are kept, who may come in, what each browser has open."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.guesses import Guesses
from eduverse_mesa.visualization.app.rights import Rights

if TYPE_CHECKING:
    from eduverse_mesa.runs.live_lessons import LiveLessons
    from eduverse_mesa.store import AlertRow
    from eduverse_mesa.visualization.app.alerts import Alerts

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
        """Where the dashboard is served: join links begin with it."""
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
        from eduverse_mesa.visualization.app.alerts import Alerts

        return Alerts(lambda: self.study, self._unwritten)

    def _unwritten(self) -> list[AlertRow]:
        lessons = self.__dict__.get("lessons")
        return [one for lesson in lessons.all() for one in lesson.unwritten] if lessons is not None else []

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

    def close(self, seconds: float = 10.0) -> None:
        """End whatever goes on here, within so many seconds: nobody sits any more, and no run is left as if it ran."""
        from eduverse_mesa.runs.ending import wait_for_ending

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
        """Whether this browser has had a page of ours."""
        return browser in self._desks

    def language_of(self, browser: str) -> str:
        """The language that was chosen in this browser; empty where none was."""
        desk = self._desks.get(browser)
        return desk.language if desk is not None else ""

    def theme_of(self, browser: str) -> bool | None:
        """Whether this browser has chosen dark or light; None where it has not."""
        desk = self._desks.get(browser)
        return desk.dark if desk is not None else None


OFFICE = Office()
