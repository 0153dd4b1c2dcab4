"""What a student may be asked (IRF-R, EduVerse 3.2): gate, plan, words, monitor, regulate, summary."""

from __future__ import annotations

from typing import ClassVar

from eduverse_mesa.decisions.seam import Decision, Outcome
from eduverse_mesa.decisions.views import Recall, Request, Said, Spoken, StudentView

STRATEGIES = ("keep", "refocus", "participate", "seek_help", "cooperate", "calm", "withdraw")


class Scores(Outcome, frozen=True, gc=False):
    """Five scores (0 to 100), their weights (summing to 1) and a reason for each (Eq. 4-5)."""

    scores: tuple[float, float, float, float, float]
    weights: tuple[float, float, float, float, float]
    reasons: tuple[str, str, str, str, str] = ("", "", "", "", "")

    @property
    def intention(self) -> float:
        """W = sum of weight times score, on 0 to 1."""
        return sum(w * s for w, s in zip(self.weights, self.scores, strict=True)) / 100


class ScoreRequest(Decision, gc=False):
    """How willing are you to take up this peer's request?"""

    kind: ClassVar[str] = "score_request"
    outcome: ClassVar[type[Outcome]] = Scores

    view: StudentView
    request: Request
    closeness: float
    exchanges: int
    asked_before: int


class Planned(Outcome, frozen=True, gc=False):
    """One sentence of reasoning and exactly one behaviour, towards somebody where it needs somebody."""

    sentence: str
    behaviour: str
    partner: str = ""


class Plan(Decision, gc=False):
    """What will you do in this step?"""

    kind: ClassVar[str] = "plan"
    outcome: ClassVar[type[Outcome]] = Planned

    view: StudentView
    permitted: tuple[str, ...]
    partners: tuple[str, ...] = ()
    request: Request | None = None
    refused_by: tuple[str, ...] = ()
    recall: Recall = Recall("none")
    """What the student could bring up if it spoke."""


class Reacted(Outcome, frozen=True, gc=False):
    """Behaviour, emotion and cognition without deliberation."""

    behaviour: str
    emotion: str
    cognition: str
    partner: str = ""


class React(Decision, gc=False):
    """Act without planning or monitoring: what is left when the metacognitive loop is taken out (`nocog`)."""

    kind: ClassVar[str] = "react"
    outcome: ClassVar[type[Outcome]] = Reacted

    view: StudentView
    permitted: tuple[str, ...]
    partners: tuple[str, ...] = ()
    request: Request | None = None
    recall: Recall = Recall("none")
    """What the student could bring up if it spoke."""


class Drafted(Outcome, frozen=True, gc=False):
    """The content of what is said."""

    sentences: tuple[Said, ...]


class Draft(Decision, gc=False):
    """What do you want to say? (content only)"""

    kind: ClassVar[str] = "draft"
    outcome: ClassVar[type[Outcome]] = Drafted

    view: StudentView
    behaviour: str
    addressee: str
    recall: Recall
    replying_to: str = ""


class Styled(Outcome, frozen=True, gc=False):
    """The words as they are spoken."""

    sentences: tuple[Said, ...]


class Style(Decision, gc=False):
    """Say it your way: length, fillers, hedging, register. The moves stay."""

    kind: ClassVar[str] = "style"
    outcome: ClassVar[type[Outcome]] = Styled

    view: StudentView
    behaviour: str
    addressee: str
    sentences: tuple[Said, ...]
    plan: str = ""
    """What the student meant to do, in its own words."""


class Monitored(Outcome, frozen=True, gc=False):
    """A first-person sentence, emotion and level of cognition."""

    sentence: str
    emotion: str
    cognition: str


class Monitor(Decision, gc=False):
    """How is it going for you?"""

    kind: ClassVar[str] = "monitor"
    outcome: ClassVar[type[Outcome]] = Monitored

    view: StudentView
    behaviour: str
    recall: Recall
    words: tuple[Said, ...] = ()
    heard: tuple[Spoken, ...] = ()
    """What was said to this student, or aloud, in this step."""
    styled: bool = True
    """The student had its own way of speaking and showing what it feels; False under `nolocal`."""
    plan: str = ""
    """What the student meant to do, in its own words."""


class Regulated(Outcome, frozen=True, gc=False):
    """A resolution in one sentence, and which strategy it is."""

    sentence: str
    strategy: str


class Regulate(Decision, gc=False):
    """What will you do differently?"""

    kind: ClassVar[str] = "regulate"
    outcome: ClassVar[type[Outcome]] = Regulated

    view: StudentView
    behaviour: str
    emotion: str
    cognition: str
    refused_by: tuple[str, ...] = ()
    monitored: str = ""
    """What the student noticed about itself, in its own words."""


class Summarised(Outcome, frozen=True, gc=False):
    """A lesson looked back on: what is written to long-term memory."""

    summary: str
    portrait: str
    regulation: str
    strategy: str


class Summarise(Decision, gc=False):
    """How was this lesson for you, and what will you do next time?"""

    kind: ClassVar[str] = "summarise"
    outcome: ClassVar[type[Outcome]] = Summarised

    view: StudentView
    behaviours: dict[str, float]
    emotions: dict[str, float]
    strategies: dict[str, float]
    high_cognition: float
    spoke: int
    feedback: dict[str, int]
    started: tuple[float, ...]
    """Understanding of each goal when the lesson began."""
