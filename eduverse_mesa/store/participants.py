"""The participants of a study, and their sittings."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.rows import ParticipantRow, Place, Role, SittingRow
from eduverse_mesa.store.schema import participants, sittings
from eduverse_mesa.store.steps import now

_COLUMNS = tuple(participants.c[name] for name in ParticipantRow._fields)


def add(connection: Connection, label: str, role: Role, where: str) -> ParticipantRow:
    """Enter a person. Numbers are never given twice, so that what a person left cannot become another's."""
    if not label.strip():
        raise StudyError("a participant needs a name.", where=where, mend="Give a name, or a pseudonym.")
    last = connection.execute(select(func.max(participants.c.number))).scalar() or 0
    row = ParticipantRow(f"p{last + 1}", label, role, "present", now())
    connection.execute(insert(participants), {"number": last + 1, **row._asdict()})
    return row


def find_all(connection: Connection) -> list[ParticipantRow]:
    """All of them, in the order in which they came."""
    return [ParticipantRow(*row) for row in connection.execute(select(*_COLUMNS).order_by(participants.c.number))]


def find(connection: Connection, participant: str, where: str) -> ParticipantRow:
    """One of them."""
    row = connection.execute(select(*_COLUMNS).where(participants.c.id == participant)).first()
    if row is not None:
        return ParticipantRow(*row)
    known = [one.id for one in find_all(connection)]
    hint = f"There are {', '.join(known[-5:])}." if known else "Nobody has taken part in it."
    raise StudyError(f"there is no participant '{participant}'.", where=where, mend=hint)


def sit_down(connection: Connection, participant: str, run: str, agent: str, since: Place, where: str) -> None:
    """Let a person answer for an agent from this step on."""
    if find(connection, participant, where).state != "present":
        raise StudyError(f"participant {participant} was erased.", where=where, mend="Enter the person anew.")
    there = select(sittings.c.participant).where(
        sittings.c.run == run, sittings.c.agent == agent, sittings.c.to_step.is_(None)
    )
    taken = connection.execute(there).scalar()
    if taken is not None:
        raise StudyError(
            f"{taken} sits as {agent} in run {run} already.", where=where, mend="Only one person answers for an agent."
        )
    lesson, step = since
    connection.execute(
        insert(sittings),
        {"participant": participant, "run": run, "agent": agent, "from_lesson": lesson, "from_step": step},
    )


def sat(connection: Connection, row: SittingRow, where: str) -> None:
    """A person has answered for an agent, and does no more."""
    sit_down(connection, row.participant, row.run, row.agent, row.since, where)
    if row.until is not None:
        stand_up(connection, row.run, row.agent, row.until, where, row.reason)


def stand_up(connection: Connection, run: str, agent: str, until: Place, where: str, reason: str = "") -> None:
    """Let nobody answer for an agent after this step; who leaves before the first step was never there."""
    open_one = (sittings.c.run == run) & (sittings.c.agent == agent) & sittings.c.to_step.is_(None)
    row = connection.execute(select(sittings.c.number, sittings.c.from_lesson, sittings.c.from_step).where(open_one))
    found = row.first()
    if found is None:
        raise StudyError(f"nobody sits as {agent} in run {run}.", where=where)
    one = sittings.c.number == found.number
    if until < (found.from_lesson, found.from_step):
        connection.execute(delete(sittings).where(one))
    else:
        connection.execute(update(sittings).where(one).values(to_lesson=until[0], to_step=until[1], reason=reason))


def sittings_of(connection: Connection, run: str | None, participant: str | None) -> list[SittingRow]:
    """Sittings in the order in which they began."""
    query = select(sittings).order_by(sittings.c.number)
    if run is not None:
        query = query.where(sittings.c.run == run)
    if participant is not None:
        query = query.where(sittings.c.participant == participant)
    return [
        SittingRow(
            row.participant,
            row.run,
            row.agent,
            (row.from_lesson, row.from_step),
            None if row.to_step is None else (row.to_lesson, row.to_step),
            row.reason,
        )
        for row in connection.execute(query)
    ]
