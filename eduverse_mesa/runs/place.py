"""Where a browser is in a live lesson."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies.human import Question, Reply, Seat
from eduverse_mesa.policies.human.checking import texts_of
from eduverse_mesa.runs.calls import calls_for_help
from eduverse_mesa.runs.hearing import heard_by
from eduverse_mesa.runs.links import Role
from eduverse_mesa.runs.play import Until

if TYPE_CHECKING:
    from eduverse_mesa.runs.live import LiveLesson

_COMING = itertools.count(1)
_REMEMBERED = 8
"""Texts for which an alert was raised, and is not raised again when a form is sent once more."""


class Place:
    """Where a browser is by one of its links, and all that it may see of the lesson."""

    def __init__(self, lesson: LiveLesson, role: Role, label: str, browser: bytes, seat: Seat | None) -> None:
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
        """What the person typed last told of harm, and was not said in the lesson."""
        self._overheard: list[str] = []

    def note_coming(self) -> None:
        """Somebody comes here, or comes again."""
        self.came = next(_COMING)

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
        """What tells of harm is not said in the lesson."""
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
