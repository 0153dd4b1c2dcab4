"""Make the tables of a new study, bring an older study up to date, and refuse what is none.

A migration names what its format had. Only a table that comes new with it is made as it is today: what a later format
adds to it is there then, and `_add_columns` leaves it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, func, insert, inspect, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.location import open_engine
from eduverse_mesa.store.schema import alerts, answers, lessons, meta, metadata, participants, runs, sittings
from eduverse_mesa.store.study import Study
from eduverse_mesa.store.troubles import HOW_ONE_IS_MADE, told

Migration = Callable[[Connection], None]


def _count_calls(connection: Connection) -> None:
    """Format 2: what an answer took says how many calls it was, and what the server still had of its prompt; and a run
    knows what it has spent."""
    _add_columns(connection, "answers", {"tokens_cached": "integer", "calls": "integer"})
    _add_columns(connection, "runs", {"spent": "text not null default ''"})


def _know_people(connection: Connection) -> None:
    """Format 3: who took part, and where they sat; a run can be given a title, and what a list of runs says of each is
    kept with it."""
    _add_columns(connection, "runs", {"title": "text not null default ''", "planned": "integer not null default 0"})
    statuses = ("ok", "repaired", "fallback", "failed")
    counts = dict.fromkeys(statuses, "integer not null default 0")
    _add_columns(connection, "lessons", {"updated": "text not null default ''", **counts})
    metadata.create_all(connection, tables=[participants, sittings])
    for run, scenario in connection.execute(select(runs.c.id, runs.c.scenario)).all():
        connection.execute(update(runs).where(runs.c.id == run).values(planned=_planned(scenario)))
    same = (answers.c.run == lessons.c.run) & (answers.c.lesson == lessons.c.lesson)
    for status in statuses:
        counted = select(func.count()).where(same, answers.c.status == status).scalar_subquery()
        connection.execute(update(lessons).values({status: counted}))
    connection.execute(update(lessons).values(updated=func.coalesce(lessons.c.ended, lessons.c.started)))


def _say_why(connection: Connection) -> None:
    """Format 4: a sitting says why it ended, where the person did not get up."""
    _add_columns(connection, "sittings", {"reason": "text not null default ''"})


def _know_tutoring(connection: Connection) -> None:
    """Format 5: a run is a course of lessons, as all were before, or learners with their tutors."""
    kind = "varchar not null default 'course' check (kind in ('course', 'tutoring'))"
    _add_columns(connection, "runs", {"kind": kind})


def _know_groups(connection: Connection) -> None:
    """Format 6: a run may be of a group that solves a problem; students and teachers log in, and have work to do."""
    if connection.dialect.name == "sqlite":
        _make_runs_anew(connection)
    else:
        for name in ("known_kind", "runs_kind_check"):
            connection.exec_driver_sql(f"alter table runs drop constraint if exists {name}")
        connection.exec_driver_sql(f"alter table runs add constraint {_KINDS_6}")
    metadata.create_all(connection)


def _know_rules(connection: Connection) -> None:
    """Format 7: a run knows by which rules it was played, and a lesson's summaries hold what is new with it."""
    _add_columns(connection, "runs", {"rules": "integer not null default 0"})


def _know_alerts(connection: Connection) -> None:
    """Format 8: what somebody typed that tells of harm is kept for whoever looks after them."""
    metadata.create_all(connection, tables=[alerts])


def _know_models(connection: Connection) -> None:
    """Format 9: an answer says which model gave it, and what a run has spent tells what servers told from estimates."""
    _add_columns(connection, "answers", {"model": "text"})
    bills = {run: _Spent.read(spent) for run, spent in connection.execute(select(runs.c.id, runs.c.spent)) if spent}
    took: dict[str, list[Any]] = {run: [] for run in bills}
    columns = (answers.c[name] for name in ("run", "calls", "tokens_in", "tokens_out", "tokens_cached", "cost"))
    for row in connection.execute(select(*columns).where(answers.c.calls > 0)):
        if row.run in took:
            took[row.run].append(row)
    for run, spent in bills.items():
        bill = msgspec.json.encode(_told_apart(spent, took[run])).decode()
        connection.execute(update(runs).where(runs.c.id == run).values(spent=bill))


class _Spent(msgspec.Struct):
    """The spending of a run up to format 8: what servers told and what was estimated, in one."""

    tokens: int = 0
    requests: int = 0
    usd: float = 0.0

    @classmethod
    def read(cls, text: str) -> _Spent:
        """From what a run has kept."""
        return msgspec.json.decode(text, type=cls)


