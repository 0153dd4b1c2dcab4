"""Write a step: whole, in its turn, and once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import ClauseElement, Connection, Table, bindparam, insert, select, update
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.rows import AnswerRow, PlayedStep, RunRow
from eduverse_mesa.store.schema import STATUSES, lessons, runs, steps, student_memory, summaries, teacher_memory
from eduverse_mesa.store.schema import answers as answers_table
from eduverse_mesa.store.troubles import NotAllowedError

Row = tuple[Any, ...]


Insertion = tuple[str, tuple[str, ...], bool]
Change = tuple[str, Sequence[str] | None]

# Every study has an engine, and so a dialect, of its own; the SQL is the same for all that speak alike.
_insertions: dict[tuple[Table, int, str, str], Insertion] = {}
_changes: dict[tuple[ClauseElement, str, str], Change] = {}


def _insertion(table: Table, dialect: Dialect, columns: int) -> Insertion:
    """The SQL of an insert, the names of its columns in order, and whether its parameters go by place."""
    key = (table, columns, dialect.name, dialect.driver)
    if key not in _insertions:
        # A number that the database gives is not among the values: the columns are the last so many of the table.
        names = tuple(column.name for column in table.columns)[-columns:]
        compiled = insert(table).inline().compile(dialect=dialect, column_keys=list(names))
        _insertions[key] = str(compiled), names, bool(compiled.positional)
    return _insertions[key]


def _statement(statement: ClauseElement, dialect: Dialect) -> Change:
    """The SQL, and the names of its parameters in order where they go by place."""
    key = (statement, dialect.name, dialect.driver)
    if key not in _changes:
        compiled: Any = statement.compile(dialect=dialect)
        _changes[key] = str(compiled), compiled.positiontup
    return _changes[key]


@contextmanager
def _cursor(connection: Connection) -> Iterator[Any]:
    """The driver's cursor, with errors as SQLAlchemy would raise them, whatever the driver calls them."""
    trouble = connection.dialect.loaded_dbapi.Error
    with closing(connection.connection.cursor()) as cursor:
        try:
            yield cursor
        except trouble as error:
            raise DBAPIError.instance(None, None, error, trouble, dialect=connection.dialect) from error


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows whose values stand in the order of the table's columns."""
    if not rows:
        return
    sql, names, by_place = _insertion(table, connection.dialect, len(rows[0]))
    values: Any = rows if by_place else [dict(zip(names, row, strict=True)) for row in rows]
    with _cursor(connection) as cursor:
        cursor.executemany(sql, values)


def change_rows(connection: Connection, statement: ClauseElement, **values: Any) -> int:
    """Execute a statement, which should be one that stays; how many rows it changed."""
    sql, places = _statement(statement, connection.dialect)
    by_place: Any = values if places is None else tuple(values[name] for name in places)
    with _cursor(connection) as cursor:
        cursor.execute(sql, by_place)
        return int(cursor.rowcount)


# Whoever changes this row has the turn: of two writers that come with the same step, one finds it changed already.
_ADVANCE = (
    update(lessons)
    .where(lessons.c.run == bindparam("of_run"), lessons.c.lesson == bindparam("of_lesson"))
    .where(lessons.c.steps == bindparam("after"), lessons.c.status == bindparam("while_is"))
    .values(steps=bindparam("done"), status=bindparam("now_is"), ended=bindparam("at"), updated=bindparam("moment"))
    .values({status: lessons.c[status] + bindparam(f"more_{status}") for status in STATUSES})
)

_check_json = msgspec.json.Decoder(msgspec.Raw).decode


def check_answers(lesson: int, step: int, answers: Sequence[AnswerRow]) -> None:
    """Refuse answers that must never reach the log: those of another step, and those that no reader could decode."""
    for row in answers:
        if row.lesson != lesson or not (row.step == step or (step == 1 and row.step == 0)):
            raise ValueError(f"an answer of lesson {row.lesson}, step {row.step} in lesson {lesson}, step {step}")
        _check_json(row.content)


