"""A study: the runs of an experiment or a classroom, in one database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

import msgspec

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.opening import is_url, open_engine
from eduverse_mesa.store.rows import AnswerRow, MemoryRow, RunRow, SummaryRow
from eduverse_mesa.store.troubles import told

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

Place = tuple[int, int]
"""(lesson, step)"""

_LOGGED = AnswerRow._fields[:11]
"""The fields of the canonical log: those that do not depend on the clock."""


class Study:
    """An open study. Use `with Study.open(...) as study`."""

    def __init__(self, path: str, engine: Engine, read_only: bool) -> None:
        self.path = path.rsplit("@", 1)[-1] if is_url(path) else path
        self.read_only = read_only
        self._engine = engine
        self._written: dict[tuple[str, int], int] = {}
        """The last step that this program itself has written, by run and lesson."""

    @classmethod
    def open(cls, path: str, *, create: bool = False, read_only: bool = False) -> Self:
        """Open a study; with `create`, make it where there is none. What is no study is refused and left alone."""
        engine = open_engine(path, create, read_only)
        study = cls(path, engine, read_only)
        try:
            # A program killed while it made this study left a file that is ours, with no tables yet: make them now.
            study._prepare(create)
        except BaseException:
            study.close()
            raise
        return study

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with told(self.path), self._engine.begin() as connection:
            yield connection

    def _prepare(self, make: bool) -> None:
        from sqlalchemy import insert, inspect, select

        from eduverse_mesa.store import schema

        with self._transaction() as connection:
            if not inspect(connection).has_table("meta"):
                if not make:
                    raise StudyError("this is no study.", where=self.path, mend="Make one with eduverse run --out.")
                schema.metadata.create_all(connection)
                connection.execute(insert(schema.meta), {"key": "schema", "value": str(schema.VERSION)})
            found = connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == "schema")).scalar_one()
        version = int(found) if found.isdecimal() else 0
        if version < min(schema.MIGRATIONS, default=schema.VERSION):
            raise StudyError(
                f"this study has format '{found}', which nothing here can read.",
                where=self.path,
                mend="It was left as it is.",
            )
        if version > schema.VERSION:
            raise StudyError(
                f"this study has format {version}; this version of eduverse-mesa knows formats up to {schema.VERSION}.",
                where=self.path,
                mend="Open it with a newer version.",
            )
        if version < schema.VERSION:
            self._migrate(version)

    def _migrate(self, version: int) -> None:
        from sqlalchemy import update

        from eduverse_mesa.store import schema

        if self.read_only:
            raise StudyError(
                f"this study has the older format {version}.", where=self.path, mend="Open it once for writing."
            )
        for older in range(version, schema.VERSION):
            with self._transaction() as connection:
                schema.MIGRATIONS[older](connection)
                connection.execute(
                    update(schema.meta).where(schema.meta.c.key == "schema").values(value=str(older + 1))
                )

    # --- runs ---

    def add_run(self, row: RunRow) -> None:
        """Enter a run."""
        from sqlalchemy import insert

        from eduverse_mesa.store.schema import runs

        values: dict[str, Any] = row._asdict()
        values["seed"] = str(row.seed)
        lesson, step = values.pop("forked_at") or (None, None)
        values.update(forked_lesson=lesson, forked_step=step, created=_now())
        with self._transaction() as connection:
            connection.execute(insert(runs), values)

    def runs(self) -> list[RunRow]:
        """All runs, oldest first."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import runs

        with self._transaction() as connection:
            return [_run_row(row) for row in connection.execute(select(runs).order_by(runs.c.number))]

    def run(self, run: str) -> RunRow:
        """One run."""
        found = {row.id: row for row in self.runs()}
        if run not in found:
            close = get_close_matches(run, found, n=1)
            hint = f"Did you mean '{close[0]}'?" if close else f"It has: {', '.join(found) or 'none'}."
            raise StudyError(f"there is no run '{run}'.", where=self.path, mend=hint)
        return found[run]

    def set_status(self, run: str, status: str) -> None:
        """Say how a run stands: running, complete, interrupted."""
        from sqlalchemy import update

        from eduverse_mesa.store.schema import runs

        with self._transaction() as connection:
            connection.execute(update(runs).where(runs.c.id == run).values(status=status))

    # --- steps and lessons ---

    def commit_step(self, run: str, lesson: int, step: int, digest: str, answers: Sequence[AnswerRow]) -> None:
        """A step with all its answers: written whole or not at all."""
        with self._transaction() as connection:
            self._insert_step(connection, run, lesson, step, digest, answers)
        self._written[run, lesson] = step

    def finish_lesson(
        self,
        run: str,
        lesson: int,
        step: int,
        digest: str,
        answers: Sequence[AnswerRow],
        *,
        summaries: Iterable[SummaryRow] = (),
        student_events: Iterable[MemoryRow] = (),
        teacher_events: Iterable[MemoryRow] = (),
    ) -> None:
        """The last step of a lesson and all that the lesson leaves in memory: one transaction."""
        from eduverse_mesa.store import schema
        from eduverse_mesa.store.inserting import insert_rows

        with self._transaction() as connection:
            self._insert_step(connection, run, lesson, step, digest, answers)
            insert_rows(connection, schema.summaries, [(run, lesson, *row) for row in summaries])
            insert_rows(connection, schema.student_memory, [(run, lesson, *row) for row in student_events])
            insert_rows(connection, schema.teacher_memory, [(run, lesson, *row) for row in teacher_events])
            insert_rows(connection, schema.lessons, [(run, lesson, step, _now())])
        self._written[run, lesson] = step

    def _insert_step(
        self, connection: Connection, run: str, lesson: int, step: int, digest: str, answers: Sequence[AnswerRow]
    ) -> None:
        from eduverse_mesa.store import schema
        from eduverse_mesa.store.inserting import insert_rows

        done = self._written.get((run, lesson))
        if done is None:
            done = self._last_step(connection, run, lesson)
        if done != step - 1:
            raise StudyError(
                f"run {run} is at step {done} of lesson {lesson}, so step {step} cannot follow: "
                "another program is writing to the same run.",
                where=self.path,
                mend="Let one of the two finish; nothing was doubled.",
            )
        # Should another program have written this step since, its key is taken, and the whole step is refused.
        insert_rows(connection, schema.steps, [(run, lesson, step, digest)])
        insert_rows(connection, schema.answers, [(run, *row) for row in answers])

    def _last_step(self, connection: Connection, run: str, lesson: int) -> int:
        from sqlalchemy import func, select

        from eduverse_mesa.store.schema import steps

        query = select(func.max(steps.c.step)).where(steps.c.run == run, steps.c.lesson == lesson)
        return int(connection.execute(query).scalar_one() or 0)

    def digests(self, run: str) -> dict[Place, str]:
        """The fingerprint after each step that was committed."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import steps

        query = select(steps).where(steps.c.run == run).order_by(steps.c.lesson, steps.c.step)
        with self._transaction() as connection:
            return {(row.lesson, row.step): row.digest for row in connection.execute(query)}

    def answers(self, run: str, upto: Place | None = None) -> list[AnswerRow]:
        """The answers of a run in their order, or those up to a step."""
        from sqlalchemy import or_, select

        from eduverse_mesa.store.schema import answers

        query = select(*(answers.c[name] for name in AnswerRow._fields)).where(answers.c.run == run)
        if upto is not None:
            lesson, step = upto
            query = query.where(or_(answers.c.lesson < lesson, (answers.c.lesson == lesson) & (answers.c.step <= step)))
        with self._transaction() as connection:
            ordered = query.order_by(answers.c.lesson, answers.c.step, answers.c.seq)
            return [AnswerRow(*row) for row in connection.execute(ordered)]

    def summaries(self, run: str, lesson: int) -> list[SummaryRow]:
        """What the students took out of a lesson."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import summaries

        query = select(summaries.c.student, summaries.c.record).where(
            summaries.c.run == run, summaries.c.lesson == lesson
        )
        with self._transaction() as connection:
            return [SummaryRow(*row) for row in connection.execute(query)]

    def memories(self, run: str, student: str | None = None) -> list[tuple[int, MemoryRow]]:
        """A student's long-term memory, or the teacher's: (lesson, entry) in order."""
        from sqlalchemy import select

        from eduverse_mesa.store.schema import student_memory, teacher_memory

        table, who = (teacher_memory, "phase") if student is None else (student_memory, "student")
        query = select(table.c.lesson, table.c[who], table.c.event, table.c.content, table.c.step)
        query = query.where(table.c.run == run).order_by(table.c.number)
        if student is not None:
            query = query.where(table.c.student == student)
        with self._transaction() as connection:
            return [(lesson, MemoryRow(*entry)) for lesson, *entry in connection.execute(query)]

    def export_log(self, run: str) -> Iterator[str]:
        """The canonical log: a JSON line an answer, the same bytes for the same run."""
        self.run(run)
        for row in self.answers(run):
            entry: dict[str, Any] = dict(zip(_LOGGED, row[: len(_LOGGED)], strict=True))
            entry["content"] = msgspec.Raw(row.content.encode())
            yield msgspec.json.encode(entry).decode()


def _run_row(row: Any) -> RunRow:
    return RunRow(
        row.id,
        row.name,
        int(row.seed),
        row.scenario,
        row.policy,
        row.changes,
        row.parent,
        (row.forked_lesson, row.forked_step) if row.forked_lesson is not None else None,
        row.version,
        row.status,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
