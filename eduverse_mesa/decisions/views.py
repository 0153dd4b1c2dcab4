"""Contents of decisions: the shared scene, and what one student or the teacher knows of it.

Structs that cannot take part in a cycle of references are kept from the garbage collector (`gc=False`): a class of 600
makes hundreds of thousands of these in a lesson.
"""

from __future__ import annotations

import msgspec

from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.people import Student, Teacher


class Said(msgspec.Struct, frozen=True, gc=False):
    """One spoken sentence with its discourse move."""

    text: str
    move: str = "none"


class Spoken(msgspec.Struct, frozen=True, gc=False):
    """Words that somebody said aloud in this or the last step."""

    speaker: str
    addressee: str
    sentences: tuple[Said, ...]

    @property
    def claims(self) -> bool:
        """Return True if the words hold something that others can agree with or not."""
        return any(said.move in ("claim", "evidence") for said in self.sentences)


class Line(msgspec.Struct, frozen=True, gc=False):
    """One turn of the talk that the whole class has heard."""

    step: int
    speaker: str
    to: str
    text: str


class Lived(msgspec.Struct, frozen=True, gc=False):
    """One of the last steps as a student remembers it: their own private side of the lesson."""

    step: int
    behaviour: str
    partner: str
    words: str
    emotion: str
    cognition: str
    monitored: str
    resolved: str
    feedback: str
    heard: tuple[Spoken, ...] = ()
    """Words that classmates said to the student alone, or in the student's group."""


class Focus(msgspec.Struct, frozen=True, gc=False):
    """Focus of a step: the item of the plan the teacher is at. Texts are empty where the item has none."""

    do: str
    goal: int
    idea: str = ""
    because: str = ""
    question: str = ""
    bloom: str = "understand"
    press: str = ""
    text: str = ""
    keyword: str = ""
    short: str = ""
    idea_id: str = ""
    question_id: str = ""


class Scene(msgspec.Struct, frozen=True, gc=False):
    """Everything that all in the room can see and hear in a step: the teacher's broadcast and the talk before it."""

    lesson: Lesson
    phase: str
    mode: str
    focus: Focus
    category: str = ""
    act: str = ""
    tone: str = "neutral"
    sentences: tuple[Said, ...] = ()
    called: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    asked: bool = False
    """This step's act asks for an answer, or a student is called on."""
    checked: bool = False
    """The teacher only makes sure of being followed ("Okay?"): a word in return will do."""
    earlier: tuple[Spoken, ...] = ()
    """Words that students said aloud in the step before."""
    talk: tuple[Line, ...] = ()
    """All that the class has heard before this step, oldest first."""
    step: int = 0
    teacher: str = ""
    names: tuple[str, ...] = ()
    """Everybody in the class, in the order of its list."""


class Mind(msgspec.Struct, gc=False):
    """A student's latent state s_i (EduVerse 3.2.3). All but affect run from 0 to 1; affect from -1 to 1."""

    attention: float = 0.6
    confidence: float = 0.5
    affect: float = 0.2
    fatigue: float = 0.0
    rapport: float = 0.5
    engagement: float = 0.5
    habit: float = 0.0
    """Learned self-regulation: grows with regulation that worked, and is carried between lessons."""
    understanding: list[float] = []
    """One number for each goal of the lesson."""


class Neighbour(msgspec.Struct, frozen=True, gc=False):
    """A classmate within perception, as last seen."""

    name: str
    distance: float
    behaviour: str
    emotion: str
    linked: bool
    closeness: float


class Request(msgspec.Struct, frozen=True, gc=False):
    """A peer's wish to talk."""

    id: int
    sender: str
    receiver: str
    kind: str
    text: str
    step: int


class Received(msgspec.Struct, frozen=True, gc=False):
    """Individual feedback from the teacher."""

    polarity: str
    text: str


class Regulation(msgspec.Struct, frozen=True, gc=False):
    """A student's resolution to do something differently."""

    strategy: str
    sentence: str


class Remembered(msgspec.Struct, frozen=True, gc=False):
    """Memories loaded from long-term memory at the start of a lesson (C.5.4)."""

    summary: str = ""
    portrait: str = ""
    regulation: str = ""
    strategy: str = ""
    evaluation: str = ""
    rating: float = 0.0
    """The teacher's evaluation as a number from -1 to 1."""


class StudentView(msgspec.Struct, gc=False):
    """Knowledge of one student when they decide: themselves, what they perceive, and the scene. No more."""

    person: Student
    mind: Mind
    scene: Scene
    to_teacher: float
    to_board: float
    neighbours: tuple[Neighbour, ...] = ()
    objects: tuple[str, ...] = ()
    called: bool = False
    addressed: bool = False
    behaviour: str = "head_up"
    emotion: str = "positive"
    cognition: str = "understand"
    """Behaviour, emotion and cognition of the step before."""
    feedback: Received | None = None
    regulation: Regulation | None = None
    remembered: Remembered | None = None
    lately: tuple[Lived, ...] = ()
    """The last few steps, oldest first."""
    facing: int = 0
    """Number of neighbours that the student sits face to face with."""
    grouped: bool = False
    """The student shares a group's table with some of them."""


class Recall(msgspec.Struct, frozen=True, gc=False):
    """Content that a student can bring up about the focus: full, partial, misconception or none, and the words for it.

    It is drawn from the student's understanding before anybody is asked for words, so no policy can make a student say
    more than they understand.
    """

    level: str
    text: str = ""
    because: str = ""
    short: str = ""


class Pupil(msgspec.Struct, frozen=True, gc=False):
    """A student as the teacher sees it."""

    name: str
    behaviour: str
    emotion: str
    hand_up: bool
    calls: int
    spoke: int
    distance: float
    feedback: str
    regulation: str
    evaluation: float
    """The teacher's evaluation from earlier lessons, -1 to 1."""


class ClassView(msgspec.Struct, frozen=True, gc=False):
    """Knowledge of the teacher about the class after the last step."""

    pupils: tuple[Pupil, ...]
    behaviour: dict[str, float]
    """Shares of the levels off_task, passive, active, interactive."""
    emotion: dict[str, float]
    high_cognition: float
    took_part: float
    feedback: str
    """The last feedback, in words."""
    grouped: float = 0.0
    """The share of the class that sits in groups."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """Position of the lesson in its plan."""

    phase: str
    index: int
    step_in_phase: int
    steps_of_phase: int
    step: int
    steps: int


class TeacherView(msgspec.Struct, gc=False):
    """Knowledge of the teacher when they decide."""

    person: Teacher
    lesson: Lesson
    position: Position
    focus: Focus
    mode: str
    group: ClassView
    last_acts: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    """Ideas and texts that were taught in the last three steps."""
    open_question: Focus | None = None
    """A question asked before that nobody has answered."""
    heard: tuple[Spoken, ...] = ()
    """Words that students said aloud in the step before."""
    talk: tuple[Line, ...] = ()
    """All that the class has heard so far, oldest first."""


class Heard(msgspec.Struct, frozen=True, gc=False):
    """Behaviour, emotion and words of one student that the teacher noticed in this step."""

    student: str
    behaviour: str
    emotion: str
    addressee: str
    sentences: tuple[Said, ...]
    quality: str
    """right, partial, wrong or none, judged from the words against the lesson."""
    called: bool
