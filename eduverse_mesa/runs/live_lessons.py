"""Lessons that people take part in: join links, places and alerts; always recorded in a study. And all of a process."""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Self

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.human import LiveSeat, Question, Reply
from eduverse_mesa.policies.human.questions import texts_of
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.policies.shared_limit import need_live
from eduverse_mesa.runs.audience import heard_by
from eduverse_mesa.runs.events import ENDED, Event, Listener, Listeners
from eduverse_mesa.runs.links import JoinLink, Link, Links, Role, calls_for_help, digest
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.runs.seats_for_people import Attendance, seats_of, with_people
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.runs.threads import Hush
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.store import AlertRow
from eduverse_mesa.store.alerts import alert_at

__all__ = ["LiveLesson", "LiveLessons", "Place"]


_COMING = itertools.count(1)
_REMEMBERED = 8
"""Texts for which an alert was raised, and is not raised again when a form is sent once more."""


class Place:
    """The place of a browser that came by one of the links, and all that the browser may see of the lesson."""

    def __init__(self, lesson: LiveLesson, role: Role, label: str, browser: bytes, seat: LiveSeat | None) -> None:
        self.id = secrets.token_urlsafe(9)
        self.lesson = lesson
        self.role: Role = role
        self.label = label
        self.browser = browser
        self.seat = seat
        self.participant: str | None = None
        self.touched = 0.0
        self.came = 0
        """Of two places, the one that somebody came to later has the higher number."""
        self.replied: Until | None = None
        """The last step in which the person answered something."""
        self.calls: tuple[str, ...] = ()
        """The ids of the alerts that were raised by what the person typed here."""
        self.kept_out = False
        """The person's last text told of harm, and was not said in the lesson."""
        self._overheard: list[str] = []

    def note_coming(self) -> None:
        """Somebody comes here, or comes again."""
        self.came = next(_COMING)

    @property
    def agent(self) -> str | None:
        """The agent whose seat it is; a researcher has none."""
        return None if self.seat is None else self.seat.agent

    @property
    def seated(self) -> bool:
        """The person sits there; somebody who has left may come back with their link."""
        return self.seat is not None and self.seat.occupant == self.id

    def question(self) -> Question | None:
        """The question that the person is asked, and has not answered."""
        return self.seat.question if self.seat is not None and self.seated else None

    def reply(self, reply: Reply, to: int | None = None) -> None:
        """Answer it; ReplyError where that cannot be, and the question stays open."""
        question = self.question()
        self.overhear(texts_of(reply))
        if self.seat is None or not self.seated:
            raise LessonError("nobody is asked here.", mend="Sit down first.")
        self.lesson.touch(self)
        before = self.replied
        if question is not None:  # beforehand: who gets up in this very moment has answered in this step
            lesson, step = question.place
            self.replied = lesson, max(1, step)
        try:
            self.seat.reply(reply, to)
        except EduverseError:
            self.replied = before
            raise
        self.kept_out = self.seat.keeps_out(texts_of(reply))

    @property
    def keeps_out(self) -> bool:
        """True if words that tell of harm are not said in the lesson."""
        return not self.lesson.scenario.settings.llm.told_of_harm

    def overhear(self, texts: Iterable[str]) -> None:
        """Raise an alert where a text tells of harm, whether it can be said in the lesson or comes too late."""
        for text in texts:
            known = text in self._overheard
            if not known and not calls_for_help(text):
                continue
            self.kept_out = self.keeps_out
            if not known:
                self._overheard = [*self._overheard[-_REMEMBERED:], text]
                self.calls = (*self.calls, self.lesson.raise_alert(self, text))

    def transcript(self) -> list[SentenceRow]:
        """The talk of the lesson at hand, as the agent has heard it; a researcher hears all."""
        with self.lesson.player.still() as run:
            if not run.lessons:
                return []
            model = run.lessons[-1].model
            return list(model.journal.sentences) if self.seat is None else heard_by(model, self.seat.agent)


