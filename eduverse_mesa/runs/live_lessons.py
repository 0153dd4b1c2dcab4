"""The live lessons of a process: found by their id, a link's token, or a browser that has joined."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.runs.events import Event, Listener, Listeners
from eduverse_mesa.runs.links import Role
from eduverse_mesa.runs.live import LiveLesson, Place

_LOG = logging.getLogger(__name__)


class LiveLessons:
    """The live lessons of this process."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._all: dict[str, LiveLesson] = {}
        self._listeners: Listeners[Event] = Listeners()

    def add(self, lesson: LiveLesson) -> LiveLesson:
        """Let it be found."""
        with self._turn:
            self._all[lesson.id] = lesson
        lesson.listen(self._listeners.tell)
        return lesson

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of the events of all of them, until told not to."""
        return self._listeners.add(listener)

    def all(self) -> tuple[LiveLesson, ...]:
        """Those that are open, oldest first."""
        with self._turn:
            self._all = {key: lesson for key, lesson in self._all.items() if not lesson.closed}
            return tuple(self._all.values())

    def get(self, lesson: str) -> LiveLesson | None:
        """The one with this id."""
        return next((one for one in self.all() if one.id == lesson), None)

    def role_of(self, token: str, browser: str) -> Role | None:
        """Return the role that a link gives this browser; None where it leads nowhere, or is another's."""
        return next((role for one in self.all() if (role := one.role_of(token, browser)) is not None), None)

    def join(self, token: str, browser: str, name: str = "") -> Place:
        """Sit down with a link, whichever lesson it leads to. A browser sits at one place at a time."""
        lesson = next((one for one in self.all() if one.knows(token)), None)
        if lesson is None:
            raise LessonError("this link leads to no lesson.", mend="Ask for a new one: it may have been taken back.")
        place = self.place_of(browser)
        if place is not None and place.lesson is not lesson and place.seated:
            raise LessonError(f"this browser sits in another lesson as {place.agent}.", mend="Leave that one first.")
        return lesson.join(token, browser, name)

    def place_of(self, browser: str) -> Place | None:
        """Return the place of this browser, if it has joined: one where its person is seated first, else the latest."""
        places = [place for one in self.all() if (place := one.place_of(browser)) is not None]
        return max(places, key=lambda place: (place.seated, place.came), default=None)

    def close(self) -> None:
        """End all of them, in whatever state they are: none keeps another from being ended."""
        lessons = self.all()
        for lesson in lessons:  # first, so that they come to an end together
            lesson.player.stop()
        for lesson in lessons:
            try:
                lesson.close()
            except EduverseError as error:
                _LOG.warning("lesson %s was ended, but not all could be written: %s", lesson.player.run.id, error)
            except Exception:
                _LOG.exception("lesson %s could not be ended", lesson.player.run.id)
