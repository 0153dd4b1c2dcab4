"""Dialogues of students: begun whole or not at all, written message by message, and taken out when they were kept long
enough; how long they are kept, and who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select

from eduverse_mesa.store.accounts import classes_of
from eduverse_mesa.store.alerts import alert_at, insert_alert
from eduverse_mesa.store.purge import Due, add_due
from eduverse_mesa.store.rows import MessageRow, RunRow, TalkRow
from eduverse_mesa.store.run_list import delete_rows
from eduverse_mesa.store.schema import alerts, consents, messages, runs, surveys, talks
from eduverse_mesa.store.settings import read_setting, write_setting
from eduverse_mesa.store.steps import insert_run, now
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


class Term(NamedTuple):
    """Until when the dialogues of these pupils are kept."""

    pupils: tuple[str, ...]
    before: str
    """The moment before which what was said last is old."""


class Old(NamedTuple):
    """Dialogues that were kept long enough, with what belongs to them."""

    runs: list[str]
    pupils: tuple[str, ...]
    """Pupils whose dialogues they are."""
    alerts: int
    """Calls for help in them, each of them settled."""
    surveys: int
    """Answers to items of it."""
    waiting: tuple[str, ...]
    """Pupils whose dialogues stay, however old, because a call for help in them is not settled."""

    @property
    def is_nothing(self) -> bool:
        """True if nothing goes."""
        return not self.runs and not self.surveys


def keep_days(study: Study, teacher: str = "") -> int | None:
    """For how many days after its last message a dialogue of a teacher's class is kept, or of any class whose teacher
    has not said so; None: until somebody erases it."""
    with study.transaction() as connection:
        return _keep_days(connection, teacher)


def _keep_days(connection: Connection, teacher: str) -> int | None:
    own = read_setting(connection, f"{_DAYS} {teacher}") if teacher else None
    kept = read_setting(connection, _DAYS) if own is None else own
    return int(kept) if kept else None


def set_keep_days(study: Study, days: int | None, teacher: str = "") -> bool:
    """Keep dialogues of a teacher's class so long, or those of all classes whose teacher has not said so. Whether that
    is longer than students were told: those have to agree anew, and what they agreed to before counts no more."""
    classes = classes_of(study)
    with study.transaction() as connection:
        before = {one: _keep_days(connection, one) for one in classes}
        if teacher:
            as_all = _keep_days(connection, "") == days
            write_setting(connection, f"{_DAYS} {teacher}", None if as_all else "" if days is None else str(days))
        else:
            write_setting(connection, _DAYS, None if days is None else str(days))
        longer = [one for one in classes if _is_longer(_keep_days(connection, one), before[one])]
        for one in longer:
            connection.execute(delete(consents).where(consents.c.account.in_([row.id for row in classes[one]])))
    return bool(longer)


def _is_longer(days: int | None, before: int | None) -> bool:
    return before is not None and (days is None or days > before)


def set_reader(study: Study, reader: str) -> bool:
    """Set where a language model reads what students write. Return True if that is more than they were told: then they
    have to agree anew, as above."""
    with study.transaction() as connection:
        before = read_setting(connection, _READER) or ""
        write_setting(connection, _READER, reader or None)
        more = bool(reader) and reader != before
        if more:
            connection.execute(delete(consents))
    return more


def find_old(study: Study, terms: Sequence[Term]) -> Old:
    """Dialogues in which nothing was said since then, begun before it, and answers given before it."""
    with study.transaction() as connection:
        return _old(connection, terms)


def take_out_old(study: Study, terms: Sequence[Term], due: Due | None = None) -> Old:
    """Take them out in one transaction, with what is due then; that they leave no byte is another's work."""
    with study.transaction() as connection:
        found = _old(connection, terms)
        delete_rows(connection, found.runs)
        for term in terms:
            connection.execute(delete(surveys).where(_answered(term)))
        if due is not None:
            add_due(connection, due, found.runs)
    return found


def is_said(study: Study, text: str) -> bool:
    """Return True if the text stands in some message."""
    with study.transaction() as connection:
        query = select(messages.c.run).where(messages.c.text.contains(text, autoescape=True))
        return connection.execute(query.limit(1)).first() is not None


def _old(connection: Connection, terms: Sequence[Term]) -> Old:
    rows = [(row.run, row.account) for term in terms for row in connection.execute(_talks_of(term))]
    open_yet = set(connection.execute(select(alerts.c.run).where(alerts.c.verdict == "")).scalars())
    going = {run: pupil for run, pupil in rows if run not in open_yet}
    called = connection.execute(select(alerts.c.run)).scalars()
    return Old(
        sorted(going),
        tuple(dict.fromkeys(going.values())),
        sum(run in going for run in called),
        sum(
            connection.execute(select(func.count()).select_from(surveys).where(_answered(term))).scalar_one()
            for term in terms
        ),
        tuple(dict.fromkeys(pupil for run, pupil in rows if run in open_yet)),
    )


def _talks_of(term: Term) -> Select[Any]:
    last = func.coalesce(func.max(messages.c.at), runs.c.created)
    return (
        select(talks.c.run, talks.c.account)
        .join_from(talks, runs, talks.c.run == runs.c.id)
        .outerjoin(messages, messages.c.run == talks.c.run)
        .where(talks.c.account.in_(term.pupils))
        .group_by(talks.c.run, talks.c.account, runs.c.created)
        .having(last < term.before)
        .order_by(talks.c.account, talks.c.run)
    )


def _answered(term: Term) -> ColumnElement[bool]:
    return (surveys.c.at < term.before) & surveys.c.account.in_(term.pupils)


SESSION = 1
"""A group's run is one session: one stretch of the log."""


def insert_message(connection: Connection, run: str, message: MessageRow, *, alarming: bool) -> None:
    """Write the message of a step, in its transaction; an `alarming` one raises an alert."""
    row = message._replace(at=message.at or now())
    connection.execute(insert(messages), {"run": run, **row._asdict()})
    if alarming:
        alert = alert_at(run, (SESSION, row.step), row.speaker, row.text)
        insert_alert(connection, alert._replace(at=row.at))


def messages_of(study: Study, run: str, after: int = 0) -> list[MessageRow]:
    """Return the messages of a run after a step, in order."""
    columns = [messages.c[name] for name in MessageRow._fields]
    query = select(*columns).where(messages.c.run == run, messages.c.step > after).order_by(messages.c.step)
    with study.transaction() as connection:
        study.check_run(connection, run)
        return [MessageRow(*row) for row in connection.execute(query)]