_LOG = logging.getLogger(__name__)
Clock = Callable[[], float]
_ALERT = 4000
"""Characters of what is kept with an alert."""
_LABEL = 40
"""Characters of what somebody is called."""


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
        self._prepare(scenario, policy, clock)
        wrap = with_people(scenario, self.seats)
        self._open(LessonPlayer(scenario, seed, policy, changes=changes, study=study, wrap=wrap), study)

    @classmethod
    def resume(
        cls, study: str, run: str, policy: AnyPolicy | str | None = None, *, clock: Clock = time.monotonic
    ) -> Self:
        """Go on with a run of a study; whoever sat in it when it was left has got up."""
        lesson = cls.__new__(cls)
        scenario = _scenario_of(study, run)
        lesson._prepare(scenario, policy, clock)
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
        lesson._prepare(scenario, policy, clock)
        wrap = with_people(scenario, lesson.seats)
        lesson._open(LessonPlayer.fork(run, at, changes, policy, study=study, wrap=wrap), study)
        return lesson

    def _prepare(self, scenario: Scenario, policy: AnyPolicy | str | None, clock: Clock) -> None:
        answering = scenario.settings.policy if policy is None else policy
        need_live(answering if isinstance(answering, str) else answering.name, scenario.settings.llm)
        self.id = secrets.token_urlsafe(9)
        self.scenario = scenario
        self._policy = policy
        self.attempt = 0
        """Number of times it was begun: a lesson that has failed can be gone on with, and has another player then."""
        self._hush = Hush(self._tell_of_seat)
        self.seats = seats_of(scenario, lambda seat: self._hush.tell(seat.agent))
        self._away = scenario.settings.people.away
        self._clock = clock
        self._links = Links()
        self._places: dict[bytes, Place] = {}
        """Places by what is kept of the link's token."""
        self._here: dict[bytes, Place] = {}
        """The place of each browser; read without the lock, so that whoever is told of a seat may ask."""
        self._troubles: list[EduverseError] = []
        """Errors of what could not be written into the study, to be said at the end."""
        self.unwritten: list[AlertRow] = []
        """Alerts that could not be written into the study."""
        self._signed = clock()
        self._guests = 0
        self._interrupted: list[Place] = []
        """Places of those who sat when the lesson came to an end."""
        self._listeners: Listeners[Event] = Listeners()
        self._closed = threading.Event()

    def _open(self, player: LessonPlayer, study: str) -> None:
        self._study = study
        self._follow(player)
        threading.Thread(target=self._look_round, name=f"eduverse-presence-{self.id}", daemon=True).start()

    def _follow(self, player: LessonPlayer) -> None:
        try:
            attendance = Attendance.open(self._study, player)
        except BaseException:
            player.stop()
            raise
        self.player, self._attendance = player, attendance
        self.attempt += 1
        player.listen(self._passed_on)

    def go_on(self) -> None:
        """Go on after trouble, from the last complete step: links lead here as before, and whoever sat sits again.

        Where that cannot be (the study cannot be written still), it raises, and everything stays as it is.
        """
        with self._hush:
            self._check_open()
            if self.player.status != "failed":
                raise LessonError("this lesson has not failed.", mend="Play it.")
            before = self._attendance
            wrap = with_people(self.scenario, self.seats)
            self._follow(LessonPlayer.resume(self._study, self.player.run.id, self._policy, wrap=wrap))
            before.close()
            places, self._interrupted = self._interrupted, []
            for place in places:
                if place in self._places.values():
                    self._sit(place)
        self._listeners.tell(Event("status", self.player.status, self.player.head))

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
        with self._hush:
            self._check_open()
            return self._links.add(role, agent, _tidy(label))

    def take_back(self, token: str) -> None:
        """Let a link lead nowhere; who sits by it gets up."""
        trouble = None
        with self._hush:
            link = self._links.find(token)
            self._links.take_back(token)
            place = self._places.pop(link.digest, None) if link is not None else None
            if place is not None:
                trouble = self._get_up(place)
                self._forget(place)
        if trouble is not None:
            raise trouble

    def _forget(self, place: Place) -> None:
        """A browser whose last link was taken back is where it was before, if it was anywhere."""
        if self._here.get(place.browser) is place:
            others = [one for one in self._places.values() if one.browser == place.browser]
            if others:
                self._here[place.browser] = max(others, key=lambda one: one.came)
            else:
                del self._here[place.browser]

    def knows(self, token: str) -> bool:
        """The token is that of one of the links."""
        with self._hush:
            return self._links.find(token) is not None

    def role_of(self, token: str, browser: str) -> Role | None:
        """Return the role that the link gives this browser; None where the browser may not use it. Looking does not use
        it up."""
        with self._hush:
            return None if self.closed else self._links.role_of(token, browser)

    def join(self, token: str, browser: str, name: str = "") -> Place:
        """Sit down with a link. Its first browser may come again, and finds its seat; any other is refused. Who sits
        here by another link gets up from there."""
        with self._hush:
            self._check_open()
            link = self._links.use(token, browser)
            place = self._places.get(link.digest) or self._new_place(link, name)
            before = self._here.get(link.browser)
            self._change_places(None if before is place else before, place)
            self._places[link.digest] = self._here[link.browser] = place
            place.note_coming()
        place.overhear((name,))
        self.touch(place)
        return place

    def _change_places(self, before: Place | None, place: Place) -> None:
        """Sit down; only then get up elsewhere, so that a person who is refused keeps their seat."""
        if before is not None and before.seat is place.seat:
            self._note(self._get_up(before))
        self._sit(place)
        if before is not None:
            self._note(self._get_up(before))

    def place_of(self, browser: str) -> Place | None:
        """Return the place of this browser, if it has joined."""
        return self._here.get(digest(browser))

    @property
    def places(self) -> tuple[Place, ...]:
        """All that have joined, each by its link."""
        with self._hush:
            return tuple(self._places.values())

    def _new_place(self, link: Link, name: str) -> Place:
        seat = None
        if link.role != "researcher":
            seat = self.seats[link.agent] if link.agent is not None else self._free_seat()
        self._guests += 1
        called = "" if calls_for_help(name) else _tidy(name)
        return Place(self, link.role, link.label or called or f"Guest {self._guests}", link.browser, seat)

    def _free_seat(self) -> LiveSeat:
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

    def raise_alert(self, place: Place, text: str) -> str:
        """Keep what somebody typed that tells of harm, and tell whoever listens; gives the alert's id. It is not lost
        where the study cannot be written: `unwritten` has it then."""
        at = max(self.player.head, place.replied or (1, 1), (1, 1))
        question = place.question()
        at = at if question is None else (question.place[0], max(1, question.place[1]))
        speaker = place.agent or place.label
        alert = alert_at(self.player.run.id, at, speaker, text[:_ALERT], participant=place.participant)
        try:
            self._attendance.keep_alert(alert)
        except EduverseError as error:
            self.unwritten.append(alert)
            _LOG.warning("an alert of run %s could not be written: %s", self.player.run.id, error)
        self._listeners.tell(Event("alert", self.player.status, self.player.head, speaker))
        return alert.id

    def look_after(self) -> None:
        """Let the seats of those who are away act by themselves; called every now and then."""
        now = self._clock()
        for place in self.places:
            if place.seat is not None and place.seated and now - place.touched > self._away:
                place.seat.set_present(False)
        if now - self._signed > _SIGN and not self.closed and self.player.status not in ENDED:
            self._signed = now
            try:
                self._attendance.note_open()
            except EduverseError as error:
                _LOG.warning("run %s: that it is open could not be written: %s", self.player.run.id, error)

    def leave(self, place: Place) -> None:
        """Get up; the same browser may come back with its link while nobody else sits there.

        The seat is free in any case: StudyError only says that it could not be written down.
        """
        with self._hush:
            trouble = self._get_up(place)
        if trouble is not None:
            raise trouble

    def _get_up(self, place: Place) -> EduverseError | None:
        if place.seat is None or not place.seated:
            return None
        head = self.player.head
        place.seat.leave()
        try:
            self._attendance.stand_up(place, head)
        except EduverseError as error:
            return error
        return None

    def _note(self, trouble: EduverseError | None) -> None:
        if trouble is not None:
            _LOG.warning("who sat where in run %s could not be written: %s", self.player.run.id, trouble)
            self._troubles.append(trouble)

    def close(self) -> None:
        """End the lesson for everybody: it stops, all get up, and no link leads here any more.

        It always ends; what could not be written is said when that is done, once.
        """
        self.player.stop()
        self.player.wait(_PATIENCE)
        with self._hush:
            if self._closed.is_set():
                return
            self._closed.set()
            for place in self._places.values():
                self._note(self._get_up(place))
            self._places.clear()
            self._here.clear()
            self._links.clear()
            try:
                self._attendance.close()
            except EduverseError as error:
                self._note(error)
        self._listeners.tell(Event("seat", self.player.status, self.player.head))
        if self._troubles:
            raise self._troubles[0]

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

    def _tell_of_seat(self, agent: str) -> None:
        self._listeners.tell(Event("seat", self.player.status, self.player.head, agent))

    def _passed_on(self, event: Event) -> None:
        if event.kind == "status" and event.status in ENDED:
            with self._hush:
                self._interrupted = [place for place in self._places.values() if place.seated]
                for place in self._interrupted:
                    self._note(self._get_up(place))
        self._listeners.tell(event)

    def _look_round(self) -> None:
        while not self._closed.wait(min(1.0, self._away / 4)):
            self.look_after()


_SIGN = 600.0
"""Seconds between two signs to other programs that a lesson is open: well within what they take for having left it."""
_PATIENCE = 10.0
"""Seconds that a step may take to end when a lesson is closed."""


def _scenario_of(study: str, run: str) -> Scenario:
    with open_study(study) as opened:
        return opened.choose(run).spec.scenario


def _tidy(label: str) -> str:
    return clean(label)[:_LABEL].strip()


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
