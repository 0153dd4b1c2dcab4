"""Where a browser is in a live lesson."""

from __future__ import annotations

import itertools
import secrets
from typing import TYPE_CHECKING

from eduverse_mesa.errors import EduverseError, LessonError
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.policies.human import Question, Reply, Seat
from eduverse_mesa.runs.hearing import heard_by
from eduverse_mesa.runs.links import Role
from eduverse_mesa.runs.play import Until

if TYPE_CHECKING:
    from eduverse_mesa.runs.live import LiveLesson

_COMING = itertools.count(1)


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

    def transcript(self) -> list[SentenceRow]:
        """The talk of the lesson at hand, as the agent has heard it; a researcher hears all."""
        with self.lesson.player.still() as run:
            if not run.lessons:
                return []
            model = run.lessons[-1].model
            return list(model.journal.sentences) if self.seat is None else heard_by(model, self.seat.agent)
