"""Recordings: what is known of a run, and the writer that puts down its steps in a study, each as one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import msgspec

from eduverse_mesa.decisions import Usage
from eduverse_mesa.models.decision_model import LoggedAnswer
from eduverse_mesa.policies import Recorded
from eduverse_mesa.runs.rule_versions import UNKNOWN, Origin, note_rules
from eduverse_mesa.store import AnswerRow, MessageRow, PlayedStep, Study

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger

Until = tuple[int, int]
"""A place in a run: (lesson, step), both from 1; of learners with tutors (session, turn), of a group (1, message)."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Recording:
    """The part of a run that is known already: its answers up to some step, with the state's digest after each step."""

    answers: tuple[Recorded, ...]
    digests: dict[Until, str]
    origin: Origin = UNKNOWN
    own: bool = True
    """The recording is this run's own log; otherwise (a fork) its steps are written to the new run, too."""
    where: str = ""
    """The study that it comes from."""
    messages: tuple[MessageRow, ...] = ()
    """The messages of a group, one a step."""

    def unpaid(self) -> Recording:
        """The same answers for another run, which did not pay for them."""
        free = (entry._replace(answer=entry.answer._replace(usage=_free(entry.answer.usage))) for entry in self.answers)
        return replace(self, answers=tuple(free))

    def holds(self, number: int, step: int) -> bool:
        """This step was recorded."""
        return (number, step) in self.digests

    def of(self, number: int) -> tuple[Recorded, ...]:
        """The answers of one lesson."""
        return tuple(entry for entry in self.answers if entry.lesson == number)


@dataclass(frozen=True, slots=True)
class LazyRecording(Recording):
    """A recording whose answers are read lesson by lesson, when they are asked for: nobody holds those of a long
    course at once."""

    read: Callable[[int], tuple[Recorded, ...]] = lambda _: ()

    def of(self, number: int) -> tuple[Recorded, ...]:
        """The answers of one lesson."""
        return self.read(number)


def _free(usage: Usage | None) -> Usage | None:
    """Nothing was taken; who answered stays known."""
    return Usage(model=usage.model) if usage is not None and usage.model else None


EMPTY = Recording((), {})


class Keepable(Protocol):
    """A part of a run, with its steps as a study keeps them."""

    def kept(self, step: int) -> PlayedStep:
        """One of its steps."""


class Writer:
    """Writes to one run of a study. What language models take is written down whenever a request goes out or ends."""

    def __init__(self, study: Study, run: str, ledger: Ledger | None = None) -> None:
        self._study = study
        self._run = run
        self._ledger = ledger
        self._rules_noted = False
        if ledger is not None:
            ledger.keep(lambda bill: study.set_spent(run, bill))

    def note(self, part: Keepable, step: int) -> None:
        """Write down a step that is complete, whole or not at all; before the first one, by which rules the run is
        played from here on."""
        self.note_bill()
        if not self._rules_noted:
            note_rules(self._study, self._run)
            self._rules_noted = True
        self._study.commit(self._run, part.kept(step))

    def note_bill(self) -> None:
        """Write down what language models have taken by now."""
        if self._ledger is not None:
            self._ledger.write_down()

    def close(self) -> None:
        """Write no more: the study is going to be closed."""
        if self._ledger is not None:
            self._ledger.stop_keeping()


def answer_row(entry: LoggedAnswer, number: int) -> AnswerRow:
    """An entry of a journal as the log keeps it, under the number that its lesson has there."""
    answer = entry.answer
    return AnswerRow(
        lesson=number,
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
