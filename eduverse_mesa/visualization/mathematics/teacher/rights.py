"""What is a teacher's own: her class, her groups, her sets, her problems. Others' are not there for her."""

from __future__ import annotations

import re
from typing import TypeVar

from starlette.exceptions import HTTPException

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import AccountRow, AssignmentRow, GroupRow, TalkRow
from eduverse_mesa.store.accounts import all_accounts, students_of
from eduverse_mesa.store.classwork import all_assignments, all_groups, find_talks
from eduverse_mesa.store.own_problems import ProblemRow, all_problems
from eduverse_mesa.visualization.mathematics.asking import Ask

_T = TypeVar("_T")

_ID = re.compile(r"[\w-]{16}", re.ASCII)
"""What an id looks like; anything else never was one."""

WHOLE_CLASS = "all"
"""Stands for a group in forms."""


def my_students(ask: Ask) -> list[AccountRow]:
    """The class of whoever asks."""
    return students_of(ask.study, ask.need("teacher").id)


def my_student(ask: Ask) -> AccountRow:
    """The student in the address. Of one who is erased, the id is all that is left of them, and that only there."""
    wanted = ask.path("student")
    found = [one for one in my_students(ask) if one.id == wanted]
    if not found and _ID.fullmatch(wanted) and all(one.id != wanted for one in all_accounts(ask.study)):
        raise HTTPException(404, "erased")
    return _own(found)


def my_groups(ask: Ask) -> list[GroupRow]:
    """Groups that the teacher has put together."""
    return all_groups(ask.study, ask.need("teacher").id)


def my_group(ask: Ask) -> GroupRow:
    """The group in the address."""
    return _own([one for one in my_groups(ask) if one.id == ask.path("group")])


def my_colleague(ask: Ask) -> AccountRow:
    """The teacher in the address, if she is whoever asks, or her account was made by her."""
    me = ask.need("teacher")
    teachers = [one for one in all_accounts(ask.study, "teacher") if me.id in (one.id, one.made_by)]
    return _own([one for one in teachers if one.id == ask.path("teacher")])


def my_sets(ask: Ask) -> list[tuple[AssignmentRow, tuple[str, ...]]]:
    """Sets that the teacher has given, each with who has it."""
    return all_assignments(ask.study, ask.need("teacher").id)


def my_set(ask: Ask) -> tuple[AssignmentRow, list[AccountRow]]:
    """The set in the address, and the students who have it."""
    row, who = _own([one for one in my_sets(ask) if one[0].id == ask.path("assignment")])
    return row, [one for one in my_students(ask) if one.id in who]


def my_pupils_talk(ask: Ask) -> tuple[TalkRow, AssignmentRow]:
    """The dialogue in the address, of a set that is the teacher's, or of a student of the class."""
    pupils = {one.id for one in my_students(ask)}
    mine = {row.id for row, _ in my_sets(ask)}
    there = find_talks(ask.study, run=ask.path("run"))
    talk = _own([one for one in there if one.assignment in mine or one.account in pupils])
    return talk, next(row for row, _ in all_assignments(ask.study) if row.id == talk.assignment)


def my_problems(ask: Ask) -> list[ProblemRow]:
    """Problems that the teacher has written."""
    return all_problems(ask.study, ask.need("teacher").id)


def my_problem(ask: Ask, wanted: str) -> ProblemRow:
    """One of them, by its id."""
    return _own([one for one in my_problems(ask) if one.id == wanted])


def chosen_students(ask: Ask) -> list[str]:
    """The students that a form names, by themselves or by their groups; others than one's own are refused."""
    mine = {one.id for one in my_students(ask)}
    groups = {one.id: one for one in my_groups(ask)}
    wanted = [*ask.form.get("student", [])]
    for one in ask.form.get("group", []):
        members = (student.id for student in my_students(ask)) if one == WHOLE_CLASS else (one,)
        wanted += groups[one].members if one in groups else members
    if not set(wanted) <= mine:
        raise StudyError("there is no such student in this class.", mend="It may have been erased; open the page anew.")
    return list(dict.fromkeys(wanted))


def _own(found: list[_T]) -> _T:
    if not found:
        raise HTTPException(404)
    return found[0]