def insert_run(connection: Connection, row: RunRow) -> None:
    """Enter a run, in the connection's transaction."""
    values: dict[str, Any] = row._asdict()
    values["seed"] = str(row.seed)
    lesson, step = values.pop("forked_at") or (None, None)
    values.update(forked_lesson=lesson, forked_step=step, created=now())
    values["updated"] = values["created"]
    connection.execute(insert(runs), values)


def insert_played(connection: Connection, run: str, played: Iterable[PlayedStep]) -> None:
    """Write what was played of a run, step by step, in the connection's transaction."""
    for one in played:
        check_answers(one.lesson, one.step, one.answers)
        insert_step(connection, run, one)
        insert_rows(connection, summaries, [(run, one.lesson, *row) for row in one.summaries])
        insert_rows(connection, student_memory, [(run, one.lesson, *row) for row in one.student_events])
        insert_rows(connection, teacher_memory, [(run, one.lesson, *row) for row in one.teacher_events])
        if one.message is not None:
            from eduverse_mesa.store.dialogues import insert_message

            insert_message(connection, run, one.message, alarming=one.alarming)


def insert_step(connection: Connection, run: str, one: PlayedStep) -> None:
    """Write a step in the connection's transaction, if it is the next one of its run."""
    lesson, step = one.lesson, one.step
    status = "complete" if one.last else "running"
    moment = now()
    ended = moment if one.last else None
    counts = Counter(row.status for row in one.answers)
    if step == 1:
        _check_turn(connection, run, lesson)
        insert_rows(
            connection,
            lessons,
            [(run, lesson, status, step, moment, ended, moment, *(counts[name] for name in STATUSES))],
        )
    elif not change_rows(
        connection,
        _ADVANCE,
        of_run=run,
        of_lesson=lesson,
        after=step - 1,
        while_is="running",
        done=step,
        now_is=status,
        at=ended,
        moment=moment,
        **{f"more_{name}": counts[name] for name in STATUSES},
    ):
        raise NotAllowedError("the step is not the next one.")
    insert_rows(connection, steps, [(run, lesson, step, one.digest)])
    insert_rows(connection, answers_table, [(run, *row) for row in one.answers])


def _check_turn(connection: Connection, run: str, lesson: int) -> None:
    """A lesson begins when the one before it is complete: it needs what that one left in memory."""
    before = select(lessons.c.status).where(lessons.c.run == run, lessons.c.lesson == lesson - 1)
    if lesson != 1 and connection.execute(before).scalar() != "complete":
        raise NotAllowedError("the lesson is not the next one.")


def why_refused(connection: Connection, run: str, one: PlayedStep, error: StudyError, where: str) -> StudyError:
    """Why a step of a run that is there could not be written."""
    lesson, step = one.lesson, one.step
    rows = connection.execute(select(lessons.c.lesson, lessons.c.status, lessons.c.steps).where(lessons.c.run == run))
    found = {row.lesson: (row.status, row.steps) for row in rows}
    status, done = found.get(lesson, ("running", 0))
    mend = "Only one program may write to a run: let one of the two finish. Nothing was doubled."
    if status == "complete":
        return StudyError(f"lesson {lesson} of run {run} is complete after {done} steps.", where=where, mend=mend)
    if done != step - 1:
        return StudyError(
            f"run {run} is at step {done} of lesson {lesson}, so step {step} cannot follow.", where=where, mend=mend
        )
    if lesson != 1 and found.get(lesson - 1, ("", 0))[0] != "complete":
        return StudyError(
            f"lesson {lesson} of run {run} cannot begin before lesson {lesson - 1} is complete.",
            where=where,
            mend="Go on with eduverse resume.",
        )
    return StudyError(
        f"step {step} of lesson {lesson} of run {run} cannot be written. {error.message}",
        where=where,
        mend="Nothing was written.",
    )


def now() -> str:
    """The clock of the study: UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
