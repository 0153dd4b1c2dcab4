"""Parts that several of the teacher's pages share."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TypeVar

from starlette.exceptions import HTTPException

from eduverse_mesa.errors import StudyError
from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import Ask
from eduverse_mesa.store import AccountRow, AssignmentRow, GroupRow, TalkRow
from eduverse_mesa.store.accounts import all_accounts, students_of
from eduverse_mesa.store.classwork import ProblemRow, all_assignments, all_groups, all_problems, find_talks

NOTHING = "–"
"""In a cell of which there is nothing to tell."""


def table(heads: list[str], rows: list[list[object]], **attributes: object) -> Markup:
    """A table with a head. On a phone each row becomes a list, unless its class is `ev-grid`."""
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") if one else tag("td") for one in heads)))
    lines = [
        tag(
            "tr",
            *(
                tag("td", cell, data_label=head or None, class_="ev-none" if cell == NOTHING else None)
                for head, cell in zip(heads, row, strict=True)
            ),
        )
        for row in rows
    ]
    body = tag("tbody", *lines)
    return tag("div", tag("table", head, body, **attributes), class_="ev-scroll", tabindex="0")


def navigation(ask: Ask) -> Markup:
    """The teacher's pages."""
    pages = {name: ask.say(f"teach.{name}") for name in ("class", "sets", "problems")}
    pages |= {"alerts": ask.t("alerts.title"), "data": ask.say("data.title")}
    here = ask.request.url.path.split("/")[1]
    links = [
        tag("a", said, href=f"/{name}", aria_current="page" if name == here else None) for name, said in pages.items()
    ]
    return tag("nav", *links, aria_label=ask.say("teach.pages"))


def boxes(name: str, choices: list[tuple[str, str]], legend: str, ticked: Collection[str] = ()) -> Markup:
    """Boxes to tick."""
    ticks = [
        tag("label", tag("input", type="checkbox", name=name, value=value, checked=value in ticked), f" {said}")
        for value, said in choices
    ]
    return tag("fieldset", tag("legend", legend), tag("div", *ticks, class_="ev-columns"))


def choice(name: str, choices: list[tuple[str, str]], chosen: str, **attributes: object) -> Markup:
    """A list to choose one from."""
    given = [tag("option", said, value=value, selected=value == chosen) for value, said in choices]
    return tag("select", *given, name=name, **attributes)


def whole(text: str, least: int, most: int) -> int | None:
    """The whole number that was typed, if it lies between these; with however many zeros before it."""
    found = re.fullmatch(r"0*(\d{1,9})", text.strip(), re.ASCII)
    return int(found[1]) if found and least <= int(found[1]) <= most else None


def sure(ask: Ask, action: str, question: str, button: str, back: str, **attributes: object) -> Markup:
    """Asked once more, with a way back."""
    return ask.form_tag(
        action,
        tag("input", type="hidden", name="sure", value="yes"),
        tag("p", question),
        tag("div", tag("button", button, **attributes), tag("a", ask.teach("cancel"), href=back), class_="ev-doings"),
        class_="ev-card",
    )


_T = TypeVar("_T")

_ID = re.compile(r"[\w-]{16}", re.ASCII)
"""Form of an id; anything else never was one."""

WHOLE_CLASS = "all"
"""Stands for a group in forms."""


def my_students(ask: Ask) -> list[AccountRow]:
    """The class of whoever asks."""
    return students_of(ask.study, ask.need("teacher").id)


def my_student(ask: Ask) -> AccountRow:
    """Return the student in the address. Of a student who is erased, the id is all that is left, and that only
    there."""
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
