"""A person in a seat: the question asked now, the texts typed so far, and what went on without that person."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.question_form import Errors, Unfinished, reply_of, told, usual
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies.human import Question, ReplyError
from eduverse_mesa.runs.audience import heard_by
from eduverse_mesa.runs.events import ENDED, Event
from eduverse_mesa.runs.live_lessons import LiveLesson, Place
from eduverse_mesa.visualization.frames import Frame, Stage, frame, moment, seen_by, stage, stage_seen_by
from eduverse_mesa.visualization.widgets.form import Values
from eduverse_mesa.visualization.words import Words

_DRAFTS = 8
"""Forms whose entries are remembered."""


class Seen(NamedTuple):
    """Frames and talk that a seat sees and hears: made here, so that nothing else is sent."""

    last: Frame
    """The last complete step: what came of it."""
    now: Frame
    """The view at this moment, which is what a question is about."""
    stage: Stage
    talk: list[SentenceRow]


class Sitting:
    """State of one browser in its seat; all its tabs show the same."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.changed = Notice()
        self.ticket = ""
        """The link by which this browser sits here."""
        self.own = False
        """Somebody with all rights has sat down, and gets up to them again."""
        self.missed = 0
        """Questions that went by without an answer."""
        self.said = ""
        """Outcome of the last answer: sent, late or missed."""
        self.errors: Errors = {}
        self.round = 0
        self.trouble: EduverseError | None = None
        self._door = threading.RLock()
        self._lesson: LiveLesson | None = None
        self._stop: Callable[[], None] | None = None
        self._asked: Question | None = None
        self._answered: set[int] = set()
        self._drafts: dict[int, Values] = {}
        self._left_over: dict[str, str] = {}
        self._seen: tuple[object, Seen] | None = None

    # --- where ---

    @property
    def place(self) -> Place | None:
        """The place of this browser, if it has one; its lesson is listened to from now on."""
        place = self._desk.office.lessons.place_of(self._desk.browser)
        with self._door:
            lesson = None if place is None else place.lesson
            if lesson is not self._lesson:
                if self._stop is not None:
                    self._stop()
                self._lesson, self._stop = lesson, None if lesson is None else lesson.listen(self._heard)
                self._asked, self._seen = None, None
                self.missed, self.said = 0, ""
        if place is not None:
            self._look(place)
        return place

    def sit(self, token: str, name: str = "", *, own: bool = False) -> None:
        """Sit down by a link."""
        self.trouble = None
        before = self.place
        try:
            self._desk.office.lessons.join(token, self._desk.browser, name)
        except EduverseError as error:
            self.trouble = error
        else:
            if self.own and self.ticket != token and before is not None:
                before.lesson.take_back(self.ticket)  # it led to the seat that was just left
            self.ticket, self.own = token, own
        self.changed.tell()

    def leave(self) -> None:
        """Get up: the seat acts by itself."""
        place = self.place
        if place is not None:
            self._try(lambda: place.lesson.leave(place))
            if self.own:
                self._try(lambda: place.lesson.take_back(self.ticket))
        if self.own:
            self.own, self.ticket = False, ""
        self.changed.tell()

    def _try(self, leave: Callable[[], None]) -> None:
        """Let the person get up in any case; an error in writing it down is shown."""
        try:
            leave()
        except EduverseError as error:
            self.trouble = error

    def touch(self) -> None:
        """The page is open in a browser."""
        place = self._desk.office.lessons.place_of(self._desk.browser)
        if place is not None:
            place.lesson.touch(place)

    # --- what is asked ---

    def _heard(self, event: Event) -> None:
        lesson = self._lesson
        place = None if lesson is None else lesson.place_of(self._desk.browser)
        if event.kind == "seat" and place is not None and event.agent == place.agent:
            self._look(place)
        self.changed.tell()

    def _look(self, place: Place) -> None:
        """Notice what is asked now, and that what was asked before is not asked any more."""
        question = place.question()
        with self._door:
            before = self._asked
            if question is before:
                return
            self._asked = question
            if before is not None and before.id not in self._answered and place.seated:
                self._miss(before)
            if question is not None:
                self.errors = {}

    def _miss(self, question: Question) -> None:
        """It went by. A request goes on waiting; anything else the seat has done by itself."""
        if question.form == "requests":
            self.said = "undecided"
            return
        self.missed, self.said = self.missed + 1, "missed"
        self._left_over = _words_in(self._drafts.get(question.id, {}))

    def values(self, question: Question) -> Values:
        """Return the values of a form: those typed, else those left over from a form that went by, else the usual
        ones."""
        with self._door:
            return self._drafts.get(question.id, {**self._left_over, **usual(question)})

    def keep(self, number: int, values: Values) -> None:
        """Remember what is typed."""
        with self._door:
            self._drafts[number] = values
            for old in list(self._drafts)[:-_DRAFTS]:
                del self._drafts[old]

    def reply(self, number: int, values: Values, t: Words) -> None:
        """Answer. A second click, or one that comes too late, does nothing but say so."""
        self.keep(number, values)
        place = self.place
        if place is not None:  # first: it may come too late to be said, or not be finished
            place.overhear(texts_in(values))
        question = place.question() if place is not None else None
        if place is None or question is None or question.id != number:
            if number not in self._answered:
                self.said = "late"
            self._judge({})
            return
        self._answered.add(number)
        try:
            place.reply(reply_of(question, values, t), number)
        except Unfinished as unfinished:
            self._answered.discard(number)
            self._judge(unfinished.errors)
        except ReplyError as error:
            self._answered.discard(number)
            if error.field:
                self._judge(told(error, t))
            else:
                self.said = "late"
                self._judge({})
        except LessonError:
            self.said = "late"
            self._judge({})
        else:
            self._left_over, self.said = {}, "sent"
            self._judge({})

    def _judge(self, errors: Errors) -> None:
        self.errors, self.round = errors, self.round + 1
        self.changed.tell()

    # --- what is seen ---

    def see(self, place: Place) -> Seen | None:
        """Return what the seat perceives; None before there is anything."""
        agent = place.agent
        if agent is None:
            return None
        with place.lesson.player.still() as run:
            if not run.lessons:
                return None
            model = run.lessons[-1].model
            # A round of answers is what moves a step on; its end writes a row for each student.
            key = (model, model.state.step, len(model.journal.answers), len(model.journal.students))
            if self._seen is None or self._seen[0] != key:
                shown = (seen_by(frame(model), agent), seen_by(moment(model), agent))
                self._seen = key, Seen(*shown, stage_seen_by(stage(model), agent), heard_by(model, agent))
            return self._seen[1]

    # --- for the desk ---

    @property
    def busy(self) -> bool:
        """Somebody sits here."""
        place = self._desk.office.lessons.place_of(self._desk.browser)
        return place is not None and place.seated

    def forget(self, study: str) -> None:  # noqa: ARG002 - as desks ask it
        """Let go of everything about a lesson that is closed, since something was taken out of a study."""
        with self._door:
            if self._lesson is None or not self._lesson.closed:
                return
            self._drafts, self._left_over, self._answered = {}, {}, set()
        if self.place is None:  # asking lets go of the rest
            self.changed.tell()

    def close(self) -> None:
        """Listen no more."""
        if self._stop is not None:
            self._stop()


def texts_in(values: Values) -> list[str]:
    """All that was typed into a form."""
    return [text for text in values.values() if isinstance(text, str)]


def _words_in(values: Values) -> dict[str, str]:
    text = values.get("words")
    return {"words": text} if isinstance(text, str) and text else {}


def sitting(desk: Desk) -> Sitting:
    """The seat on this desk."""
    return desk.drawer(Sitting, lambda: Sitting(desk))


def over(place: Place) -> bool:
    """The lesson will not go on."""
    return place.lesson.player.status in ENDED
