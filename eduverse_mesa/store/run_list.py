"""The runs of a study as a list, and runs taken out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.rows import HeadlineRow
from eduverse_mesa.store.schema import STATUSES, lessons, metadata, runs, sittings
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study

QUIET = timedelta(hours=1)
"""A run that is said to be running, and to which nothing was written for so long, was left by its program."""

_AT_ONCE = 500
"""Runs that one query names: databases bound how many values it may have."""

_OF_RUN = (
    *("id", "name", "title", "status", "policy", "parent", "forked_lesson", "forked_step", "planned", "spent"),
    "kind",
)


def headlines(study: Study) -> list[HeadlineRow]:
    """How each run stands, oldest first: read from what is kept with the runs, without their scenarios and answers."""
    counted = (
        select(
            lessons.c.run,
            func.sum(lessons.c.steps).label("steps"),
            func.max(lessons.c.updated).label("written"),
            *(func.sum(lessons.c[status]).label(status) for status in STATUSES),
        )
        .group_by(lessons.c.run)
        .subquery()
    )
    columns = [runs.c[name] for name in (*_OF_RUN, "created", "updated")]
    query = select(*columns, counted).join_from(runs, counted, runs.c.id == counted.c.run, isouter=True)
    sat = select(sittings.c.run, sittings.c.participant).order_by(sittings.c.number)
    with study.transaction() as connection:
        people: dict[str, dict[str, None]] = {}
        for run, participant in connection.execute(sat):
            people.setdefault(run, {})[participant] = None
        rows = connection.execute(query.order_by(runs.c.number)).all()
    return [_headline(row, tuple(people.get(row.id, ()))) for row in rows]


def _headline(row: Any, people: tuple[str, ...]) -> HeadlineRow:
    return HeadlineRow(
        id=row.id,
        name=row.name,
        title=row.title,
        status=row.status,
        policy=row.policy,
        parent=row.parent,
        forked_at=None if row.forked_lesson is None else (row.forked_lesson, row.forked_step),
        steps=row.steps or 0,
        planned=row.planned,
        outcomes={status: getattr(row, status) or 0 for status in STATUSES},
        spent=row.spent,
        created=row.created,
        updated=max(row.updated, row.written or ""),
        participants=people,
        kind=row.kind,
    )


def plans(study: Study, wanted: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Id, seed and scenario, as JSON, of these runs; none of those that are not there."""
    with study.transaction() as connection:
        for first in range(0, len(wanted), _AT_ONCE):
            some = runs.c.id.in_(wanted[first : first + _AT_ONCE])
            for row in connection.execute(select(runs.c.id, runs.c.seed, runs.c.scenario).where(some)):
                yield row.id, int(row.seed), row.scenario


def forks_of(connection: Connection, run: str) -> list[str]:
    """The forks of a run, and theirs, oldest first."""
    family = {run}
    found = []
    for child, parent in connection.execute(select(runs.c.id, runs.c.parent).order_by(runs.c.number)):
        if parent in family:  # a fork is entered after its parent
            family.add(child)
            found.append(child)
    return found


def delete_run(study: Study, run: str, *, with_forks: bool = False, abandoned: bool = False) -> list[str]:
    """Take a run out of a study with all that belongs to it, in one transaction; gives what was taken out.

    `abandoned`: whoever asks knows that nobody plays it any more, though it is said to be running.
    """
    with study.transaction() as connection:
        study.check_run(connection, run)
        forks = forks_of(connection, run)
        if forks and not with_forks:
            raise StudyError(
                f"run {run} has {len(forks)} fork{'s' * (len(forks) > 1)}: {', '.join(forks[:5])}.",
                where=study.path,
                mend="A fork is compared with the run it comes from: delete it with its forks, or those first.",
            )
        for one in [] if abandoned else [run, *forks]:
            refuse_while_played(connection, one, study.path)
        delete_rows(connection, [run, *forks])
    return [run, *forks]


def note_rules(study: Study, run: str, rules: int) -> None:
    """Say by which rules this run is played from here on."""
    with study.transaction() as connection:
        connection.execute(update(runs).where(runs.c.id == run).values(rules=rules))


def note_played(study: Study, run: str) -> None:
    """Say that this run is still being played, though no step of it is complete for long."""
    with study.transaction() as connection:
        there = (runs.c.id == run) & (runs.c.status == "running")
        connection.execute(update(runs).where(there).values(updated=now()))


def refuse_while_played(connection: Connection, run: str, where: str) -> None:
    """Somebody writes to this run, as far as can be seen from its last step."""
    status, updated = connection.execute(select(runs.c.status, runs.c.updated).where(runs.c.id == run)).one()
    written = connection.execute(select(func.max(lessons.c.updated)).where(lessons.c.run == run)).scalar() or ""
    last = max(updated, written)
    if status == "running" and datetime.now(UTC) - datetime.fromisoformat(last) < QUIET:
        raise StudyError(
            f"run {run} is being played; its last step was written at {last}.",
            where=where,
            mend="Stop the lesson first. Where its program was killed, resume it, or wait an hour.",
        )


def delete_rows(connection: Connection, doomed: list[str]) -> None:
    """Take runs out in the connection's transaction: rows that name a run go before it."""
    tables = [table for table in reversed(metadata.sorted_tables) if table is not runs and "run" in table.c]
    parts = [doomed[first : first + _AT_ONCE] for first in range(0, len(doomed), _AT_ONCE)]
    for some in parts:
        for table in tables:
            connection.execute(delete(table).where(table.c.run.in_(some)))
        connection.execute(update(runs).where(runs.c.id.in_(some)).values(parent=None))
    for some in parts:  # a fork may be in another part than the run it comes from
        connection.execute(delete(runs).where(runs.c.id.in_(some)))
