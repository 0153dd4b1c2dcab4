"""What students have to do: groups, sets of problems, their dialogues, consent, and what they say at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, delete, func, insert, select, update

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store.accounts import check_account, checked_name, checked_title, draw_id, forgive_name
from eduverse_mesa.store.purge import Due, add_due
from eduverse_mesa.store.rows import AssignmentRow, GroupRow, TalkRow
from eduverse_mesa.store.run_list import delete_rows
from eduverse_mesa.store.schema import (
    account_groups,
    accounts,
    assigned,
    assignments,
    consents,
    group_members,
    logins,
    messages,
    own_problems,
    runs,
    surveys,
    talks,
)
from eduverse_mesa.store.steps import now
from eduverse_mesa.store.study import Study

_ASSIGNMENT = tuple(assignments.c[name] for name in AssignmentRow._fields)
_TALK = tuple(talks.c[name] for name in TalkRow._fields)


# --- groups ---


def add_group(study: Study, name: str, members: Iterable[str], made_by: str) -> GroupRow:
    """Put students together."""
    row = GroupRow(draw_id(), checked_name(name, study.path), made_by, tuple(dict.fromkeys(members)))
    with study.transaction() as connection:
        _check_students(connection, row.members, study.path)
        connection.execute(
            insert(account_groups), {"id": row.id, "name": row.name, "made_by": made_by, "created": now()}
        )  # fmt: skip
        if row.members:
            connection.execute(insert(group_members), [{"of_group": row.id, "account": one} for one in row.members])
    return row


def change_group(study: Study, group: str, name: str, members: Iterable[str]) -> None:
    """Give a group another name and other members."""
    kept = checked_name(name, study.path)
    wanted = tuple(dict.fromkeys(members))
    with study.transaction() as connection:
        _check_students(connection, wanted, study.path)
        connection.execute(update(account_groups).where(account_groups.c.id == group).values(name=kept))
        connection.execute(delete(group_members).where(group_members.c.of_group == group))
        if wanted:
            connection.execute(insert(group_members), [{"of_group": group, "account": one} for one in wanted])


def delete_group(study: Study, group: str) -> None:
    """Take a group apart; its members stay."""
    with study.transaction() as connection:
        connection.execute(delete(group_members).where(group_members.c.of_group == group))
        connection.execute(delete(account_groups).where(account_groups.c.id == group))


def all_groups(study: Study, made_by: str | None = None) -> list[GroupRow]:
    """All groups with their members, or those that a teacher has put together, oldest first."""
    with study.transaction() as connection:
        found: dict[str, list[str]] = {}
        joined = select(group_members).join_from(group_members, accounts).order_by(accounts.c.number)
        for group, member in connection.execute(joined):
            found.setdefault(group, []).append(member)
        columns = account_groups.c.id, account_groups.c.name, account_groups.c.made_by
        query = select(*columns).order_by(account_groups.c.number)
        if made_by is not None:
            query = query.where(account_groups.c.made_by == made_by)
        return [GroupRow(*row, tuple(found.get(row.id, ()))) for row in connection.execute(query)]


def _check_students(connection: Connection, members: Iterable[str], where: str) -> None:
    for one in members:
        row = check_account(connection, one, where)
        if row.role != "student":
            raise StudyError(f"'{row.name}' is no student.", where=where, mend="Choose students.")


# --- assignments ---


def add_assignment(study: Study, title: str, setup: str, students: Iterable[str], made_by: str) -> AssignmentRow:
    """Give students a set of problems. `setup`: the collaboration as JSON."""
    row = AssignmentRow(draw_id(), checked_title(title, study.path), setup, made_by, now())
    with study.transaction() as connection:
        connection.execute(insert(assignments), row._asdict())
        _assign(connection, row.id, students, study.path)
    return row


def assign(study: Study, assignment: str, students: Iterable[str]) -> None:
    """Give it to more students; those who have it keep it."""
    with study.transaction() as connection:
        _assign(connection, assignment, students, study.path)


def _assign(connection: Connection, assignment: str, students: Iterable[str], where: str) -> None:
    wanted = tuple(dict.fromkeys(students))
    _check_students(connection, wanted, where)
    there = set(connection.execute(select(assigned.c.account).where(assigned.c.assignment == assignment)).scalars())
    new = [{"assignment": assignment, "account": one} for one in wanted if one not in there]
    if new:
        connection.execute(insert(assigned), new)


def change_assignment(study: Study, assignment: str, title: str, setup: str) -> None:
    """Another title or other problems and rules; who has it keeps it."""
    kept = checked_title(title, study.path)
    with study.transaction() as connection:
        changed = update(assignments).where(assignments.c.id == assignment)
        connection.execute(changed.values(title=kept, setup=setup))


def withdraw(study: Study, assignment: str, students: Iterable[str]) -> None:
    """These have it no more; those who have begun it keep it."""
    begun = select(talks.c.account).where(talks.c.assignment == assignment)
    gone = (assigned.c.assignment == assignment) & assigned.c.account.in_(list(students))
    with study.transaction() as connection:
        connection.execute(delete(assigned).where(gone, assigned.c.account.not_in(begun)))


def all_assignments(study: Study, made_by: str | None = None) -> list[tuple[AssignmentRow, tuple[str, ...]]]:
    """All of them with the accounts that have them, or those that a teacher gave, oldest first."""
    with study.transaction() as connection:
        who: dict[str, list[str]] = {}
        joined = select(assigned.c.assignment, assigned.c.account).join_from(assigned, accounts)
        for assignment, one in connection.execute(joined.order_by(accounts.c.number)):
            who.setdefault(assignment, []).append(one)
        query = select(*_ASSIGNMENT).order_by(assignments.c.number)
        if made_by is not None:
            query = query.where(assignments.c.made_by == made_by)
        rows = [AssignmentRow(*row) for row in connection.execute(query)]
    return [(row, tuple(who.get(row.id, ()))) for row in rows]


def assignment_row(study: Study, wanted: str) -> AssignmentRow:
    """A set, by its id."""
    with study.transaction() as connection:
        row = connection.execute(select(*_ASSIGNMENT).where(assignments.c.id == wanted)).first()
    if row is None:
        raise StudyError("there is no such set of problems.", where=study.path, mend="It may have been deleted.")
    return AssignmentRow(*row)


def assignments_of(study: Study, student: str) -> list[AssignmentRow]:
    """What a student has to do, oldest first."""
    query = select(*_ASSIGNMENT).join_from(assignments, assigned).where(assigned.c.account == student)
    with study.transaction() as connection:
        return [AssignmentRow(*row) for row in connection.execute(query.order_by(assignments.c.number))]


# --- dialogues ---


def find_talks(study: Study, **of: str) -> list[TalkRow]:
    """Dialogues, all or those of a `run`, an `account`, an `assignment`, a `problem`."""
    query = select(*_TALK)
    for name, value in of.items():
        query = query.where(talks.c[name] == value)
    with study.transaction() as connection:
        return sorted(TalkRow(*row) for row in connection.execute(query))  # a server may order letters in another way


def how_far(study: Study, student: str, assignment: str) -> dict[str, bool]:
    """The problems of a set that a student has begun, and which of them are over."""
    query = select(talks.c.problem, runs.c.status).join_from(talks, runs, talks.c.run == runs.c.id)
    one = (talks.c.account == student) & (talks.c.assignment == assignment)
    with study.transaction() as connection:
        return {problem: status == "complete" for problem, status in connection.execute(query.where(one))}


class Progress(NamedTuple):
    """How far a dialogue is, without reading it whole."""

    talk: TalkRow
    over: bool
    messages: int
    stage: str
    """Of the message that was said last; empty before the first."""
    speaker: str
    text: str
    at: str
    spoke: str
    """When the student said something last."""


def progress_of(study: Study, assignment: str) -> list[Progress]:
    """How far all dialogues of a set are: it is asked every few seconds."""
    said = messages.c.speaker != ""
    # What people said came with a key.
    spoke = func.max(case((messages.c.key.is_not(None), messages.c.at))).label("spoke")
    last = (
        select(messages.c.run, func.max(messages.c.step).label("step"), func.count().label("n"), spoke)
        .where(said, messages.c.run.in_(select(talks.c.run).where(talks.c.assignment == assignment)))
        .group_by(messages.c.run)
        .subquery()
    )
    columns = messages.c.stage, messages.c.speaker, messages.c.text, messages.c.at, last.c.spoke
    query = (
        select(*_TALK, runs.c.status, last.c.n, *columns)
        .join_from(talks, runs, talks.c.run == runs.c.id)
        .outerjoin(last, last.c.run == talks.c.run)
        .outerjoin(messages, (messages.c.run == talks.c.run) & (messages.c.step == last.c.step))
        .where(talks.c.assignment == assignment)
    )
    with study.transaction() as connection:
        return [
            Progress(TalkRow(*row[:4]), row[4] == "complete", row[5] or 0, *(cell or "" for cell in row[6:]))
            for row in connection.execute(query)
        ]


# --- consent and the exit survey ---


def consent(study: Study, account: str, wording: str) -> None:
    """A student has agreed to this."""
    with study.transaction() as connection:
        connection.execute(delete(consents).where(consents.c.account == account))
        connection.execute(insert(consents), {"account": account, "wording": wording, "at": now()})


def has_consented(study: Study, account: str) -> bool:
    """Whether a student has agreed."""
    with study.transaction() as connection:
        return connection.execute(select(consents.c.at).where(consents.c.account == account)).first() is not None


def save_survey(study: Study, account: str, assignment: str, answers: Mapping[str, int]) -> None:
    """What a student says at the end, from 1 to 5; said again, the later one counts."""
    one = (surveys.c.account == account) & (surveys.c.assignment == assignment)
    rows: list[dict[str, Any]] = [
        {"account": account, "assignment": assignment, "item": item, "answer": answer, "at": now()}
        for item, answer in answers.items()
    ]
    with study.transaction() as connection:
        connection.execute(delete(surveys).where(one))
        connection.execute(insert(surveys), rows)


def surveys_of(study: Study, assignment: str) -> dict[str, dict[str, int]]:
    """What each account has answered."""
    query = select(surveys.c.account, surveys.c.item, surveys.c.answer).where(surveys.c.assignment == assignment)
    found: dict[str, dict[str, int]] = {}
    with study.transaction() as connection:
        for account, item, answer in connection.execute(query):
            found.setdefault(account, {})[item] = answer
    return found


# --- erasing ---


def erase_assignment(study: Study, assignment: str, due: Due | None = None) -> list[str]:
    """Take a set out with all that was said and answered in it, in one transaction; gives the runs that went."""
    with study.transaction() as connection:
        gone = list(connection.execute(select(talks.c.run).where(talks.c.assignment == assignment)).scalars())
        delete_rows(connection, gone)
        for table in (surveys, assigned):
            connection.execute(delete(table).where(table.c.assignment == assignment))
        connection.execute(delete(assignments).where(assignments.c.id == assignment))
        if due is not None:
            add_due(connection, due, gone)
    return gone


def erase_student(study: Study, student: str, due: Due | None = None) -> list[str]:
    """Take a student out with everything that is theirs, in one transaction; gives the runs that went.

    What was overwritten may still stand in the file's free pages until it is purged (`purge.py`). `due` is noted
    with the runs in the same transaction.
    """
    with study.transaction() as connection:
        row = check_account(connection, student, study.path)
        if row.role != "student":
            raise StudyError(f"'{row.name}' is no student.", where=study.path, mend="Only students are erased so.")
        gone = list(connection.execute(select(talks.c.run).where(talks.c.account == student)).scalars())
        delete_rows(connection, gone)
        for table in (logins, group_members, assigned, consents, surveys):
            connection.execute(delete(table).where(table.c.account == student))
        forgive_name(connection, row.name)
        connection.execute(delete(accounts).where(accounts.c.id == student))
        if due is not None:
            add_due(connection, due, gone)
    return gone


class ProblemRow(NamedTuple):
    """A problem as its teacher wrote it."""

    id: str
    name: str
    document: str
    made_by: str
    updated: str


_COLUMNS = tuple(own_problems.c[name] for name in ProblemRow._fields)


def save_problem(study: Study, name: str, document: str, made_by: str) -> ProblemRow:
    """Keep a problem; one of the same name by the same teacher is written over."""
    row = ProblemRow(draw_id(), name, document, made_by, now())
    same = (own_problems.c.name == name) & (own_problems.c.made_by == made_by)
    with study.transaction() as connection:
        connection.execute(delete(own_problems).where(same))
        connection.execute(insert(own_problems), row._asdict())
    return row


def all_problems(study: Study, made_by: str | None = None) -> list[ProblemRow]:
    """All of them, or a teacher's own, oldest first."""
    query = select(*_COLUMNS).order_by(own_problems.c.number)
    if made_by is not None:
        query = query.where(own_problems.c.made_by == made_by)
    with study.transaction() as connection:
        return [ProblemRow(*row) for row in connection.execute(query)]


def delete_problem(study: Study, wanted: str) -> None:
    """Take a problem out; sets that were given keep their copy of it."""
    with study.transaction() as connection:
        connection.execute(delete(own_problems).where(own_problems.c.id == wanted))
