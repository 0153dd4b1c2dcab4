"""A lesson with seats for people: join links, who sits where, who is there; always recorded in a study."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Self

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.cleaning import clean
from eduverse_mesa.policies.human import Question, Reply, Seat
from eduverse_mesa.runs.attendance import Attendance
from eduverse_mesa.runs.events import ENDED, Event, Listener, Listeners
from eduverse_mesa.runs.links import JoinLink, Link, Links, Role, digest
from eduverse_mesa.runs.people import heard_by, seats_of, with_people
from eduverse_mesa.runs.play import Until
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.store import Study

Clock = Callable[[], float]
_LABEL = 40
"""Characters of what somebody is called."""


class Place:
    """Where a browser is in a lesson, and all that it may see of it."""

    def __init__(self, lesson: LiveLesson, role: Role, label: str, browser: bytes, seat: Seat | None) -> None:
        self.id = secrets.token_urlsafe(9)
        self.lesson = lesson
        self.role: Role = role
        self.label = label
        self.browser = browser
        self.seat = seat
        self.participant: str | None = None
        self.touched = 0.0

    @property
    def agent(self) -> str | None:
        """Whose seat it is; a researcher has none."""
        return None if self.seat is None else self.seat.agent

    @property
    def seated(self) -> bool:
        """The person sits there; who has left may come back with its link."""
        return self.seat is not None and self.seat.occupant == self.id

    def question(self) -> Question | None:
        """What the person is asked, and has not answered."""
        return self.seat.question if self.seat is not None and self.seated else None

    def reply(self, reply: Reply, to: int | None = None) -> None:
        """Answer it; ReplyError where that cannot be, and the question stays open."""
        if self.seat is None or not self.seated:
            raise LessonError("nobody is asked here.", mend="Sit down first.")
        self.lesson.touch(self)
        self.seat.reply(reply, to)

    def transcript(self) -> list[SentenceRow]:
        """The talk of the lesson at hand, as the agent has heard it; a researcher hears all."""
        with self.lesson.player.still() as run:
            if not run.lessons:
                return []
            model = run.lessons[-1].model
            return list(model.journal.sentences) if self.seat is None else heard_by(model, self.seat.agent)


class LiveLesson:
    """A run that people take part in. Its methods can be called from any thread."""

    def __init__(
        self,
        study: str,
        scenario: Scenario,
        seed: int,
        policy: AnyPolicy | str | None = None,
        *,
        changes: Sequence[Intervention] = (),
        clock: Clock = time.monotonic,
    ) -> None:
        self._prepare(scenario, clock)
        wrap = with_people(scenario, self.seats)
        self._open(LessonPlayer(scenario, seed, policy, changes=changes, study=study, wrap=wrap), study)

    @classmethod
    def resume(
        cls, study: str, run: str, policy: AnyPolicy | str | None = None, *, clock: Clock = time.monotonic
    ) -> Self:
        """Go on with a run of a study; whoever sat in it when it was left has got up."""
        lesson = cls.__new__(cls)
        scenario = _scenario_of(study, run)
        lesson._prepare(scenario, clock)
        lesson._open(LessonPlayer.resume(study, run, policy, wrap=with_people(scenario, lesson.seats)), study)
        return lesson

    @classmethod
    def fork(
        cls,
        study: str,
        run: str,
        at: Until,
        changes: Sequence[Intervention] = (),
        policy: AnyPolicy | str | None = None,
        *,
        clock: Clock = time.monotonic,
    ) -> Self:
        """Branch off a run of a study, and let people take part from there."""
        lesson = cls.__new__(cls)
        scenario = _scenario_of(study, run)
        lesson._prepare(scenario, clock)
        wrap = with_people(scenario, lesson.seats)
        lesson._open(LessonPlayer.fork(run, at, changes, policy, study=study, wrap=wrap), study)
        return lesson

    def _prepare(self, scenario: Scenario, clock: Clock) -> None:
        self.id = secrets.token_urlsafe(9)
        self.scenario = scenario
        self.seats = seats_of(scenario, self._seat_changed)
        self._away = scenario.settings.people.away
        self._clock = clock
        self._turn = threading.RLock()
        self._links = Links()
        self._places: dict[bytes, Place] = {}
        self._guests = 0
        self._listeners = Listeners()
        self._closed = threading.Event()

    def _open(self, player: LessonPlayer, study: str) -> None:
        self.player = player
        try:
            self._attendance = Attendance(Study.open(study), player)
        except BaseException:
            player.stop()
            raise
        player.listen(self._passed_on)
        threading.Thread(target=self._look_round, name=f"eduverse-presence-{self.id}", daemon=True).start()

    # --- inviting and joining ---

    def invite(self, agent: str | None = None, role: Role = "student", *, label: str = "") -> JoinLink:
        """A link for one browser: for this agent's seat, for any free student's, for the teacher's, or to look on."""
        if role == "teacher":
            agent = next(seat.agent for seat in self.seats.values() if seat.role == "teacher")
        if role == "researcher":
            agent = None
        if agent is not None and (agent not in self.seats or self.seats[agent].role != role):
            names = [seat.agent for seat in self.seats.values() if seat.role == role]
            raise LessonError(f"there is no {role} '{agent}'.", mend=f"There are {', '.join(names)}.")
        with self._turn:
            self._check_open()
            return self._links.add(role, agent, _tidy(label))

    def take_back(self, token: str) -> None:
        """Let a link lead nowhere; who sits by it gets up."""
        with self._turn:
            link = self._links.find(token)
            place = self._places.pop(link.browser, None) if link is not None and link.browser else None
            self._links.take_back(token)
        if place is not None:
            self.leave(place)

    def knows(self, token: str) -> bool:
        """The token is that of one of the links."""
        with self._turn:
            return self._links.find(token) is not None

    def role_of(self, token: str, browser: str) -> Role | None:
        """What the link would make of this browser; None where it may not use it. To look does not use it up."""
        with self._turn:
            return None if self.closed else self._links.role_of(token, browser)

    def join(self, token: str, browser: str, name: str = "") -> Place:
        """Sit down with a link. Its first browser may come again, and finds its seat; any other is refused."""
        with self._turn:
            self._check_open()
            link = self._links.use(token, browser)
            place = self._places.get(link.browser)
            if place is None:
                place = self._places[link.browser] = self._new_place(link, name)
            self._sit(place)
        self.touch(place)
        return place

    def place_of(self, browser: str) -> Place | None:
        """Where this browser is, if it has joined."""
        with self._turn:
            return self._places.get(digest(browser))

    @property
    def places(self) -> tuple[Place, ...]:
        """All that have joined."""
        with self._turn:
            return tuple(self._places.values())

    def _new_place(self, link: Link, name: str) -> Place:
        seat = None
        if link.role != "researcher":
            seat = self.seats[link.agent] if link.agent is not None else self._free_seat()
        self._guests += 1
        return Place(self, link.role, link.label or _tidy(name) or f"Guest {self._guests}", link.browser, seat)

    def _free_seat(self) -> Seat:
        promised = {link.agent for link in self._links}
        taken = {place.agent for place in self._places.values()}
        students = [seat for seat in self.seats.values() if seat.role == "student" and seat.agent not in taken]
        for seat in sorted(students, key=lambda seat: seat.agent in promised):
            if seat.occupant is None:
                return seat
        raise LessonError("every seat is taken.", mend="Wait until somebody leaves.")

    def _sit(self, place: Place) -> None:
        if place.seat is None or place.seated:
            return
        if self.player.status in ENDED:
            raise LessonError("this lesson is over.", mend="Ask for a link to the next one.")
        place.seat.sit(place.id)
        try:
            self._attendance.sit_down(place)
        except BaseException:
            place.seat.leave()
            raise

    # --- being there and leaving ---

    def touch(self, place: Place) -> None:
        """A sign of life of the place's browser."""
        place.touched = self._clock()
        if place.seat is not None and place.seated:
            place.seat.set_present(True)

    def look_after(self) -> None:
        """Let the seats of those who are away act by themselves; called every now and then."""
        now = self._clock()
        for place in self.places:
            if place.seat is not None and place.seated and now - place.touched > self._away:
                place.seat.set_present(False)

    def leave(self, place: Place) -> None:
        """Get up; the same browser may come back with its link while nobody else sits there."""
        with self._turn:
            if place.seat is not None and place.seated:
                self._attendance.stand_up(place)
                place.seat.leave()

    def close(self) -> None:
        """End the lesson for everybody: it stops, all get up, and no link leads here any more."""
        self.player.stop()
        self.player.wait(_PATIENCE)
        with self._turn:
            if self._closed.is_set():
                return
            self._closed.set()
            for place in self._places.values():
                self.leave(place)
            self._places.clear()
            self._links.clear()
            self._attendance.close()
        self._listeners.tell(Event("seat", self.player.status, self.player.head))

    @property
    def closed(self) -> bool:
        """Nobody can join any more."""
        return self._closed.is_set()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of the player's events and of what is new at seats, in whichever thread it happens, until told not to.

        What a listener does has to be quick: the lesson waits for it.
        """
        return self._listeners.add(listener)

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise LessonError("this lesson is closed.", mend="Ask for a link to another one.")

    def _seat_changed(self, seat: Seat) -> None:
        self._listeners.tell(Event("seat", self.player.status, self.player.head, seat.agent))

    def _passed_on(self, event: Event) -> None:
        if event.kind == "status" and event.status in ENDED:
            for place in self.places:
                self.leave(place)
        self._listeners.tell(event)

    def _look_round(self) -> None:
        while not self._closed.wait(min(1.0, self._away / 4)):
            self.look_after()


_PATIENCE = 10.0
"""Seconds that a step may take to end when a lesson is closed."""


class LiveLessons:
    """The live lessons of this process, found by their id, a link's token, or a browser that has joined."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._all: dict[str, LiveLesson] = {}

    def add(self, lesson: LiveLesson) -> LiveLesson:
        """Let it be found."""
        with self._turn:
            self._all[lesson.id] = lesson
        return lesson

    def all(self) -> tuple[LiveLesson, ...]:
        """Those that are open, oldest first."""
        with self._turn:
            self._all = {key: lesson for key, lesson in self._all.items() if not lesson.closed}
            return tuple(self._all.values())

    def get(self, lesson: str) -> LiveLesson | None:
        """The one with this id."""
        return next((one for one in self.all() if one.id == lesson), None)

    def role_of(self, token: str, browser: str) -> Role | None:
        """What a link would make of this browser; None where it leads nowhere, or is another's."""
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
        """Where this browser is."""
        places = [place for one in self.all() if (place := one.place_of(browser)) is not None]
        return next((place for place in reversed(places) if place.seated), places[-1] if places else None)

    def close(self) -> None:
        """Close all of them."""
        for lesson in self.all():
            try:
                lesson.close()
            except EduverseError:  # one that cannot be written keeps no other from being closed
                continue


def _scenario_of(study: str, run: str) -> Scenario:
    with open_study(study) as opened:
        return opened.choose(run).scenario


def _tidy(label: str) -> str:
    return clean(label)[:_LABEL].strip()
