"""Dialogues of students: begun whole or not at all, and taken out when they were kept long enough."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from eduverse_mesa.store.due import Due, add_due
from eduverse_mesa.store.managing import delete_rows
from eduverse_mesa.store.rows import RunRow, TalkRow
from eduverse_mesa.store.schema import consents, messages, runs, surveys, talks
from eduverse_mesa.store.settings import read_setting, setting, write_setting
from eduverse_mesa.store.steps import insert_run
from eduverse_mesa.store.study import Study

_DAYS, _READER = "keep_days", "read_by"


def begin_dialogue(study: Study, row: RunRow, talk: TalkRow) -> None:
    """Enter a run together with whose it is: a run that were nobody's would hold a student's name, and stay when the
    student is erased."""
    with study.transaction() as connection:
        insert_run(connection, row)
        connection.execute(insert(talks), talk._asdict())


class Keep(NamedTuple):
    """A decision on how long dialogues are kept."""

    days: int | None
    """After the last message; None: until somebody erases them."""


class Old(NamedTuple):
    """What was kept long enough."""

    runs: list[str]
    surveys: int
    """Answers to items of it."""


def keep_days(study: Study) -> int | None:
    """For how many days after its last message a dialogue is kept; None: until somebody erases it."""
    return _number(setting(study, _DAYS))


def _number(kept: str | None) -> int | None:
    return None if kept is None else int(kept)


def set_keep_days(study: Study, days: int | None) -> bool:
    """Keep dialogues so long. Whether that is longer than students were told: those have to agree anew, and what they
    agreed to before counts no more."""
    with study.transaction() as connection:
        before = _number(read_setting(connection, _DAYS))
        longer = before is not None and (days is None or days > before)
        write_setting(connection, _DAYS, None if days is None else str(days))
        if longer:
            connection.execute(delete(consents))
    return longer


def set_reader(study: Study, reader: str) -> bool:
    """Where a language model reads what students write. Whether that is more than they were told, as above."""
    with study.transaction() as connection:
        before = read_setting(connection, _READER) or ""
        write_setting(connection, _READER, reader or None)
        more = bool(reader) and reader != before
        if more:
            connection.execute(delete(consents))
    return more


def find_old(study: Study, before: str) -> Old:
    """Dialogues in which nothing was said since then, begun before it, and answers given before it."""
    with study.transaction() as connection:
        return _old(connection, before)


def take_out_old(study: Study, before: str, due: Due | None = None) -> Old:
    """Take them out in one transaction, with what is due then; that they leave no byte is another's work."""
    with study.transaction() as connection:
        found = _old(connection, before)
        delete_rows(connection, found.runs)
        connection.execute(delete(surveys).where(surveys.c.at < before))
        if due is not None:
            add_due(connection, due, found.runs)
    return found


def is_said(study: Study, text: str) -> bool:
    """Whether it stands in some message."""
    with study.transaction() as connection:
        query = select(messages.c.run).where(messages.c.text.contains(text, autoescape=True))
        return connection.execute(query.limit(1)).first() is not None


def _old(connection: Connection, before: str) -> Old:
    last = func.coalesce(func.max(messages.c.at), runs.c.created)
    query = (
        select(talks.c.run)
        .join_from(talks, runs, talks.c.run == runs.c.id)
        .outerjoin(messages, messages.c.run == talks.c.run)
        .group_by(talks.c.run, runs.c.created)
        .having(last < before)
    )
    answered = select(func.count()).select_from(surveys).where(surveys.c.at < before)
    return Old(sorted(connection.execute(query).scalars()), connection.execute(answered).scalar_one())
