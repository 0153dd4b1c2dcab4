"""Live lessons of a person who holds them: the one that is looked after, its links, and its view."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson
from eduverse_mesa.dashboard.lessons.playback import Film
from eduverse_mesa.dashboard.lessons.sitter import sitting
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.links import Role
from eduverse_mesa.runs.live_lessons import LiveLesson, Place
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.web.addresses import host_of, is_loopback

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
        self.look_at_end()
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

    def _stop_for_a_look(self) -> None:
        """It goes on meanwhile."""

    def set_pace(self, pace: float | None) -> None:
        """So many steps a second at most."""
        self.pace = pace
        if self._drives:
            self.player.set_pace(pace)
        self.moved.tell()

    @property
    def busy(self) -> bool:
        """False: a lesson that is looked at here goes on without being looked at."""
        return False

    def forget(self, study: str) -> None:
        """Nothing is erased from a lesson that is open."""

    def close(self) -> None:
        """Look no more; the lesson is not this page's to end."""
        self._stop_hearing()


_LOG = logging.getLogger(__name__)


class Handed(NamedTuple):
    """A link that was handed out."""

    token: str
    role: Role
    agent: str
    """Agent of the seat; empty for any student's seat, or for none."""


class Ended(NamedTuple):
    """A lesson that was ended here."""

    title: str
    run: str