def _told_apart(spent: _Spent, rows: list[Any]) -> dict[str, Any]:
    """Return the spending in two parts: what the answers tell was told; of the rest nobody knows which of it was an
    estimate."""
    told = [row for row in rows if row.tokens_in is not None and row.tokens_out is not None]
    calls, tokens = sum(row.calls for row in rows), sum(row.tokens_in + row.tokens_out for row in told)
    usd = sum(row.cost or 0.0 for row in told)
    requests = max(spent.requests, calls)
    return {
        "requests": requests,
        "tokens_in": sum(row.tokens_in for row in told),
        "tokens_out": sum(row.tokens_out for row in told),
        "tokens_cached": sum(row.tokens_cached or 0 for row in told),
        "usd": usd,
        "unpriced": sum(row.calls for row in told if row.cost is None),
        "untold": requests - sum(row.calls for row in told),
        "most_tokens": max(0, spent.tokens - tokens),
        "most_usd": max(0.0, spent.usd - usd),
    }


def _keep_verdicts(connection: Connection) -> None:
    """Format 10: a verdict on an alert can be taken back, and every one of them is kept."""
    _add_columns(connection, "alerts", {"verdicts": "text not null default '[]'"})
    named = (alerts.c.number, alerts.c.verdict, alerts.c.settled_by, alerts.c.settled_at)
    for number, *verdict in connection.execute(select(*named).where(alerts.c.verdict != "")).all():
        kept = msgspec.json.encode([verdict]).decode()
        connection.execute(update(alerts).where(alerts.c.number == number).values(verdicts=kept))


_KINDS_6 = "known_kind check (kind in ('course', 'tutoring', 'collaboration'))"
_RUNS_6 = {
    "number": "integer not null primary key",
    "id": "varchar not null unique",
    "name": "varchar not null",
    "seed": "varchar not null",
    "scenario": "text not null",
    "policy": "text not null",
    "changes": "text not null",
    "parent": "varchar references runs (id)",
    "forked_lesson": "integer",
    "forked_step": "integer",
    "version": "varchar not null",
    "status": "varchar not null",
    "created": "varchar not null",
    "updated": "varchar not null",
    "spent": "text not null default ''",
    "title": "text not null default ''",
    "planned": "integer not null default 0",
    "kind": "varchar not null default 'course'",
}
"""Runs as format 6 has them."""


def _make_runs_anew(connection: Connection) -> None:
    """SQLite takes no constraint off a table: the table goes and comes again, while rows that name runs wait."""
    columns = ", ".join(f"{name} {kind}" for name, kind in _RUNS_6.items())
    status = "known_status check (status in ('running', 'complete', 'interrupted', 'failed'))"
    names = ", ".join(_RUNS_6)
    for statement in (
        "pragma defer_foreign_keys=on",
        "create temporary table kept_runs as select * from runs",
        "drop table runs",
        f"create table runs ({columns}, constraint {status}, constraint {_KINDS_6})",
        f"insert into runs ({names}) select {names} from kept_runs order by number",  # noqa: S608
        "drop table kept_runs",
    ):
        connection.exec_driver_sql(statement)


def _planned(scenario: str) -> int:
    """Steps of all lessons; 0 where the scenario cannot be read, which is said when the run is."""
    try:
        document = msgspec.json.decode(scenario, type=_Plan)
    except msgspec.DecodeError:
        return 0
    return len(document.lessons) * document.settings.steps


class _Settings(msgspec.Struct, frozen=True):
    steps: int = 0


class _Plan(msgspec.Struct):
    """The part of a scenario that says how long it takes."""

    lessons: list[msgspec.Raw] = []
    settings: _Settings = _Settings()


def _add_columns(connection: Connection, table: str, columns: dict[str, str]) -> None:
    present = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in columns.items():
        if name not in present:
            connection.exec_driver_sql(f"alter table {table} add column {name} {kind}")


MIGRATIONS: tuple[Migration, ...] = (
    _count_calls, _know_people, _say_why, _know_tutoring, _know_groups, _know_rules, _know_alerts, _know_models,
    _keep_verdicts,
)  # fmt: skip
"""The n-th leads from format n to format n + 1; the newest format follows from their number."""

APPLICATION = "eduverse-mesa"


def newest_format() -> int:
    """The format in which this version writes."""
    return len(MIGRATIONS) + 1


def prepare(connection: Connection, where: str, *, create: bool, read_only: bool) -> None:
    """Everything in the one transaction of the connection: no one sees a study that is half made or half migrated."""
    there = set(inspect(connection).get_table_names())
    found = there & set(metadata.tables)
    if there and not found:
        raise _another_programs(where)
    if not found:
        if not create or read_only:
            raise StudyError("there is no study in it yet.", where=where, mend=HOW_ONE_IS_MADE)
        _make(connection)
        return
    _migrate(connection, _version(connection, where, found), where, read_only)
    missing = set(metadata.tables) - set(inspect(connection).get_table_names())
    if missing:
        raise StudyError(
            f"the study is damaged: it has lost {', '.join(sorted(missing))}.",
            where=where,
            mend="It was left as it is; take a copy from before.",
        )


