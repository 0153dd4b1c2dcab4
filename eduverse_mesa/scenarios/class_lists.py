"""Class lists from a spreadsheet: a table with a column of names, or names one a line, as a class."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.decoding import decode_marked
from eduverse_mesa.scenarios.plain import UNWANTED, Plain, Reading, Spot, Trail

SUFFIXES = (".csv", ".tsv")
_SEPARATORS = ("\t", ";", "；", ",", "，")
_COLUMNS = {
    "name": "name", "names": "name", "full name": "name", "student": "name", "students": "name", "student name": "name",
    "pupil": "name", "pupils": "name", "姓名": "name", "名字": "name", "学生": "name", "学生姓名": "name",
    "first name": "first", "forename": "first", "given name": "first", "名": "first",
    "last name": "last", "surname": "last", "family name": "last", "姓": "last", "姓氏": "last",
    "age": "age", "年龄": "age", "gender": "gender", "sex": "gender", "性别": "gender",
    "group": "group", "小组": "group", "组": "group", "组别": "group", "seat": "seat", "座位": "seat",
}  # fmt: skip
"""Headers by what the column holds; other columns are not read."""
_GENDERS = {
    "m": "M", "male": "M", "boy": "M", "男": "M", "f": "F", "female": "F", "girl": "F", "w": "F", "女": "F",
    "x": "X", "": "X",
}  # fmt: skip
_HEADER_WITHIN = 10
"""Rows among which the header is looked for; above it may stand what the class is called."""
_SAVE = "In the spreadsheet choose 'Save as' and the format 'CSV UTF-8', and give that file."
_HAN = re.compile(r"[\u3400-\u9fff]")


class _Row(NamedTuple):
    line: int
    cells: list[str]


def read_class_list(content: bytes, label: str) -> Reading:
    """The class of a list. Of its students only what the list says is held: all else about them is average."""
    text = decode_marked(content, label, _SAVE)
    if match := UNWANTED.search(text):
        line = text.count("\n", 0, match.start()) + 1
        mend = "Remove it, or save the list as CSV UTF-8."
        raise ScenarioError(f"line {line} holds a character that is no text.", where=label, mend=mend)
    rows, columns = _read_table(text, label)
    values: dict[Trail, Spot] = {(): Spot(label)}
    students: list[Plain] = []
    for row in rows:
        student = _read_student(row, columns, label)
        at = ("students", len(students))
        values[at] = Spot(label, row.line, 1)
        for key in student:
            values[(*at, key)] = Spot(label, row.line, 1)
        students.append(student)
    if not students:
        raise ScenarioError("the list names nobody.", where=label, mend="Write one student a line below the header.")
    teacher = "老师" if _HAN.search(text) else "Teacher"
    values[("students",)] = values[("teacher",)] = values[("teacher", "name")] = Spot(label)
    return Reading({"kind": "class", "name": "class_list", "teacher": {"name": teacher}, "students": students}, values)


def _read_table(text: str, label: str) -> tuple[list[_Row], dict[str, int]]:
    """The rows below the header, and the columns by what they hold."""
    lines = text.splitlines()
    for separator in _SEPARATORS:
        table = [row for row in _split(text, separator) if any(row.cells)]
        for place, row in enumerate(table[:_HEADER_WITHIN]):
            columns = _columns_of(row)
            if "name" in columns or {"first", "last"} <= columns.keys():
                return table[place + 1 :], columns
    if any(separator in line for line in lines for separator in _SEPARATORS):
        mend = "Write 'name' (or 姓名) above the column that holds the names."
        raise ScenarioError("no column of names was found.", where=label, mend=mend)
    return [_Row(number, [line.strip()]) for number, line in enumerate(lines, 1) if line.strip()], {"name": 0}


def _split(text: str, separator: str) -> Iterator[_Row]:
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    try:
        for cells in reader:
            yield _Row(reader.line_num, [" ".join(cell.split()) for cell in cells])
    except csv.Error:
        return


def _columns_of(row: _Row) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, cell in enumerate(row.cells):
        if what := _COLUMNS.get(cell.casefold()):
            found.setdefault(what, place)
    return found


def _read_student(row: _Row, columns: dict[str, int], label: str) -> dict[str, Plain]:
    said = {what: row.cells[place] for what, place in columns.items() if place < len(row.cells)}
    where = str(Spot(label, row.line, 1))
    name = said.get("name") or _joined(said.get("first", ""), said.get("last", ""))
    if not name:
        raise ScenarioError("this line names nobody.", where=where, mend="Write the name, or take the line out.")
    student: dict[str, Plain] = {"name": name}
    if age := said.get("age", ""):
        if not re.fullmatch(r"\d{1,2}", age):
            raise ScenarioError(f"'{age[:40]}' is no age.", where=where, mend="Write the years, such as 13.")
        student["age"] = int(age)
    gender = _GENDERS.get(said.get("gender", "").casefold())
    if gender is None:
        mend = "Write F, M or X (女、男), or leave it empty."
        raise ScenarioError(f"'{said['gender'][:40]}' is not read as a gender.", where=where, mend=mend)
    if gender != "X":
        student["gender"] = gender
    return student | {key: said[key] for key in ("group", "seat") if said.get(key)}


def _joined(first: str, last: str) -> str:
    return f"{last}{first}" if _HAN.search(first + last) else f"{first} {last}".strip()