class Host:
    """The live lesson that somebody with all rights looks after."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.changed = Notice()
        """Another lesson, link or error."""
        self.error: EduverseError | None = None
        self.ended: Ended | None = None
        """The lesson that was ended last, until another is chosen."""
        self._lesson: LiveLesson | None = None
        self._view: LiveView | None = None
        self._door = threading.RLock()
        self._handed: dict[str, list[Handed]] = {}
        self._ending: set[str] = set()

    @property
    def lesson(self) -> LiveLesson | None:
        """The one that is looked after: the last that was chosen here, while it is open."""
        if self._lesson is not None and self._lesson.closed:
            self._lesson = None
            self._look_away()
        return self._lesson

    @property
    def asks_for_no_token(self) -> bool:
        """Return True if everybody who comes to this machine has all rights."""
        return self._desk.office.rights.token is None

    @property
    def others(self) -> tuple[LiveLesson, ...]:
        """Live lessons that are open besides: those of other researchers, too."""
        lessons = self._desk.office.lessons.all()
        return tuple(one for one in lessons if one is not self.lesson and one.id not in self._ending)

    def view(self, lesson: LiveLesson) -> LiveView:
        """Return the view of a lesson, made anew if its player is another one."""
        with self._door:
            if self._view is None or self._view.player is not lesson.player:
                self._look_away()
                self._view = LiveView(lesson, drives=True)
            return self._view

    def _look_away(self) -> None:
        with self._door:
            view, self._view = self._view, None
        if view is not None:
            view.close()

    def forget(self, study: str) -> None:  # noqa: ARG002 - as desks ask it
        """Stop showing a lesson that is closed, since something was taken out of a study."""
        if self._lesson is not None and self.lesson is None:
            self.changed.tell()

    def close(self) -> None:
        """Look at none any more; lessons stay open."""
        self._look_away()

    # --- lessons ---

    def begin(self, scenario: Scenario, seed: int, settings: Mapping[str, object]) -> bool:
        """Open a live lesson; it waits to be started."""
        desk = self._desk
        try:
            changed = load_scenario(dump_scenario(scenario), settings=settings)
            policy = None if desk.policy == "embedded" else desk.policy
            lesson = LiveLesson(desk.office.study, changed, seed, policy)
        except EduverseError as error:
            self._fail(error)
            return False
        self.choose(desk.office.lessons.add(lesson))
        return True

    def choose(self, lesson: LiveLesson) -> None:
        """Look after this one."""
        self._lesson, self.error, self.ended = lesson, None, None
        self.changed.tell()

    def go_on(self, lesson: LiveLesson) -> None:
        """Go on with a lesson that has come to its end by trouble."""
        try:
            lesson.go_on()
        except EduverseError as error:
            self._fail(error)
            return
        self.error = None
        self.changed.tell()

    def put_aside(self) -> None:
        """Look after none; the lesson stays open."""
        self._lesson = None
        self._look_away()
        self.changed.tell()

    def end(self, one: LiveLesson | None = None) -> None:
        """End a lesson for everybody, the one that is looked after where none is named. A step that is being taken may
        need a while to stop: nobody's page waits for that."""
        lesson = one or self.lesson
        if lesson is not None:
            self.ended = Ended(title_of(lesson), lesson.player.run.id)
        if lesson is not None and lesson.id not in self._ending:
            self._ending.add(lesson.id)
            self.error = None
            threading.Thread(target=self._end, args=(lesson,), name=f"eduverse-end-{lesson.id}", daemon=True).start()
        self.put_aside()

    def _end(self, lesson: LiveLesson) -> None:
        try:
            lesson.close()
        except EduverseError as error:
            self.error = error
        except Exception:
            _LOG.exception("run %s: its lesson could not be ended", lesson.player.run.id)
        self._handed.pop(lesson.id, None)
        self._ending.discard(lesson.id)
        self.changed.tell()

    # --- seats ---

    def links(self, lesson: LiveLesson) -> list[Handed]:
        """The links that were made here and still lead somewhere."""
        kept = [one for one in self._handed.get(lesson.id, []) if lesson.knows(one.token)]
        self._handed[lesson.id] = kept
        return kept

    def invite(self, lesson: LiveLesson, role: Role, agent: str = "") -> None:
        """Make a link."""
        try:
            link = lesson.invite(agent or None, role)
        except EduverseError as error:
            self._fail(error)
            return
        self.error = None
        self._handed.setdefault(lesson.id, []).append(Handed(link.token, role, link.agent or ""))
        self.changed.tell()

    def invite_all(self, lesson: LiveLesson) -> None:
        """A link for every student's seat where nobody sits and none is promised."""
        promised = {one.agent for one in self.links(lesson)}
        for seat in lesson.seats.values():
            if seat.role == "student" and seat.occupant is None and seat.agent not in promised:
                self.invite(lesson, "student", seat.agent)

    def take_back(self, lesson: LiveLesson, token: str) -> None:
        """Let a link lead nowhere; who sits by it gets up."""
        try:
            lesson.take_back(token)
        except EduverseError as error:
            self._fail(error)
            return
        self.changed.tell()

    def sit(self, lesson: LiveLesson, agent: str, name: str) -> None:
        """Sit down oneself."""
        seat = lesson.seats[agent]
        try:
            link = lesson.invite(agent, seat.role)
        except EduverseError as error:
            self._fail(error)
            return
        mine = sitting(self._desk)
        mine.sit(link.token, name, own=True)
        if mine.trouble is not None:
            lesson.take_back(link.token)
            self._fail(mine.trouble)

    @property
    def reaches_here_only(self) -> bool:
        """Return True if its links lead nowhere from any other machine, since the dashboard listens to this one
        alone."""
        return is_loopback(host_of(self._desk.office.address) or "")

    def address(self, handed: Handed) -> str:
        """A link as it is sent to somebody."""
        return f"{self._desk.office.address}/join/{handed.token}"

    def _fail(self, error: EduverseError) -> None:
        self.error = error
        self.changed.tell()


def host(desk: Desk) -> Host:
    """The live lessons on this desk."""
    return desk.drawer(Host, lambda: Host(desk))


def sitter(lesson: LiveLesson, agent: str) -> Place | None:
    """Return the place of the person who sits for an agent; None if nobody does."""
    return next((one for one in lesson.places if one.agent == agent and one.seated), None)


def title_of(lesson: LiveLesson) -> str:
    """Return the title of a lesson, else its name."""
    first = lesson.scenario.lessons[0]
    return first.title or first.name
