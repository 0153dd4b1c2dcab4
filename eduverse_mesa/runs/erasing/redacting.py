"""A kept run without somebody's words: its texts changed, then played again, since a class judges what it hears."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from pydantic import TypeAdapter, ValidationError

from eduverse_mesa.decisions import DECISIONS, Answer, Decision
from eduverse_mesa.errors import EduverseError, PolicyError
from eduverse_mesa.models.classroom import ClassroomModel, Intervention
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.runs.erasing.seats import Seat, wrote
from eduverse_mesa.runs.erasing.tutoring import forget_said, renamed, taught_again
from eduverse_mesa.runs.erasing.words import ERASED, Change, Redactor, blank, change_texts, own_texts
from eduverse_mesa.runs.recording import summary_row
from eduverse_mesa.runs.rules import RULES
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.store import AnswerRow, MemoryRow, SummaryRow
from eduverse_mesa.store.rewriting import KeptRun

LOST = "erased"
"""The source of an answer that was lost since the lesson goes another way without the words."""

_CHANGES: TypeAdapter[tuple[Intervention, ...]] = TypeAdapter(tuple[Intervention, ...])
_NOTHING = Redactor()
_encode = msgspec.json.Encoder().encode


def texts_of(run: KeptRun) -> Iterator[str]:
    """Every text that is kept of a run, as somebody who searches it needs them."""
    row = run.row
    yield from (row.name, row.title, row.policy)
    for document in (row.scenario, row.changes, *(entry.record for _, entry in run.summaries)):
        yield plain_text(document)
    for answer in run.answers:
        yield from (answer.agent, answer.reason, plain_text(answer.content))
    for _, entry in (*run.students, *run.teacher):
        yield from (entry.who, entry.content)
    yield from (entry.student for _, entry in run.summaries)


def plain_text(document: str) -> str:
    """A document in JSON as it can be searched: only where something is written as an escape it has to be read."""
    return "\n".join((document, *strings_of(document))) if "\\" in document else document


def strings_of(document: str) -> list[str]:
    """Every text of a document in JSON; what is none is one text."""
    found: list[str] = []

    def note(text: str, _own: bool) -> str:
        found.append(text)
        return text

    try:
        change_texts(msgspec.json.decode(document), note)
    except msgspec.DecodeError:
        return [document]
    return found


class Redacted(NamedTuple):
    """A run without the words."""

    run: KeptRun
    changed: dict[str, int]
    """Rows by table."""
    lost: int
    """Answers that are not asked for any more, or that nobody has given."""
    replayed: bool
    """It can be played again; otherwise it could not be, before either, and only its texts were changed."""


def redact(
    run: KeptRun, seats: Sequence[Seat], redactor: Redactor | None, said: Collection[str] = frozenset()
) -> Redacted:
    """Take the words out of a run. `said`: all that the person wrote, for learners who remember it from another run."""
    plain = _redact_texts(run, seats, redactor or _NOTHING)
    if run.row.kind == "tutoring":
        plain = plain._replace(row=plain.row._replace(scenario=forget_said(plain.row.scenario, said)))
    if (plain.answers, plain.row.scenario, plain.row.changes) == (run.answers, run.row.scenario, run.row.changes):
        return Redacted(plain, _differences(run, plain), 0, True)  # a title, say: the lesson is the same
    # A run that this version cannot reproduce would be spoilt by being played: only its texts are changed.
    if not _reproduces(run):
        return Redacted(plain, _differences(run, plain), 0, False)
    again, lost = _play_again(plain)
    again = again._replace(row=again.row._replace(rules=RULES[again.row.kind]))
    return Redacted(again, _differences(run, again), lost, True)


def _reproduces(run: KeptRun) -> bool:
    try:
        again, lost = _play_again(run)
    except (EduverseError, ValidationError, msgspec.DecodeError, KeyError):
        return False
    return not lost and (again.digests, again.answers) == (run.digests, run.answers)


def _redact_texts(run: KeptRun, seats: Sequence[Seat], redactor: Redactor) -> KeptRun:
    row, change = run.row, redactor.change
    scenario, changes = (_changed(text, redactor.change_all) for text in (row.scenario, row.changes))
    policy = redactor.name.change(row.policy) if redactor.name is not None else row.policy
    own = {text for one in run.answers if wrote(one, seats) for text in own_texts(one.content)}
    agents = {seat.agent for seat in seats}

    def recall(text: str, free: bool = True) -> str:
        return ERASED if free and text in own else change(text, free)

    return run._replace(
        row=row._replace(
            name=change(row.name), title=change(row.title), policy=policy, scenario=scenario, changes=changes
        ),
        answers=[_redact_answer(answer, seats, redactor) for answer in run.answers],
        students=[
            (lesson, _redact_memory(entry, redactor, recall if entry.who in agents else change))
            for lesson, entry in run.students
        ],
        teacher=[(lesson, _redact_memory(entry, redactor, recall)) for lesson, entry in run.teacher],
        summaries=[
            (lesson, SummaryRow(change(entry.student, False), _changed(entry.record, recall)))
            for lesson, entry in run.summaries
        ],
    )


def _redact_answer(row: AnswerRow, seats: Sequence[Seat], redactor: Redactor) -> AnswerRow:
    own = wrote(row, seats)
    content = _changed(row.content, blank) if own else row.content
    reason = blank(row.reason, True) if own else redactor.change(row.reason)
    agent = renamed(row.agent, lambda name: redactor.change(name, False))
    return row._replace(agent=agent, content=_changed(content, redactor.change), reason=reason)


def _redact_memory(entry: MemoryRow, redactor: Redactor, recall: Change) -> MemoryRow:
    """The teacher's reasons stand behind what was done: "lecturing; stay: reason"."""
    done, colon, reason = entry.content.partition(": ")
    content = recall(f"{done}: {recall(reason, True)}" if colon else entry.content, True)
    return entry._replace(who=redactor.change(entry.who, False), content=content)


