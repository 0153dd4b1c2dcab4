"""What a group has said, step by step; an answer tells what a person's words meant, and not what they were."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select

from eduverse_mesa.store.alerts import alert_at, insert_alert
from eduverse_mesa.store.rows import AnswerRow, MessageRow
from eduverse_mesa.store.schema import messages
from eduverse_mesa.store.steps import insert_step, now
from eduverse_mesa.store.study import Study

SESSION = 1
"""A group's run is one session: one stretch of the log."""


def commit_message(
    study: Study,
    run: str,
    digest: str,
    answers: Sequence[AnswerRow],
    message: MessageRow,
    *,
    last: bool = False,
    alarming: bool = False,
) -> MessageRow:
    """A step with its message: written whole or not at all, and only after the one before it. With the `last` one the
    dialogue is over; an `alarming` one raises an alert. Gives it as it was written."""
    row = message._replace(at=message.at or now())
    with study.writing_step(run, SESSION, row.step, answers) as connection:
        insert_step(connection, run, SESSION, row.step, digest, answers, last=last)
        connection.execute(insert(messages), {"run": run, **row._asdict()})
        if alarming:
            alert = alert_at(run, (SESSION, row.step), row.speaker, row.text)
            insert_alert(connection, alert._replace(at=row.at))
    return row


def messages_of(study: Study, run: str, after: int = 0) -> list[MessageRow]:
    """What was said in a run after a step, in order."""
    columns = [messages.c[name] for name in MessageRow._fields]
    query = select(*columns).where(messages.c.run == run, messages.c.step > after).order_by(messages.c.step)
    with study.transaction() as connection:
        study.check_run(connection, run)
        return [MessageRow(*row) for row in connection.execute(query)]
