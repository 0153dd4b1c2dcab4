"""Live lessons as whoever holds them has them: which one, its links, and what is seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.links import Role
from eduverse_mesa.runs.live import LiveLesson, Place
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.notice import Notice
from eduverse_mesa.visualization.app.pages.classroom.film import Film
from eduverse_mesa.visualization.app.pages.classroom.lesson import ClassroomLesson
from eduverse_mesa.visualization.app.pages.seat.sitting import sitting


class LiveView(ClassroomLesson):
    """A live lesson as the classroom page shows one. Looking back does not stop it: there are people in it."""

    def __init__(self, lesson: LiveLesson, *, drives: bool) -> None:
        super().__init__()
        self._drives = drives
        self.open(lambda film: _filmed(lesson.player, film))

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
        """Look at the next step; at the last one, take another."""
        if self.at < self.last:
            self.seek(self.at + 1)
        elif self._drives and not self.over:
            self.player.step()

    def seek(self, place: int) -> None:
        """Look at another step."""
        self.at = max(0, min(place, self.last))
        self.moved.tell()

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

    def close(self) -> None:
        """Look no more; the lesson is not this page's to end."""


def _filmed(player: LessonPlayer, film: Film) -> LessonPlayer:
    def take(event: Event) -> None:
        if event.kind == "step":
            with player.still() as run:
                film.take(run.lessons[-1].model)

    player.listen(take)
    return player


class Handed(NamedTuple):
    """A link that was handed out."""

    token: str
    role: Role
    agent: str
    """Whose seat; empty for any student's, or for none."""


class Host:
    """The live lesson that somebody with all rights looks after."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.changed = Notice()
        """Another lesson, link or error."""
        self.error: EduverseError | None = None
        self._lesson: LiveLesson | None = None
        self._view: LiveView | None = None
        self._handed: dict[str, list[Handed]] = {}

    @property
    def lesson(self) -> LiveLesson | None:
        """The one that is looked after: the last that was chosen here, while it is open."""
        if self._lesson is not None and self._lesson.closed:
            self._lesson = self._view = None
        return self._lesson

    @property
    def others(self) -> tuple[LiveLesson, ...]:
        """Live lessons that are open besides: those of other researchers, too."""
        return tuple(one for one in self._desk.office.lessons.all() if one is not self.lesson)

    def view(self, lesson: LiveLesson) -> LiveView:
        """What is seen of it."""
        if self._view is None or self._view.player is not lesson.player:
            self._view = LiveView(lesson, drives=True)
        return self._view

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
        self._lesson, self.error = lesson, None
        self.changed.tell()

    def put_aside(self) -> None:
        """Look after none; the lesson stays open."""
        self._lesson = self._view = None
        self.changed.tell()

    def end(self) -> None:
        """End it for everybody."""
        lesson = self.lesson
        if lesson is not None:
            try:
                lesson.close()
            except EduverseError as error:
                self._fail(error)
            self._handed.pop(lesson.id, None)
        self.put_aside()

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
        lesson.take_back(token)
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
    """Who sits at an agent's place."""
    return next((one for one in lesson.places if one.agent == agent and one.seated), None)


def title_of(lesson: LiveLesson) -> str:
    """What a lesson is called."""
    first = lesson.scenario.lessons[0]
    return first.title or first.name


def model_of(lesson: LiveLesson) -> ClassroomModel | None:
    """The lesson that is being played."""
    lessons = lesson.player.run.lessons
    return lessons[-1].model if lessons else None
