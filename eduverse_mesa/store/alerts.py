"""Alerts about texts that tell of harm, kept until somebody has looked at them and as long as what they were typed
into; and the adults whom children in trouble are sent to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, insert, or_, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.accounts import account, draw_id, students_of, teacher_of
from eduverse_mesa.store.rows import AccountRow, AlertRow, Place, TalkRow, Verdict
from eduverse_mesa.store.schema import accounts, alerts, assignments, runs, sittings, talks
from eduverse_mesa.store.settings import setting, write_setting
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study

_COLUMNS = tuple(alerts.c[name] for name in AlertRow._fields)


class PupilsAlert(NamedTuple):
    """An alert of a pupil's dialogue."""

    alert: AlertRow
    talk: TalkRow
    name: str
    """The name with which the pupil logs in."""
    title: str
    """The title of the set of problems."""


def alert_at(run: str, place: Place, speaker: str, text: str, *, participant: str | None = None) -> AlertRow:
    """Return a new alert: what was typed just now, and where."""
    return AlertRow(draw_id(), run, *place, speaker, text, now(), participant)


def insert_alert(connection: Connection, alert: AlertRow) -> None:
    """Keep an alert, in a transaction."""
    connection.execute(insert(alerts), alert._asdict())


def add_alert(study: Study, alert: AlertRow) -> None:
    """Keep an alert."""
    with study.transaction() as connection:
        study.check_run(connection, alert.run)
        insert_alert(connection, alert)


def all_alerts(study: Study) -> list[AlertRow]:
    """Return the alerts of a study, the newest first."""
    with study.transaction() as connection:
        return [AlertRow(*row) for row in connection.execute(select(*_COLUMNS).order_by(alerts.c.number.desc()))]


def alerts_of_lessons(study: Study) -> list[AlertRow]:
    """Return the alerts of lessons, learners and groups that are no pupil's, the newest first: a pupil's are their
    teacher's."""
    pupils = select(talks.c.run)
    with study.transaction() as connection:
        query = select(*_COLUMNS).where(alerts.c.run.not_in(pupils)).order_by(alerts.c.number.desc())
        return [AlertRow(*row) for row in connection.execute(query)]


def alerts_of(study: Study, participant: str) -> list[AlertRow]:
    """Return those of what a participant typed, the newest first; in a group's run, of whatever was typed there."""
    sat = select(sittings.c.run).join_from(sittings, runs, sittings.c.run == runs.c.id)
    in_groups = sat.where(sittings.c.participant == participant, runs.c.kind == "collaboration")
    wanted = or_(alerts.c.participant == participant, alerts.c.run.in_(in_groups))
    with study.transaction() as connection:
        query = select(*_COLUMNS).where(wanted).order_by(alerts.c.number.desc())
        return [AlertRow(*row) for row in connection.execute(query)]


def alerts_for(study: Study, teacher: str) -> list[PupilsAlert]:
    """Return the alerts that a teacher is responsible for, the newest first: of her class, and of the sets she gave."""
    mine = [one.id for one in students_of(study, teacher)]
    query = (
        select(*_COLUMNS, *(talks.c[name] for name in TalkRow._fields), accounts.c.name, assignments.c.title)
        .join_from(alerts, talks, alerts.c.run == talks.c.run)
        .join(accounts, accounts.c.id == talks.c.account)
        .join(assignments, assignments.c.id == talks.c.assignment)
        .where(or_(assignments.c.made_by == teacher, talks.c.account.in_(mine)))
        .order_by(alerts.c.number.desc())
    )
    wide, end = len(AlertRow._fields), len(AlertRow._fields) + len(TalkRow._fields)
    with study.transaction() as connection:
        return [
            PupilsAlert(AlertRow(*row[:wide]), TalkRow(*row[wide:end]), *row[end:])
            for row in map(tuple, connection.execute(query))
        ]


def settled(alert: AlertRow, verdict: Verdict, by: str) -> AlertRow | None:
    """Return an alert with what was made of it, by whom and when; an empty verdict takes back the one that stands.
    Whoever was first stays until then: None where somebody was, or nothing is there to be taken back. Every verdict is
    kept."""
    if bool(verdict) is bool(alert.verdict):
        return None
    at = now()
    every = msgspec.json.encode([*verdicts_on(alert), (verdict, by, at)]).decode()
    return alert._replace(verdict=verdict, settled_by=by, settled_at=at, verdicts=every)