def _changed(document: str, change: Change) -> str:
    """The document; the same bytes where nothing in it changes."""
    try:
        before = msgspec.json.decode(document)
    except msgspec.DecodeError:
        return change(document, True)
    after = change_texts(before, change)
    return document if after == before else _encode(after).decode()


# --- playing again ---


class _Forgiving:
    """Gives the rows of a recording; what nobody has answered is lost, and said to be."""

    name = "replay"

    def __init__(self, rows: Iterable[AnswerRow]) -> None:
        self._waiting: dict[tuple[int, str, str], list[AnswerRow]] = {}
        for row in rows:
            self._waiting.setdefault((row.step, row.agent, row.kind), []).append(row)
        self.given: list[AnswerRow] = []
        self.missing = 0

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer each, in their order, which is the order of the journal."""
        answers = []
        for decision in decisions:
            at = decision.at
            rows = self._waiting.get((at.step, at.agent, decision.kind))
            if rows:
                self.given.append(rows.pop(0))
            else:
                self.missing += 1
                self.given.append(_lost(decision))
            answers.append(_answer(self.given[-1]))
        return answers

    @property
    def left(self) -> int:
        """Rows that nobody has asked for."""
        return sum(len(rows) for rows in self._waiting.values())


def _lost(decision: Decision) -> AnswerRow:
    at = decision.at
    reason = "the answer was lost when a participant was erased"
    return AnswerRow(at.lesson, at.step, 0, "", at.agent, decision.kind, "null", LOST, "failed", reason)


def _answer(row: AnswerRow) -> Answer:
    if row.status == "failed":
        return Answer.failed(row.source, row.reason, row.attempts)
    outcome: Any = msgspec.json.decode(row.content, type=DECISIONS[row.kind].outcome)
    return Answer(outcome, row.source, row.status, row.reason, row.attempts)  # type: ignore[arg-type]


def _play_again(run: KeptRun) -> tuple[KeptRun, int]:
    """The run as it goes with these answers: its digests, and what its lessons leave in memory."""
    if run.row.kind == "tutoring":
        return taught_again(run, _Forgiving)
    scenario = load_scenario(msgspec.json.decode(run.row.scenario))
    changes = _CHANGES.validate_json(run.row.changes)
    again = run._replace(answers=[], digests={}, students=[], teacher=[], summaries=[])
    memory, lost = None, 0
    for number in dict.fromkeys(lesson for lesson, _ in run.digests):
        rows = [row for row in run.answers if row.lesson == number]
        policy = _Forgiving(rows)
        model = ClassroomModel(
            scenario, seed=run.row.seed, policy="embedded", lesson_number=number, memory=memory, interventions=changes
        )
        while model.running and (number, model.state.step + 1) in run.digests:
            run_waiting(model.rounds(), policy)
            model.finish_driven_step()
            again.digests[number, model.state.step] = model.digest()
        lost += policy.missing + policy.left
        logged = zip(model.journal.answers, policy.given, strict=True)
        again.answers.extend(row._replace(seq=entry.seq, round=entry.round) for entry, row in logged)
        memory = model.memory
        _remember(again, model)
    if set(again.digests) != set(run.digests):
        raise PolicyError("the lesson ends at another step.")
    return again, lost


def _remember(run: KeptRun, model: ClassroomModel) -> None:
    memory, number = model.memory, model.lesson_number
    if memory is None:
        return
    run.students.extend((number, MemoryRow(e.student, e.event, e.content, e.step)) for e in memory.student_events)
    run.teacher.extend((number, MemoryRow(e.phase, e.event, e.content, e.step)) for e in memory.teacher_events)
    run.summaries.extend((number, summary_row(record)) for record in memory.records)


def _differences(before: KeptRun, after: KeptRun) -> dict[str, int]:
    tables: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        "runs": ([before.row], [after.row]),
        "answers": (before.answers, after.answers),
        "steps": (list(before.digests.items()), list(after.digests.items())),
        "student_memory": (before.students, after.students),
        "teacher_memory": (before.teacher, after.teacher),
        "summaries": (sorted(before.summaries), sorted(after.summaries)),
    }
    return {name: len(set(was) - set(now)) for name, (was, now) in tables.items()}
