"""The records of a lesson: the answer log, and the tidy rows that measures read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.decisions import Answer, Decision, Said


class LoggedAnswer(NamedTuple):
    """One answer and where it stands."""

    lesson: int
    step: int
    seq: int
    round: str
    agent: str
    kind: str
    answer: Answer


class SentenceRow(NamedTuple):
    """One spoken sentence."""

    lesson: str
    step: int
    role: str
    speaker: str
    text: str
    move: str
    addressee: str
    channel: str


class StudentRow(NamedTuple):
    """One student in one step: the growth log."""

    lesson: str
    step: int
    student: str
    behaviour: str
    emotion: str
    cognition: str
    addressee: str
    called: bool
    feedback: str
    x: int
    y: int
    attention: float
    confidence: float
    affect: float
    fatigue: float
    rapport: float
    understanding: float
    perceived: str
    gate: str
    plan: str
    words: str
    recall: str
    quality: str
    monitoring: str
    regulation: str
    strategy: str


class TeacherRow(NamedTuple):
    """The teacher in one step."""

    lesson: str
    step: int
    phase: str
    category: str
    act: str
    tone: str
    called: str
    took_up: bool
    pacing: str
    pacing_reason: str


class RequestRow(NamedTuple):
    """One peer request and its fate."""

    lesson: str
    made: int
    settled: int
    sender: str
    receiver: str
    kind: str
    status: str
    reason: str
    intention: float
    personality: float
    confidence: float
    relevance: float
    history: float
    closeness: float


class RejectionRow(NamedTuple):
    """Something that was wanted and could not be."""

    lesson: str
    step: int
    agent: str
    wanted: str
    replaced_by: str
    reason: str


@dataclass(slots=True)
class Journal:
    """Rows of one lesson, in the order in which things happened."""

    lesson: str
    number: int
    answers: list[LoggedAnswer] = field(default_factory=list)
    sentences: list[SentenceRow] = field(default_factory=list)
    students: list[StudentRow] = field(default_factory=list)
    teacher: list[TeacherRow] = field(default_factory=list)
    rejections: list[RejectionRow] = field(default_factory=list)

    def note(self, step: int, round_name: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> None:
        """Log the answers of a round."""
        log, number = self.answers, self.number
        seq = log[-1].seq + 1 if log and log[-1].step == step else 0
        for decision, answer in zip(decisions, answers, strict=True):
            log.append(LoggedAnswer(number, step, seq, round_name, decision.at.agent, decision.kind, answer))
            seq += 1

    def of_step(self, step: int) -> Iterator[LoggedAnswer]:
        """The answers of one step, newest steps being found fastest."""
        log = self.answers
        start = len(log)
        while start and log[start - 1].step >= step:
            start -= 1
        return (entry for entry in log[start:] if entry.step == step)

    def say(self, step: int, role: str, speaker: str, sentences: Sequence[Said], addressee: str, channel: str) -> None:
        """Write sentences into the transcript."""
        for said in sentences:
            self.sentences.append(
                SentenceRow(
                    lesson=self.lesson,
                    step=step,
                    role=role,
                    speaker=speaker,
                    text=said.text,
                    move=said.move,
                    addressee=addressee,
                    channel=channel,
                )
            )

    def reject(self, step: int, agent: str, wanted: str, replaced_by: str, reason: str) -> None:
        """Log a refused wish."""
        self.rejections.append(RejectionRow(self.lesson, step, agent, wanted, replaced_by, reason))
