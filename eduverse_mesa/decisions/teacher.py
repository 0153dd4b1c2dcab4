"""Decisions of the teacher: prepare the lesson, take a turn, give feedback, pace, and evaluate."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from eduverse_mesa.decisions.seam import Decision, Outcome
from eduverse_mesa.decisions.views import Heard, Position, Remembered, Said, TeacherView
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import Teacher
from eduverse_mesa.vocabulary import PaceMove, Polarity


class PlannedPhase(msgspec.Struct, frozen=True, gc=False):
    """A phase with, for each of its steps, the index of the lesson's activity it is about."""

    name: str
    activities: tuple[int, ...]

    @property
    def steps(self) -> int:
        """Number of steps that the phase is planned to take."""
        return len(self.activities)


class Prepared(Outcome, frozen=True, gc=False):
    """The lesson plan broken into phases and steps."""

    phases: tuple[PlannedPhase, ...]


class Prepare(Decision, gc=False):
    """Ask the teacher to spread this lesson over so many steps."""

    kind: ClassVar[str] = "prepare"
    outcome: ClassVar[type[Outcome]] = Prepared

    person: Teacher
    lesson: Lesson
    steps: int
    remembered: dict[str, Remembered]
    names: tuple[str, ...] = ()
    """Everybody in the class, in the order of its list."""


class Turned(Outcome, frozen=True, gc=False):
    """Category, act, words, tone, and whom the teacher calls on."""

    category: str
    act: str
    tone: str
    sentences: tuple[Said, ...]
    called: tuple[str, ...] = ()
    """Students who have to answer."""
    addressed: tuple[str, ...] = ()
    """Students who are spoken to by name without having to answer."""
    reason: str = ""


class TakeTurn(Decision, gc=False):
    """Ask the teacher what to do and say now."""

    kind: ClassVar[str] = "take_turn"
    outcome: ClassVar[type[Outcome]] = Turned

    view: TeacherView
    permitted: tuple[str, ...]
    """The acts to choose from."""


class WordTurn(Decision, gc=False):
    """Ask the teacher to say this turn in their words; what is done, and to whom, has been decided."""

    kind: ClassVar[str] = "word_turn"
    outcome: ClassVar[type[Outcome]] = Turned

    view: TeacherView
    turn: Turned


class FeedbackItem(msgspec.Struct, frozen=True, gc=False):
    """Feedback to one student by name."""

    student: str
    polarity: Polarity
    sentences: tuple[Said, ...]
    took_up: bool = False
    """The student had asked something, and this answers it."""


class FedBack(Outcome, frozen=True, gc=False):
    """Individual feedback to some of the students."""

    items: tuple[FeedbackItem, ...]


class GiveFeedback(Decision, gc=False):
    """Ask the teacher which students get a word from them now, and which word."""

    kind: ClassVar[str] = "give_feedback"
    outcome: ClassVar[type[Outcome]] = FedBack

    view: TeacherView
    act: str
    asked: bool
    """An answer was asked for in this step."""
    heard: tuple[Heard, ...]


class WordFeedback(Decision, gc=False):
    """Ask the teacher to say this feedback in their words; who gets it, and whether it is praise, has been decided."""

    kind: ClassVar[str] = "word_feedback"
    outcome: ClassVar[type[Outcome]] = FedBack

    view: TeacherView
    heard: tuple[Heard, ...]
    items: tuple[FeedbackItem, ...]


class Paced(Outcome, frozen=True, gc=False):
    """Stay with the plan, extend the phase by a step, or move on to the next."""

    move: PaceMove
    reason: str


class Pace(Decision, gc=False):
    """Ask the teacher whether the class is ready to go on."""

    kind: ClassVar[str] = "pace"
    outcome: ClassVar[type[Outcome]] = Paced

    view: TeacherView
    position: Position
    completion: float
    """Share of the phase's planned steps that are done."""
    understanding: float
    """How well the class shows it has understood this phase, 0 to 1, from what was heard."""
    may_extend: bool


class Evaluation(msgspec.Struct, frozen=True, gc=False):
    """The teacher's evaluation of one student after a lesson."""

    student: str
    sentence: str
    rating: float


class Evaluated(Outcome, frozen=True, gc=False):
    """Evaluations of all students."""

    items: tuple[Evaluation, ...]


class Evaluate(Decision, gc=False):
    """Ask the teacher how each student did in this lesson."""

    kind: ClassVar[str] = "evaluate"
    outcome: ClassVar[type[Outcome]] = Evaluated

    view: TeacherView
    participation: dict[str, float]
    """Share of steps in which the student was active or interactive."""
    quality: dict[str, float]
    """Mean quality of what the student said, 0 to 1; absent for the silent."""
    off_task: dict[str, float]
