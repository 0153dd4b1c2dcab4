"""Sessions of a learner and a tutor: the agenda, where they are on it, saving, and whether they can begin."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from eduverse_mesa.agents.learner import LearnerAgent
from eduverse_mesa.agents.tutor import Notes, TutorAgent
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.memory.three_levels import Grasp, Memory, read_written
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Curriculum, Unit
from eduverse_mesa.scenarios.tutoring import METACOGNITION, TutoringSettings

_YEAR = 365.0


class Talk(msgspec.Struct, frozen=True, tag="talk"):
    """A dialogue. The tutor picks the unit where none is named."""

    day: float
    grade: int
    unit: str = ""


class Question(msgspec.Struct, frozen=True):
    """One item of one unit."""

    unit: str
    item: str


class Exam(msgspec.Struct, frozen=True, tag="exam"):
    """A test: nobody helps, and nothing is learned by it."""

    day: float
    grade: int
    name: str
    questions: tuple[Question, ...]


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """A while until a day, in which the learner learns other things elsewhere: by one law of forgetting it is the days
    that make them forget, by the other these episodes."""

    day: float
    grade: int
    episodes: int = 0


Session = Talk | Exam | Pause
"""Written down, each says in its field `type` what it is."""


def school_years(curriculum: Curriculum, settings: TutoringSettings, *, tested: bool = False) -> tuple[Session, ...]:
    """Dialogues spread over the school days of each grade; a test on the whole curriculum closes a grade if wanted."""
    return tuple(_years(curriculum, settings, tested))


def _years(curriculum: Curriculum, settings: TutoringSettings, tested: bool) -> Iterator[Session]:
    first, last = settings.grades
    for grade in range(first, last + 1):
        start = (grade - first) * _YEAR
        dialogues = settings.visits * len(curriculum.units_of(grade))
        for number in range(dialogues):
            yield Talk(start + number * settings.school_days / dialogues, grade)
        if tested:
            yield Exam(start + settings.school_days, grade, f"end of grade {grade}", all_questions(curriculum))


def all_questions(curriculum: Curriculum, grades: tuple[int, ...] = ()) -> tuple[Question, ...]:
    """Every item of the curriculum, or of some grades of it."""
    return tuple(
        Question(unit.id, item.id)
        for unit in curriculum.all_units()
        if not grades or unit.grade in grades
        for item in unit.items
    )


class Saved(msgspec.Struct):
    """Memory, the tutor's notes, and how far on the agenda they are."""

    name: str
    memory: Memory = msgspec.field(default_factory=Memory)
    notes: Notes = msgspec.field(default_factory=Notes)
    session: int = 1
    """The session that comes next, counted from 1."""

    def copy(self) -> Saved:
        """Another one of the same, which goes its own way."""
        return read_saved(write_saved(self))


def write_saved(saved: Saved) -> bytes:
    """A saved learner as JSON."""
    return msgspec.json.encode(saved)


def read_saved(text: bytes | str | Path, where: str = "") -> Saved:
    """A saved learner from JSON, or from the file at a path; what is none is refused with its place. Text is never
    taken for a path: who hands it in may come from outside."""
    if isinstance(text, Path):
        try:
            return read_written(text.read_bytes(), Saved, "saved learner", where or str(text))
        except OSError as error:
            raise StudyError(
                f"the file cannot be read: {error.strerror}.", where=str(text), mend="Check the path."
            ) from None
    if isinstance(text, str) and text.endswith(".json"):
        raise StudyError(
            f"'{text[-80:]}' is the name of a file, and text is read as a saved learner itself.",
            where=where,
            mend="Give the file as a pathlib.Path.",
        )
    return read_written(text, Saved, "saved learner", where)


class Enrolment:
    """The way of one learner through the agenda."""

    def __init__(
        self,
        seed: int,
        learner: LearnerAgent,
        tutor: TutorAgent,
        agenda: tuple[Session, ...],
        turns: int,
        reflect_every: int,
    ) -> None:
        self.seed = seed
        self.learner = learner
        self.tutor = tutor
        self.agenda = agenda
        self.turns = turns
        self.reflect_every = reflect_every
        self.session = 1
        """The session it is in, counted from 1."""
        self.turn = 0
        self.unit: Unit | None = None
        self.closing = False
        """The dialogue is over, and what stays of it is to be seen."""
        self.finished = False
        """The tutor has closed it."""
        self.grasp_before = 0.0

    @property
    def over(self) -> bool:
        """Nothing is left on the agenda."""
        return self.session > len(self.agenda)

    @property
    def now(self) -> Session:
        """The session that is on the agenda now."""
        return self.agenda[self.session - 1]

    @property
    def talk(self) -> Talk | None:
        """The dialogue that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Talk) else None

    @property
    def exam(self) -> Exam | None:
        """The test that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Exam) else None

    @property
    def pause(self) -> Pause | None:
        """The pause that is on the agenda now, if it is one."""
        return self.now if not self.over and isinstance(self.now, Pause) else None

    @property
    def talking(self) -> bool:
        """A dialogue has begun."""
        return self.unit is not None

    def at(self, agent: str) -> Address:
        """Return the address of the draws of this turn."""
        return Address(self.seed, self.session, self.turn, agent)

    def begin(self, unit: Unit) -> None:
        """Begin a dialogue about a unit."""
        talk = self.talk
        assert talk is not None
        self.unit, self.closing, self.finished = unit, False, False
        self.learner.begin(unit, talk.grade, talk.day)
        self.grasp_before = self.learner.grasping.grasp

    def end(self) -> None:
        """Go on to what is next on the agenda."""
        self.unit, self.closing, self.turn = None, False, 0
        self.session += 1

    # --- what it is now ---

    def saved(self) -> Saved:
        """The learner as they are between two sessions."""
        return Saved(self.learner.name, self.learner.memory, self.tutor.notes, self.session)

    def state(self) -> Any:
        """The state after a turn: within a dialogue how that stands; memory moves when a session ends, and is told
        then."""
        if not self.talking:
            return self.saved()
        learner, unit = self.learner, self.unit
        assert unit is not None
        place = (learner.name, self.session, self.turn, unit.id, self.finished)
        return place, learner.dialogue, learner.grasping.grasp, learner.memory.confidence