def settle_alert(study: Study, alert: str, verdict: Verdict, by: str) -> bool:
    """Keep what was made of an alert, as `settled` has it; False where that says None, or there is no such alert."""
    there = alerts.c.id == alert
    with study.transaction() as connection:
        row = connection.execute(select(*_COLUMNS).where(there)).one_or_none()
        new = None if row is None else settled(AlertRow(*row), verdict, by)
        if row is None or new is None:
            return False
        # Two teachers at once: the second one finds that it does not stand any more.
        stands = there & (alerts.c.verdicts == AlertRow(*row).verdicts)
        return bool(connection.execute(update(alerts).where(stands).values(new._asdict())).rowcount)


def verdicts_on(alert: AlertRow) -> list[tuple[Verdict, str, str]]:
    """Return all that was made of an alert, the oldest first: the verdict, who said so and when."""
    return msgspec.json.decode(alert.verdicts, type=list[tuple[Verdict, str, str]])


def cleared_in(study: Study, run: str) -> frozenset[int]:
    """Return the messages of a run that were a false alarm, as somebody has said."""
    query = select(*_COLUMNS).where(alerts.c.run == run)
    with study.transaction() as connection:
        return cleared_by(AlertRow(*row) for row in connection.execute(query))


def cleared_by(found: Iterable[AlertRow]) -> frozenset[int]:
    """Return the messages of a dialogue that were a false alarm, by its alerts."""
    return frozenset(one.step for one in found if one.verdict == "false")


# --- the adult who is named ---

LONGEST = 80
"""Characters of each line about the adult."""
_KEY = "adult"


class Adult(msgspec.Struct, frozen=True):
    """The grown-up whom children in trouble are sent to, as a teacher has typed it."""

    name: str = ""
    """Their name, or what they are: "Ms Lee, our school nurse"."""
    reach: str = ""
    """Place or way to find them: "room 12, every break"."""
    line: str = ""
    """A help line, where there is one."""


def read_adult(study: Study, teacher: str = "") -> Adult:
    """Return the adult that a teacher has named, or else the one of the whole study; an empty one where nobody is."""
    for key in (f"{_KEY} {teacher}", _KEY) if teacher else (_KEY,):
        kept = setting(study, key)
        if kept is not None:
            return msgspec.json.decode(kept, type=Adult)
    return Adult()


def adult_for(study: Study, pupil: AccountRow) -> Adult:
    """Return the adult whom a pupil's teacher has named."""
    return read_adult(study, teacher_of(study, pupil))


def adult_in(study: Study, run: str) -> Adult:
    """Return the adult for whoever sits in a run: the one of the pupil's teacher, or else of the study."""
    with study.transaction() as connection:
        pupil = connection.execute(select(talks.c.account).where(talks.c.run == run)).scalar()
    return read_adult(study) if pupil is None else adult_for(study, account(study, pupil))


def name_adult(study: Study, adult: Adult, teacher: str = "") -> Adult:
    """Name the adult of a teacher's classes, or of the whole study; an empty one takes the name back. Gives it as it
    was kept."""
    kept = checked_adult(adult)
    key = f"{_KEY} {teacher}" if teacher else _KEY
    with study.transaction() as connection:
        write_setting(connection, key, None if kept == Adult() else msgspec.json.encode(kept).decode())
    return kept


def checked_adult(adult: Adult) -> Adult:
    """Return the adult with each line as one line; StudyError where one is too long, or there is no name."""
    name, reach, line = (" ".join(_visible(one).split()) for one in (adult.name, adult.reach, adult.line))
    for one in (name, reach, line):
        if len(one) > LONGEST:
            raise StudyError(f"this has {len(one)} characters; {LONGEST} are the most.", mend="Write it shorter.")
    if reach and not name:
        raise StudyError("there is a place, but nobody is named.", mend="Name the adult as well, or leave both empty.")
    return Adult(name, reach, line)


def _visible(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)
