"""The records of a lesson: the answer log, and the tidy rows that measures read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.agents.student import StudentAgent
from eduverse_mesa.codes import SPOKEN
from eduverse_mesa.decisions import Answer, Decision, Said, Scene


class LoggedAnswer(NamedTuple):
    """One answer and where it stands."""

    lesson: int
    step: int
    seq: int
    round: str
    agent: str
    kind: str
    answer: Answer


@dataclass(slots=True)
class AnswerJournal:
    """The answer log of a model whose answers stand where they were asked for."""

    answers: list[LoggedAnswer] = field(default_factory=list)

    def note(self, round_name: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> None:
        """Log the answers of a round; an answer's place is that of its decision."""
        log = self.answers
        for decision, answer in zip(decisions, answers, strict=True):
            at = decision.at
            log.append(LoggedAnswer(at.lesson, at.step, len(log), round_name, at.agent, decision.kind, answer))


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

    def note(self, round_name: str, decisions: Sequence[Decision], answers: Sequence[Answer]) -> None:
        """Log the answers of a round."""
        log, number, step = self.answers, self.number, decisions[0].at.step
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

    def write_step(self, scene: Scene, took_up: bool, pace: tuple[str, str], students: Sequence[StudentAgent]) -> None:
        """Write the rows of a step that is done: the teacher's, and one for each student."""
        move, reason = pace
        self.teacher.append(
            TeacherRow(
                lesson=self.lesson,
                step=scene.step,
                phase=scene.phase,
                category=scene.category,
                act=scene.act,
                tone=scene.tone if scene.act else "",
                called=";".join(scene.called),
                took_up=took_up,
                pacing=move,
                pacing_reason=reason,
            )
        )
        self.students += map(self._student_row, students)

    def _student_row(self, student: StudentAgent) -> StudentRow:
        mind, seen, now = student.mind, student.seen, student.now
        x, y = student.place
        return StudentRow(
            lesson=self.lesson,
            step=student.at.step,
            student=student.name,
            behaviour=now.behaviour,
            emotion=now.emotion,
            cognition=now.cognition,
            addressee=student.partner or ("group" if now.behaviour == "group_discussion" else ""),
            called=seen.called,
            feedback=student.feedback.polarity if student.feedback is not None else "",
            x=x,
            y=y,
            attention=mind.attention,
            confidence=mind.confidence,
            affect=mind.affect,
            fatigue=mind.fatigue,
            rapport=mind.rapport,
            understanding=student.understanding,
            perceived=";".join([*[neighbour.name for neighbour in seen.neighbours], *seen.objects]),
            gate=student.request.sender if student.request is not None else "",
            plan=student.planned,
            words=" ".join([said.text for said in student.words]) if now.behaviour in SPOKEN else "",
            recall=student.recalled.level if student.recalled is not None else "",
            quality=student.quality,
            monitoring=student.monitored,
            regulation=student.regulation.sentence if student.regulation is not None else "",
            strategy=student.regulation.strategy if student.regulation is not None else "",
        )
