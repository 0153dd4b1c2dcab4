"""The records of tutoring: the answer log, and the tidy rows that measures read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.agents.learner import LearnerAgent, familiar_from
from eduverse_mesa.decisions.tutoring import Replied
from eduverse_mesa.memory.three_levels import Episode, shown
from eduverse_mesa.models.decision_model import AnswerLog
from eduverse_mesa.models.tutoring.sessions import Enrolment
from eduverse_mesa.scenarios.curriculum import Item, Unit


class LineRow(NamedTuple):
    """One thing said."""

    learner: str
    session: int
    day: float
    grade: int
    unit: str
    turn: int
    speaker: str
    text: str
    kind: str
    """The tutor's move, or the kind of the learner's reply."""
    hedged: bool
    leaks: str
    """Units that are out of the learner's reach, and whose idea it says all the same, parted by ;"""


class EpisodeRow(NamedTuple):
    """One dialogue as a whole, and what stays of it."""

    learner: str
    session: int
    day: float
    grade: int
    unit: str
    concept: str
    turns: int
    finished: bool
    """The tutor closed it; otherwise the turns were used up."""
    grasp_before: float
    grasp_after: float
    shown: float
    emotion: float
    concepts: str
    """Concepts that the episode recorded, parted by ;"""
    planned: str
    """Concepts that the unit was meant for, parted by ;"""
    summary: str
    source: str


class AnswerRow(NamedTuple):
    """One answer in a test."""

    learner: str
    session: int
    day: float
    exam: str
    grade: int
    unit: str
    unit_grade: int
    concept: str
    item: str
    text: str
    kind: str
    hedged: bool
    score: int | None
    leaks: str


class ConceptRow(NamedTuple):
    """A concept in a learner's memory at the end of a grade."""

    learner: str
    grade: int
    day: float
    concept: str
    subject: str
    mastery: float
    met: bool
    familiar: bool
    expected: bool
    """The standard has taught it by now."""


@dataclass(slots=True)
class TutoringJournal(AnswerLog):
    """Rows of all learners, in the order in which things happened."""

    lines: list[LineRow] = field(default_factory=list)
    episodes: list[EpisodeRow] = field(default_factory=list)
    tests: list[AnswerRow] = field(default_factory=list)
    concepts: list[ConceptRow] = field(default_factory=list)

    def say(
        self, enrolment: Enrolment, speaker: str, text: str, kind: str, *, hedged: bool = False, leaks: str = ""
    ) -> None:
        """Write down what a tutor or a learner says."""
        learner, unit = enrolment.learner, enrolment.unit
        assert unit is not None
        self.lines.append(
            LineRow(
                learner=learner.name,
                session=enrolment.session,
                day=learner.day,
                grade=learner.grade,
                unit=unit.id,
                turn=enrolment.turn,
                speaker=speaker,
                text=text,
                kind=kind,
                hedged=hedged,
                leaks=leaks,
            )
        )

    def close(self, enrolment: Enrolment, unit: Unit, episode: Episode, *, grasp: float, source: str) -> None:
        """Write down a dialogue that is over, and what stays of it."""
        scores = [shown(score) for concept, score in episode.mastery.items() if concept in unit.concepts]
        self.episodes.append(
            EpisodeRow(
                learner=enrolment.learner.name,
                session=enrolment.session,
                day=enrolment.learner.day,
                grade=enrolment.learner.grade,
                unit=unit.id,
                concept=unit.concept,
                turns=enrolment.turn,
                finished=enrolment.finished,
                grasp_before=enrolment.grasp_before,
                grasp_after=grasp,
                shown=max(scores, default=0.0),
                emotion=episode.emotion,
                concepts=";".join(episode.mastery),
                planned=";".join(unit.concepts),
                summary=episode.summary,
                source=source,
            )
        )

    def judge(
        self, enrolment: Enrolment, unit: Unit, item: Item, replied: Replied, *, text: str, score: int | None
    ) -> None:
        """Write down an answer in a test."""
        exam, learner = enrolment.exam, enrolment.learner
        assert exam is not None
        known = learner.knowing.of(unit, exam.grade, exam.day)
        leaked = unit.id if known.reach == "unknown" and item.rate(text) >= 1.0 and not replied.hedged else ""
        self.tests.append(
            AnswerRow(
                learner=learner.name,
                session=enrolment.session,
                day=exam.day,
                exam=exam.name,
                grade=exam.grade,
                unit=unit.id,
                unit_grade=unit.grade,
                concept=unit.concept,
                item=item.id,
                text=text,
                kind=replied.kind,
                hedged=replied.hedged,
                score=score,
                leaks=leaked,
            )
        )

    def assess(self, learner: LearnerAgent) -> None:
        """Write down what a learner has of every concept now."""
        self.concepts.extend(concept_rows(learner))


def concept_rows(learner: LearnerAgent) -> list[ConceptRow]:
    """Return what a learner has of every concept now."""
    curriculum = learner.curriculum
    expected = set(curriculum.expected(learner.grade))
    enough = familiar_from(learner.parameters)
    rows = []
    for concept in curriculum.all_concepts():
        mastery = learner.knowing.mastered(concept.id, learner.day)
        met = concept.id in learner.memory.concepts
        rows.append(
            ConceptRow(
                learner=learner.name,
                grade=learner.grade,
                day=learner.day,
                concept=concept.id,
                subject=curriculum.subject_of[concept.id],
                mastery=mastery,
                met=met,
                familiar=met and mastery >= enough,
                expected=concept.id in expected,
            )
        )
    return rows
