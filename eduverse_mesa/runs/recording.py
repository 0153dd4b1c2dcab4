"""Recorders that write a run into a study: each step, and each lesson's end, as one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from eduverse_mesa.memory.long_term import StudentRecord
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.journal import LoggedAnswer
from eduverse_mesa.runs.play import answers_of
from eduverse_mesa.runs.rules import note_rules
from eduverse_mesa.store import AnswerRow, MemoryRow, Study, SummaryRow

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger

_encode = msgspec.json.Encoder().encode


class Committed(NamedTuple):
    """A step that is complete, and may lie some steps back."""

    model: ClassroomModel
    step: int
    digest: str
    last: bool
    """Its lesson ended with it."""


class Writer:
    """Writes to one run of a study. What language models take is written down whenever a request goes out or ends."""

    def __init__(self, study: Study, run: str, ledger: Ledger | None = None) -> None:
        self._study = study
        self._run = run
        self._ledger = ledger
        self._rules_noted = False
        if ledger is not None:
            ledger.keep(lambda bill: study.set_spent(run, bill))

    def note_bill(self) -> None:
        """Write down what language models have taken by now."""
        if self._ledger is not None:
            self._ledger.write_down()

    def close(self) -> None:
        """Write no more: the study is going to be closed."""
        if self._ledger is not None:
            self._ledger.stop_keeping()

    def note_rules(self) -> None:
        """Write down by which rules the run is played from here on, before the first step that is written."""
        if not self._rules_noted:
            note_rules(self._study, self._run)
            self._rules_noted = True


class StudyRecorder(Writer):
    """Writes each step, and each lesson's end, as one transaction."""

    def step(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A step is complete."""
        self.note_bill()
        self._step(model, model.state.step, model.digest(), answers)

    def lesson(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A lesson is complete: its last step and its memory, together."""
        self.note_bill()
        self._lesson(model, model.state.step, model.digest(), answers)

    def commit(self, done: Committed) -> None:
        """A step that was complete before anybody wanted to keep it."""
        write = self._lesson if done.last else self._step
        write(done.model, done.step, done.digest, answers_of(done.model, done.step))

    def _step(self, model: ClassroomModel, step: int, digest: str, answers: Sequence[LoggedAnswer]) -> None:
        self.note_rules()
        rows = [answer_row(entry) for entry in answers]
        self._study.commit_step(self._run, model.lesson_number, step, digest, rows)

    def _lesson(self, model: ClassroomModel, step: int, digest: str, answers: Sequence[LoggedAnswer]) -> None:
        memory = model.memory
        if memory is None:
            raise RuntimeError("a lesson that is over has its memory")
        self.note_rules()
        self._study.finish_lesson(
            self._run,
            model.lesson_number,
            step,
            digest,
            [answer_row(entry) for entry in answers],
            summaries=[summary_row(record) for record in memory.records],
            student_events=[MemoryRow(e.student, e.event, e.content, e.step) for e in memory.student_events],
            teacher_events=[MemoryRow(e.phase, e.event, e.content, e.step) for e in memory.teacher_events],
        )


def summary_row(record: StudentRecord) -> SummaryRow:
    """Return what a lesson leaves of a student, without what is written of earlier lessons already."""
    return SummaryRow(record.student, _encode(record.of_lesson()).decode())


def answer_row(entry: LoggedAnswer) -> AnswerRow:
    """An entry of a journal as the log keeps it."""
    answer = entry.answer
    return AnswerRow(
        lesson=entry.lesson,
        step=entry.step,
        seq=entry.seq,
        round=entry.round,
        agent=entry.agent,
        kind=entry.kind,
        content=_encode(answer.outcome).decode(),
        source=answer.source,
        status=answer.status,
        reason=answer.reason,
        attempts=answer.attempts,
        **(msgspec.structs.asdict(answer.usage) if answer.usage is not None else {}),
    )
