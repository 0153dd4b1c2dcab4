"""A study: the runs of an experiment or a classroom, in one database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from difflib import get_close_matches
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import msgspec

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.location import open_engine
from eduverse_mesa.store.rows import (
    AnswerRow,
    LessonRow,
    MemoryRow,
    ParticipantRow,
    Place,
    PlayedStep,
    Role,
    RunRow,
    RunStatus,
    SittingRow,
    SummaryRow,
)
from eduverse_mesa.store.sqlite import which_file
from eduverse_mesa.store.troubles import NotAllowedError, told

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_LOGGED = AnswerRow._fields[: AnswerRow._fields.index("latency_ms")]
"""The fields of the canonical log: those that do not depend on the clock."""


class Study:
    """An open study. Use `with Study.open(...) as study`."""

    def __init__(self, path: str, engine: Engine, read_only: bool) -> None:
        self.path, self.read_only = path, read_only
        self._engine, self._closed = engine, False
        self._turn = Lock()  # threads share one connection
        self._file: tuple[int, int] | None = None

    @classmethod
    def open(cls, path: str, *, create: bool = False, read_only: bool = False) -> Self:
        """Open a study; with `create`, make it where there is none. What is no study is refused and left alone."""
        engine, where = open_engine(path, create, read_only)
        study = cls(where, engine, read_only)
        try:
            study._prepare(create)
            if study.kind == "sqlite":
                study._file = which_file(where)
        except BaseException:
            study.close()
            raise
        return study

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, when whoever is at it has finished: what is begun after that opens it no more."""
        with self._turn:
            self._closed = True
            self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing, and nobody else writes meanwhile."""
        with self._inside(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _inside(self) -> Iterator[None]:
        with self._turn:
            if self._closed:
                raise StudyError("the study is closed.", where=self.path, mend="Open it again.")
            with told(self.path):
                yield

    def _check_place(self) -> None:
        """Refuse to write to a file that was taken away: unless somebody looks, the words are lost without notice."""
        if self._file is not None and which_file(self.path) != self._file:
            raise StudyError(
                "the file was moved, deleted or replaced while it was open.",
                where=self.path,
                mend="Put it back, or keep the run in another study.",
            )

    @property
    def kind(self) -> str:
        """The kind of database that keeps it: sqlite or postgresql."""
        return self._engine.dialect.name

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """A connection outside of any transaction: what concerns the whole database needs it."""
        with self._inside(), self._engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def standing(self) -> str:
        """A text that is another one after every change by anybody, as far as a reader can see."""
        if self.kind == "sqlite":
            with self.driver() as driver:
                return str(driver.execute("pragma data_version").fetchone()[0])
        from eduverse_mesa.store.postgresql import standing

        with self.transaction() as connection:
            return standing(connection)

    @contextmanager
    def driver(self) -> Iterator[Any]:
        """The driver's own connection, outside of any transaction: what concerns the whole file needs it."""
        with self._inside(), closing(self._engine.raw_connection()) as connection:
            yield connection.driver_connection

    def _prepare(self, create: bool) -> None:
        from eduverse_mesa.store.migrations import prepare

        with self.transaction() as connection:
            prepare(connection, self.path, create=create, read_only=self.read_only)

    # --- runs ---

    def add_run(self, row: RunRow) -> None:
        """Enter a run."""
        self.add_played(row, ())

    def add_played(self, row: RunRow, steps: Iterable[PlayedStep], sat: Iterable[SittingRow] = ()) -> None:
        """Enter a run with all that was played of it and who sat there, in one transaction."""
        from eduverse_mesa.store import participants as participants_module
        from eduverse_mesa.store.steps import insert_played, insert_run

        self._check_place()
        try:
            with self.transaction() as connection:
                insert_run(connection, row)
                insert_played(connection, row.id, steps)
                for one in sat:
                    participants_module.sat(connection, one._replace(run=row.id), self.path)
        except NotAllowedError as error:
            raise self._why_no_run(row, error) from error

    def _why_no_run(self, row: RunRow, error: StudyError) -> StudyError:
        if row.parent is not None:
            self.run(row.parent)
        if row.id in {other.id for other in self.runs()}:
            return StudyError(f"there is a run '{row.id}' already.", where=self.path, mend="Give it another name.")
        return StudyError(f"run '{row.id}' cannot be entered. {error.message}", where=self.path)

    def runs(self) -> list[RunRow]:
        """All runs, oldest first."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import runs

        with self.transaction() as connection:
            return [_run_row(row) for row in connection.execute(select(runs).order_by(runs.c.number))]

    def run(self, run: str) -> RunRow:
        """One run."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import runs

        with self.transaction() as connection:
            self.check_run(connection, run)
            return _run_row(connection.execute(select(runs).where(runs.c.id == run)).one())

    def check_run(self, connection: Connection, run: str) -> None:
        """Refuse a run that is not there."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import runs

        if connection.execute(select(runs.c.id).where(runs.c.id == run)).first() is not None:
            return
        found = list(connection.execute(select(runs.c.id).order_by(runs.c.number)).scalars())
        close = get_close_matches(run, found)
        names = ", ".join(f"'{name}'" for name in close or found[-_NAMED:])
        hint = f"Did you mean {names}?" if close else f"Its newest runs: {names}." if found else "It holds no run yet."
        raise StudyError(f"there is no run '{run}'.", where=self.path, mend=hint)

    def set_status(self, run: str, status: RunStatus) -> None:
        """Say how a run stands."""
        from sqlalchemy import update

        from eduverse_mesa.store.schema import runs
        from eduverse_mesa.store.steps import now

        with self.transaction() as connection:
            self.check_run(connection, run)
            connection.execute(update(runs).where(runs.c.id == run).values(status=status, updated=now()))

    def set_spent(self, run: str, spent: str) -> None:
        """Say what language models have taken for a run so far."""
        from sqlalchemy import update

        from eduverse_mesa.store.schema import runs

        with self.transaction() as connection:
            connection.execute(update(runs).where(runs.c.id == run).values(spent=spent))

    def set_title(self, run: str, title: str) -> None:
        """Give a run a title; an empty one takes it away."""
        from sqlalchemy import update

        from eduverse_mesa.store.schema import runs

        with self.transaction() as connection:
            self.check_run(connection, run)
            connection.execute(update(runs).where(runs.c.id == run).values(title=title))

    # --- people ---

    def add_participant(self, label: str, role: Role) -> ParticipantRow:
        """Enter a person under the name they gave themselves, or a pseudonym."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            return participants_module.add(connection, label, role, self.path)

    def participants(self) -> list[ParticipantRow]:
        """All that took part, in the order in which they came."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            return participants_module.find_all(connection)

    def participant(self, participant: str) -> ParticipantRow:
        """One of them, by its id."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            return participants_module.find(connection, participant, self.path)

    def sit_down(self, participant: str, run: str, agent: str, since: Place) -> None:
        """From this (lesson, step) on, the person answers for the agent."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            self.check_run(connection, run)
            participants_module.sit_down(connection, participant, run, agent, since, self.path)

    def stand_up(self, run: str, agent: str, until: Place, reason: str = "") -> None:
        """This (lesson, step) was the last one that the person could answer for the agent."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            self.check_run(connection, run)
            participants_module.stand_up(connection, run, agent, until, self.path, reason)

    def sittings(self, run: str | None = None, *, participant: str | None = None) -> list[SittingRow]:
        """Return the sittings of a run, or of a person in all runs."""
        from eduverse_mesa.store import participants as participants_module

        with self.transaction() as connection:
            if run is not None:
                self.check_run(connection, run)
            return participants_module.sittings_of(connection, run, participant)

    # --- steps and lessons ---

    def commit(self, run: str, step: PlayedStep) -> None:
        """A step with all that is kept of it: written whole or not at all, and only after the one before it."""
        from eduverse_mesa.store.steps import check_answers, insert_played, why_refused

        self._check_place()
        with told(self.path):
            check_answers(step.lesson, step.step, step.answers)
        try:
            with self.transaction() as connection:
                insert_played(connection, run, [step])
        except NotAllowedError as error:
            with self.transaction() as connection:
                self.check_run(connection, run)
                raise why_refused(connection, run, step, error, self.path) from error

    def lessons(self, run: str) -> list[LessonRow]:
        """The lessons of a run that have begun."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import lessons

        query = select(*(lessons.c[name] for name in LessonRow._fields)).where(lessons.c.run == run)
        with self.transaction() as connection:
            self.check_run(connection, run)
            return [LessonRow(*row) for row in connection.execute(query.order_by(lessons.c.lesson))]

    def digests(self, run: str) -> dict[Place, str]:
        """The fingerprint after each step that was committed."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import steps

        query = select(steps).where(steps.c.run == run).order_by(steps.c.lesson, steps.c.step)
        with self.transaction() as connection:
            self.check_run(connection, run)
            return {(row.lesson, row.step): row.digest for row in connection.execute(query)}

    def answers(self, run: str, upto: Place | None = None, *, lesson: int | None = None) -> list[AnswerRow]:
        """The answers of a run in their order: all, those up to a step, those of a lesson."""
        from sqlalchemy import or_, select

        from eduverse_mesa.store.schema import answers

        query = select(*(answers.c[name] for name in AnswerRow._fields)).where(answers.c.run == run)
        if upto is not None:
            last, step = upto
            query = query.where(or_(answers.c.lesson < last, (answers.c.lesson == last) & (answers.c.step <= step)))
        if lesson is not None:
            query = query.where(answers.c.lesson == lesson)
        with self.transaction() as connection:
            self.check_run(connection, run)
            ordered = query.order_by(answers.c.lesson, answers.c.step, answers.c.seq)
            return [AnswerRow(*row) for row in connection.execute(ordered)]

    def summaries(self, run: str, lesson: int) -> list[SummaryRow]:
        """Return what the students took out of a lesson, by name."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import summaries

        query = select(summaries.c.student, summaries.c.record).where(
            summaries.c.run == run, summaries.c.lesson == lesson
        )
        with self.transaction() as connection:
            self.check_run(connection, run)
            # Sorted here: a server may have another opinion of which letter comes first.
            return sorted(SummaryRow(*row) for row in connection.execute(query))

    def memories(self, run: str, student: str | None = None) -> list[tuple[int, MemoryRow]]:
        """A student's long-term memory, or the teacher's: (lesson, entry) in order."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import student_memory, teacher_memory

        table, who = (teacher_memory, "phase") if student is None else (student_memory, "student")
        query = select(table.c.lesson, table.c[who], table.c.event, table.c.content, table.c.step)
        query = query.where(table.c.run == run).order_by(table.c.number)
        if student is not None:
            query = query.where(table.c.student == student)
        with self.transaction() as connection:
            self.check_run(connection, run)
            return [(lesson, MemoryRow(*entry)) for lesson, *entry in connection.execute(query)]

    def export_log(self, run: str) -> Iterator[str]:
        """The canonical log: a JSON line an answer, with its model's name; the same bytes for the same run."""
        for row in (row for lesson in self.lessons(run) for row in self.answers(run, lesson=lesson.lesson)):
            entry: dict[str, Any] = dict(zip(_LOGGED, row, strict=False))
            entry["content"] = msgspec.Raw(msgspec.json.format(row.content.encode(), indent=-1))
            entry |= {"model": row.model} if row.model else {}
            yield msgspec.json.encode(entry).decode()


_NAMED = 5
"""Runs that a message names."""


def _run_row(row: Any) -> RunRow:
    given = {name: getattr(row, name) for name in RunRow._fields if name not in ("seed", "forked_at")}
    place = None if row.forked_lesson is None else (row.forked_lesson, row.forked_step)
    return RunRow(**given, seed=int(row.seed), forked_at=place)