_MEND = "Give the curriculum that it has learned by; what was saved is not to be edited."


def check_agenda(agenda: Sequence[Session], curriculum: Curriculum) -> None:
    """Refuse an agenda with something on it that the curriculum does not have."""
    for number, session in enumerate(agenda, start=1):
        for message, mend in _session_problems(session, curriculum):
            raise ScenarioError(f"{message}.", where=f"agenda, session {number}", mend=mend)


def _session_problems(session: Session, curriculum: Curriculum) -> Iterator[tuple[str, str]]:
    if not math.isfinite(session.day):
        yield f"there is no day {session.day}", "Count days from 0."
    if isinstance(session, Talk):
        if session.unit and session.unit not in curriculum.units:
            yield f"'{curriculum.name}' has no unit '{session.unit[:80]}'", _units_of(session.grade, curriculum)
        elif not session.unit and session.grade not in curriculum.grades:
            grades = ", ".join(map(str, curriculum.grades))
            yield f"'{curriculum.name}' has no unit of grade {session.grade} to pick", f"It has grades {grades}."
    elif isinstance(session, Exam):
        for question in session.questions:
            unit = curriculum.units.get(question.unit)
            if unit is None:
                yield f"'{curriculum.name}' has no unit '{question.unit[:80]}'", _units_of(session.grade, curriculum)
            elif question.item not in (item.id for item in unit.items):
                items = ", ".join(item.id for item in unit.items)
                yield f"unit '{unit.id}' has no item '{question.item[:80]}'", f"It has {items}."
    elif isinstance(session, Pause) and session.episodes < 0:
        yield "a pause has no fewer than 0 episodes", "Give 0 or more."


def _units_of(grade: int, curriculum: Curriculum) -> str:
    there = ", ".join(unit.id for unit in curriculum.units_of(grade)[:10])
    return f"Units of grade {grade} are {there}." if there else ""


def check_saved(saved: Mapping[str, Saved], people: Collection[str], curriculum: Curriculum) -> None:
    """Refuse saved learners that are not in the cohort, or that have learned by another curriculum."""
    for name, one in saved.items():
        if name not in people:
            raise StudyError(
                f"nobody in the cohort is called '{name[:80]}'.", where="saved", mend="Save under a learner's name."
            )
        for problem in memory_problems(one, curriculum):
            raise StudyError(f"{problem}.", where=f"saved '{name[:80]}'", mend=_MEND)


def memory_problems(saved: Saved, curriculum: Curriculum) -> Iterator[str]:
    """Yield the reasons why no learner of a curriculum can have saved this, and a model could not go on with it."""
    memory = saved.memory
    if saved.session < 1 or memory.lived < len(memory.episodes) or not 0 <= memory.confidence <= 1:
        yield "the numbers of the learner cannot be"
    yield from _concept_problems(memory, curriculum)
    yield from _episode_problems(memory, curriculum)
    subjects = {subject.id for subject in curriculum.subjects}
    for name, skill in memory.skills.items():
        if name not in subjects or skill.level not in METACOGNITION:
            yield f"the skills in '{name[:80]}' cannot be"
    if not curriculum.units.keys() >= {*saved.notes.taught, *saved.notes.shown, *saved.notes.last}:
        yield "the curriculum lacks a unit of the tutor's notes"


def _concept_problems(memory: Memory, curriculum: Curriculum) -> Iterator[str]:
    for name, node in memory.concepts.items():
        if name not in curriculum.concepts or node.concept != name:
            yield f"the curriculum has no concept '{name[:80]}'"
        if any(unit not in curriculum.units for unit in node.units):
            yield f"the curriculum lacks a unit that is remembered of '{name[:80]}'"
        if not all(_possible(grasp) for grasp in (node.grasp, *node.units.values())):
            yield f"the numbers of '{name[:80]}' cannot be"


def _episode_problems(memory: Memory, curriculum: Curriculum) -> Iterator[str]:
    before = 0
    for episode in memory.episodes:
        if not (math.isfinite(episode.day) and 0 <= episode.grade <= 13 and 0 <= episode.emotion <= 1):
            yield f"the numbers of episode {episode.number} cannot be"
        if not before < episode.number <= memory.lived:
            yield f"episode {episode.number} cannot come after {before} of {memory.lived}"
        if episode.unit not in curriculum.units:
            yield f"the curriculum lacks the unit of episode {episode.number}"
        before = episode.number


def _possible(grasp: Grasp) -> bool:
    return 0 <= grasp.mastery <= 1 and 0.5 <= grasp.strength <= 1000 and math.isfinite(grasp.day)
