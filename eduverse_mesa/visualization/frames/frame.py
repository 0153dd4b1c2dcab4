"""What a step looks like: who is where, does, feels and says what, and what came of it."""

from __future__ import annotations

import msgspec


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """A spoken sentence. `channel` is class, peer or group."""

    role: str
    """T or S."""
    speaker: str
    to: str
    channel: str
    text: str
    move: str
    hearers: tuple[str, ...] = ()
    """Who hears what the class does not: the classmate addressed, or the speaker's group."""


class Feedback(msgspec.Struct, frozen=True, gc=False):
    """The teacher's word to one student."""

    student: str
    polarity: str
    """positive, neutral or negative; '' where only the words are known."""
    words: str


class TeacherFrame(msgspec.Struct, frozen=True):
    """The teacher in a step."""

    name: str
    x: int
    y: int
    category: str = ""
    act: str = ""
    tone: str = ""
    words: str = ""
    """What the teacher said to the class; words of feedback are with `feedback`."""
    called: tuple[str, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    focus: str = ""
    """What the plan of the lesson has for this step."""


class StudentFrame(msgspec.Struct, frozen=True):
    """A student in a step. Texts are empty, and numbers None, where there is nothing or it is not known."""

    name: str
    x: int
    y: int
    seat: str = ""
    """The id of the seat; '' on a cell without one."""
    behaviour: str = ""
    """What it did; '' where its decision failed, so that it did nothing."""
    level: str = ""
    """off_task, passive, active or interactive."""
    emotion: str = ""
    cognition: str = ""
    high: bool = False
    to: str = ""
    """To whom it turned: teacher, group or a classmate."""
    called: bool = False
    hand_up: bool = False
    feedback: str = ""
    words: str = ""
    shows: tuple[str, str] = ("", "")
    """Behaviour and emotion as the others see them: those of the last step in which it had some."""
    attention: float | None = None
    confidence: float | None = None
    affect: float | None = None
    fatigue: float | None = None
    rapport: float | None = None
    engagement: float | None = None
    """Known of the last step only: the journal does not keep it."""
    understanding: float | None = None
    perceived: tuple[str, ...] = ()
    """Names of classmates, then of the teacher and things, within its perception."""
    gate: str = ""
    """Whose request it took up."""
    plan: str = ""
    recall: str = ""
    quality: str = ""
    monitoring: str = ""
    regulation: str = ""
    strategy: str = ""
    source: str = ""
    """Who answered for it: embedded, llm, human, ..."""
    model: str = ""
    """The language model that was asked, as its server names it."""


class Exchange(msgspec.Struct, frozen=True):
    """A peer's request that was made, settled or waiting in a step, as it stood at the end of the step."""

    sender: str
    receiver: str
    kind: str
    text: str
    status: str
    """pending, accepted or rejected."""
    reason: str = ""
    intention: float | None = None
    scores: tuple[float, ...] = ()
    """Personality, confidence, relevance, history and closeness, 0 to 100; empty where nobody scored it."""
    weights: tuple[float, ...] = ()
    reasons: tuple[str, ...] = ()
    made: int = 0
    settled: int = 0
    """The step in which it was settled; 0 while it is pending."""


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """What somebody wanted and could not do."""

    agent: str
    wanted: str
    instead: str
    reason: str


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """An answer that did not come as it should."""

    agent: str
    kind: str
    status: str
    """repaired, fallback or failed."""
    reason: str


class Frame(msgspec.Struct, frozen=True):
    """One step of a lesson; step 0 is before its beginning."""

    lesson: int
    lesson_name: str
    title: str
    step: int
    steps: int
    """How many steps the lesson is planned to take."""
    mode: str
    teacher: TeacherFrame
    students: tuple[StudentFrame, ...]
    phase: str = ""
    pacing: str = ""
    pacing_reason: str = ""
    sentences: tuple[Sentence, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    viewer: str = ""
    """Whose eyes this is made for; '' for a researcher, who sees all."""

    def student(self, name: str) -> StudentFrame:
        """The student of this name; a KeyError where there is none."""
        for one in self.students:
            if one.name == name:
                return one
        raise KeyError(name)