def _another_programs(where: str) -> StudyError:
    return StudyError(
        "these are another program's tables, not a study.",
        where=where,
        mend="They were left as they are; name another file or database.",
    )


def _make(connection: Connection) -> None:
    metadata.create_all(connection, checkfirst=False)
    marks = {"application": APPLICATION, "version": _package(), "schema": str(newest_format())}
    connection.execute(insert(meta), [{"key": key, "value": value} for key, value in marks.items()])


def _package() -> str:
    try:
        return version("eduverse-mesa")
    except PackageNotFoundError:
        return "not installed"


def _version(connection: Connection, where: str, found: set[str]) -> int:
    columns = {column["name"] for column in inspect(connection).get_columns("meta")} if "meta" in found else set()
    rows = connection.execute(select(meta.c.key, meta.c.value)).all() if columns >= {"key", "value"} else []
    marks = {row.key: row.value for row in rows}
    if marks.get("application") != APPLICATION:
        raise _another_programs(where)
    schema = str(marks.get("schema", ""))
    if not (schema.isdecimal() and int(schema)):
        raise StudyError(
            f"the study is damaged: its format is given as '{schema}'.",
            where=where,
            mend="It was left as it is; take a copy from before.",
        )
    return int(schema)


def format_of(connection: Connection, where: str) -> int:
    """The format of the study that is there, whichever it is."""
    found = set(inspect(connection).get_table_names()) & set(metadata.tables)
    if not found:
        raise StudyError("there is no study in it yet.", where=where, mend=HOW_ONE_IS_MADE)
    return _version(connection, where, found)


def _how_to_upgrade(where: str) -> str:
    if "://" in where:
        return "Bring it up to date: eduverse upgrade URL (make a copy before: pg_dump)."
    return f"Bring it up to date: eduverse upgrade {quote(where)} (keeps a copy of it as it is)."


def _migrate(connection: Connection, version: int, where: str, read_only: bool) -> None:
    newest = newest_format()
    if version > newest:
        raise StudyError(
            f"this study has format {version}; this version of eduverse-mesa knows formats up to {newest}.",
            where=where,
            mend="Open it with a newer version.",
        )
    if version < newest and read_only:
        raise StudyError(f"this study has the older format {version}.", where=where, mend=_how_to_upgrade(where))
    for migration in MIGRATIONS[version - 1 :]:
        migration(connection)
    if version < newest:
        connection.execute(update(meta).where(meta.c.key == "schema").values(value=str(newest)))


class StudyFormat(NamedTuple):
    """The format of a study, as it is there."""

    where: str
    """Its path, or its URL without the password."""
    format: int
    newest: int
    """The format in which this version writes."""
    on_a_server: bool

    @property
    def old(self) -> bool:
        """There is something to do."""
        return self.format < self.newest


def study_format(study: str) -> StudyFormat:
    """The format that a study has. Nothing is written."""

    engine, where = open_engine(study, False, True)
    try:
        with told(where), engine.begin() as connection:
            found = format_of(connection, where)
        return StudyFormat(where, found, newest_format(), engine.dialect.name != "sqlite")
    finally:
        engine.dispose()


def upgrade(study: str) -> str:
    """Bring a study up to date; gives the path of the copy that was made before, where it is a file.

    It is done in one transaction: what cannot be finished leaves the study as it was.
    """
    there = study_format(study)
    if not there.old or there.on_a_server:
        Study.open(study).close()
        return ""
    copy = _copy(Path(there.where), there.format)
    try:
        Study.open(study).close()
    except BaseException:
        copy.unlink(missing_ok=True)  # the study is as it was
        raise
    return str(copy)


def _copy(path: Path, version: int) -> Path:
    """The study as it is, with what is only in its log yet, beside it."""
    target = _free(path.with_name(f"{path.stem}.format-{version}{path.suffix}"))
    engine, _ = open_engine(str(path), False, True)
    try:
        with closing(engine.raw_connection()) as source, closing(sqlite3.connect(target)) as copy:
            source.driver_connection.backup(copy)  # type: ignore[union-attr]
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise StudyError(
            f"no copy of the study can be written beside it ({error}).",
            where=str(path),
            mend="Look at the folder's permissions and the room on its disk. The study was left as it is.",
        ) from error
    finally:
        engine.dispose()
    return target


def _free(path: Path) -> Path:
    """A name that nothing has."""
    name, number = path, 2
    while name.exists():
        name, number = path.with_name(f"{path.stem}-{number}{path.suffix}"), number + 1
    return name
