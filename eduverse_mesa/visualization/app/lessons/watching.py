"""A live lesson as pages that look at it have it."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.live import LiveLesson
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.visualization.app.lessons.film import Film
from eduverse_mesa.visualization.app.lessons.lesson import ClassroomLesson

_FILMS: WeakKeyDictionary[LessonPlayer, Film] = WeakKeyDictionary()
_DOOR = Lock()


def _film_of(player: LessonPlayer) -> Film:
    """The film of a live lesson: one, however many look at it."""
    with _DOOR:
        return _FILMS.setdefault(player, Film())


class LiveView(ClassroomLesson):
    """A live lesson as the classroom page shows one. Looking back does not stop it: there are people in it."""

    begins = "begin_live"
    has_play = False
    """One button starts it, at the top of the page, where it says so: under the room one only looks."""

    def __init__(self, lesson: LiveLesson, *, drives: bool) -> None:
        super().__init__()
        self._drives = drives
        self.open(lambda _: lesson.player, film=_film_of(lesson.player))
        self.at = self.last

    def _heard(self, player: LessonPlayer, event: Event | None) -> None:
        if event is None or event.kind == "step":
            with player.still() as run:  # all lessons: steps may have gone by while nobody looked
                for lesson in run.lessons:
                    self.film.take(lesson.model)
        super()._heard(player, event)

    @property
    def playing(self) -> bool:
        """It goes on by itself."""
        return self.player.status in ("playing", "thinking")

    def play(self) -> None:
        """Let it go on, and look at what it is at."""
        self.at = self.last
        if self._drives and not self.over:
            self.player.play(self.pace)
        self.moved.tell()

    def pause(self) -> None:
        """Let it rest after this step."""
        if self._drives and not self.over:
            self.player.pause()
        self.moved.tell()

    def step(self) -> None:
        """Look at the next step."""
        self.seek(self.at + 1)

    def _go_to(self, place: int) -> None:
        self.at = max(0, min(place, self.last))

    def set_pace(self, pace: float | None) -> None:
        """So many steps a second at most."""
        self.pace = pace
        if self._drives:
            self.player.set_pace(pace)
        self.moved.tell()

    @property
    def busy(self) -> bool:
        """What is looked at here goes on without being looked at."""
        return False

    def forget(self, study: str) -> None:
        """Nothing is erased from a lesson that is open."""

    def close(self) -> None:
        """Look no more; the lesson is not this page's to end."""
        self._stop_hearing()
