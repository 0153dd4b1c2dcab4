"""Decisions of a student (IRF-R, EduVerse 3.2): gate, plan, words, monitor, regulate, summary."""

from __future__ import annotations

from typing import ClassVar

from eduverse_mesa.decisions.seam import Decision, Outcome
from eduverse_mesa.decisions.views import Recall, Request, Said, Spoken, StudentView


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
    """Ask a student how willing they are to take up this peer's request."""

    kind: ClassVar[str] = "score_request"
    outcome: ClassVar[type[Outcome]] = Scores

    view: StudentView
    request: Request
    closeness: float
    exchanges: int
    asked_before: int


class Planned(Outcome, frozen=True, gc=False):
    """One sentence of reasoning and exactly one behaviour, towards a person where the behaviour needs one."""

    sentence: str
    behaviour: str
    partner: str = ""


class Plan(Decision, gc=False):
    """Ask a student for their behaviour in this step."""

    kind: ClassVar[str] = "plan"
    outcome: ClassVar[type[Outcome]] = Planned

    view: StudentView
    permitted: tuple[str, ...]
    partners: tuple[str, ...] = ()
    request: Request | None = None
    refused_by: tuple[str, ...] = ()
    recall: Recall = Recall("none")
    """Content that the student could bring up if they spoke."""


class Reacted(Outcome, frozen=True, gc=False):
    """Behaviour, emotion and cognition without deliberation."""

    behaviour: str
    emotion: str
    cognition: str
    partner: str = ""


class React(Decision, gc=False):
    """Ask a student to act without planning or monitoring: what is left when the metacognitive loop is taken out
    (`nocog`)."""

    kind: ClassVar[str] = "react"
    outcome: ClassVar[type[Outcome]] = Reacted

    view: StudentView
    permitted: tuple[str, ...]
    partners: tuple[str, ...] = ()
    request: Request | None = None
    recall: Recall = Recall("none")
    """Content that the student could bring up if they spoke."""


class Drafted(Outcome, frozen=True, gc=False):
    """The content of what is said."""

    sentences: tuple[Said, ...]


class Draft(Decision, gc=False):
    """Ask a student for the content of what they want to say, without its style."""

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
    """Ask a student to say it their way: length, fillers, hedging, register. The moves stay."""

    kind: ClassVar[str] = "style"
    outcome: ClassVar[type[Outcome]] = Styled

    view: StudentView
    behaviour: str
    addressee: str
    sentences: tuple[Said, ...]
    plan: str = ""
    """The student's intent, in their own words."""


class Monitored(Outcome, frozen=True, gc=False):
    """A first-person sentence, emotion and level of cognition."""

    sentence: str
    emotion: str
    cognition: str


class Monitor(Decision, gc=False):
    """Ask a student how it is going for them."""

    kind: ClassVar[str] = "monitor"
    outcome: ClassVar[type[Outcome]] = Monitored

    view: StudentView
    behaviour: str
    recall: Recall
    words: tuple[Said, ...] = ()
    heard: tuple[Spoken, ...] = ()
    """Words said to this student, or aloud, in this step."""
    styled: bool = True
    """The student had their own way of speaking and showing what they feel; False under `nolocal`."""
    plan: str = ""
    """The student's intent, in their own words."""


class Regulated(Outcome, frozen=True, gc=False):
    """A resolution in one sentence, and which strategy it is."""

    sentence: str
    strategy: str


class Regulate(Decision, gc=False):
    """Ask a student for a resolution to do something differently."""

    kind: ClassVar[str] = "regulate"
    outcome: ClassVar[type[Outcome]] = Regulated

    view: StudentView
    behaviour: str
    emotion: str
    cognition: str
    refused_by: tuple[str, ...] = ()
    monitored: str = ""
    """The student's observation about themselves, in their own words."""


class Summarised(Outcome, frozen=True, gc=False):
    """A lesson looked back on: what is written to long-term memory."""

    summary: str
    portrait: str
    regulation: str
    strategy: str


class Summarise(Decision, gc=False):
    """Ask a student how this lesson was for them, and what they will do next time."""

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
