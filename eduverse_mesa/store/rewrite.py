"""A run with every word that is kept of it, and runs written anew: for what has to leave a study again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, String, delete, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.rows import AnswerRow, MemoryRow, ParticipantState, Place, RunRow, SummaryRow
from eduverse_mesa.store.run_list import delete_rows, refuse_while_played
from eduverse_mesa.store.schema import (
    STATUSES,
    alerts,
    answers,
    lessons,
    metadata,
    participants,
    runs,
    sittings,
    steps,
    student_memory,
    summaries,
    teacher_memory,
)
from eduverse_mesa.store.steps import insert_rows
from eduverse_mesa.store.study import Study


class KeptRun(NamedTuple):
    """All that a study keeps of a run. Memory and summaries come with the number of their lesson."""

    row: RunRow
    answers: list[AnswerRow]
    digests: dict[Place, str]
    students: list[tuple[int, MemoryRow]]
    teacher: list[tuple[int, MemoryRow]]
    summaries: list[tuple[int, SummaryRow]]

    @property
    def place(self) -> Place:
        """How far it has come."""
        return max(self.digests, default=(0, 0))


def read_run(study: Study, run: str) -> KeptRun:
    """All of a run."""
    row, given, digests = study.run(run), study.answers(run), study.digests(run)
    with study.transaction() as connection:
        students, teacher = (
            [(lesson, MemoryRow(*entry)) for lesson, *entry in connection.execute(_memory(table, who, run))]
            for table, who in ((student_memory, "student"), (teacher_memory, "phase"))
        )
        query = select(summaries.c.lesson, summaries.c.student, summaries.c.record).where(summaries.c.run == run)
        looked_back = sorted((lesson, SummaryRow(*entry)) for lesson, *entry in connection.execute(query))
    return KeptRun(row, given, digests, students, teacher, looked_back)


def _memory(table: Any, who: str, run: str) -> Any:
    columns = [table.c[name] for name in ("lesson", who, "event", "content", "step")]
    return select(*columns).where(table.c.run == run).order_by(table.c.number)


def rewrite(
    study: Study,
    changed: Sequence[KeptRun],
    participant: str,
    called: Callable[[str], str],
    doomed: Sequence[str] = (),
    change: Callable[[str], str] = str,
) -> None:
    """Write runs anew and forget what a participant is called, in one transaction.

    `called`: what an agent of a name is called from now on. `doomed`: runs that go altogether. `change`: what becomes
    of what others have told of harm, where it quotes or names the participant.
    """
    with study.transaction() as connection:
        for one in doomed:
            refuse_while_played(connection, one, study.path)
        delete_rows(connection, list(doomed))
        for run in changed:
            refuse_while_played(connection, run.row.id, study.path)
            _refuse_moved(connection, run, study.path)
            _write(connection, run)
            _stand_up(connection, run, participant)
        for old in connection.execute(select(sittings.c.agent).distinct()).scalars().all():
            if (new := called(old)) != old:
                connection.execute(update(sittings).where(sittings.c.agent == old).values(agent=new))
        _rewrite_alerts(connection, participant, called, change)
        _mark(connection, participant, "erasing")


def _rewrite_alerts(
    connection: Connection, participant: str, called: Callable[[str], str], change: Callable[[str], str]
) -> None:
    connection.execute(delete(alerts).where(alerts.c.participant == participant))
    for number, speaker, text in connection.execute(select(alerts.c.number, alerts.c.speaker, alerts.c.text)).all():
        new = {"speaker": called(speaker), "text": change(text)}
        if new != {"speaker": speaker, "text": text}:
            connection.execute(update(alerts).where(alerts.c.number == number).values(new))


def _stand_up(connection: Connection, run: KeptRun, participant: str) -> None:
    """Nobody sits any more where the person still did."""
    open_one = (sittings.c.run == run.row.id) & (sittings.c.participant == participant) & sittings.c.to_step.is_(None)
    lesson, step = run.place
    connection.execute(update(sittings).where(open_one).values(to_lesson=lesson, to_step=step))


def schema_texts(study: Study) -> list[str]:
    """Return the texts in which the file of a study describes its own tables: these words stand in it, whoever else
    bears them."""
    if study.kind != "sqlite":
        return []
    with study.transaction() as connection:
        return [sql for (sql,) in connection.exec_driver_sql("select sql from sqlite_master where sql is not null")]


def mark(study: Study, participant: str, state: ParticipantState) -> None:
    """Say how far the erasing of a participant has come."""
    with study.transaction() as connection:
        _mark(connection, participant, state)


def _mark(connection: Connection, participant: str, state: ParticipantState) -> None:
    connection.execute(update(participants).where(participants.c.id == participant).values(label="", state=state))


def _refuse_moved(connection: Connection, run: KeptRun, where: str) -> None:
    """Refuse a run to which something was written since it was read a moment ago."""
    query = select(steps.c.lesson, steps.c.step, steps.c.digest).where(steps.c.run == run.row.id)
    there = {(lesson, step) for lesson, step, _ in connection.execute(query)}
    if there != set(run.digests):
        raise StudyError(
            f"run {run.row.id} was written to in the meantime.",
            where=where,
            mend="Stop the lesson, and try again; nothing was erased.",
        )


def _write(connection: Connection, run: KeptRun) -> None:
    row = run.row
    texts = {"name": row.name, "title": row.title, "scenario": row.scenario, "changes": row.changes}
    connection.execute(update(runs).where(runs.c.id == row.id).values(policy=row.policy, rules=row.rules, **texts))
    for table in (answers, steps, student_memory, teacher_memory, summaries):
        connection.execute(delete(table).where(table.c.run == row.id))
    insert_rows(connection, steps, [(row.id, *place, digest) for place, digest in run.digests.items()])
    insert_rows(connection, answers, [(row.id, *answer) for answer in run.answers])
    insert_rows(connection, student_memory, [(row.id, lesson, *entry) for lesson, entry in run.students])
    insert_rows(connection, teacher_memory, [(row.id, lesson, *entry) for lesson, entry in run.teacher])
    insert_rows(connection, summaries, [(row.id, lesson, *entry) for lesson, entry in run.summaries])
    counted: dict[int, Counter[str]] = {}
    for answer in run.answers:
        counted.setdefault(answer.lesson, Counter())[answer.status] += 1
    for lesson, counts in counted.items():
        one = (lessons.c.run == row.id) & (lessons.c.lesson == lesson)
        connection.execute(update(lessons).where(one).values({status: counts[status] for status in STATUSES}))


def count_texts(study: Study, count: Callable[[Sequence[str]], int]) -> Iterator[tuple[str, int]]:
    """In which columns of all tables there are texts that count, and how many."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if not isinstance(column.type, String):
                continue
            with study.transaction() as connection:
                some = connection.execute(select(column)).scalars().partitions(_SOME)
                found = sum(count([text for text in texts if text]) for texts in some)
            if found:
                yield f"{table.name}.{column.name}", found


_SOME = 5000
"""Texts that are looked at together."""
