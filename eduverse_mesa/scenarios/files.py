"""Documents, class lists and plain texts from files: size and kind are looked at before a single byte is read."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.plain import UNWANTED, Plain, Reading, Spot, Trail
from eduverse_mesa.scenarios.yaml_text import parse


def decode(content: bytes, label: str, mend: str) -> str:
    """The UTF-8 text of a file, without its byte order mark; ScenarioError with the line where it is none."""
    return _decode(content, "utf-8-sig", label, mend)


def decode_marked(content: bytes, label: str, mend: str) -> str:
    """The same for what offices write: UTF-16, too, where a byte order mark says so."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return _decode(content, "utf-16" if wide else "utf-8-sig", label, mend)


def _decode(content: bytes, encoding: str, label: str, mend: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioError(f"line {line} is not UTF-8 text.", where=label, mend=mend) from None


LIST_SUFFIXES = (".csv", ".tsv")
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


MAX_BYTES = 1_000_000
SUFFIXES = (".yaml", ".yml")


def read_file(path: Path, built_in: Collection[str] = ()) -> Reading:
    """The document in a file that a user names: YAML, or the class of a list; `built_in` are names that could have been
    meant instead."""
    content = _read_content(path, mend_path(path, built_in))
    if path.suffix.casefold() in LIST_SUFFIXES:
        _limit(len(content), str(path))
        return read_class_list(content, str(path))
    return read_bytes(content, str(path))


def read_plain(path: Path, mend: str) -> str:
    """The text of a file that a user names and that is no document; `mend` says how to save it as text."""
    content = _read_content(path, "Check the path.")
    _limit(len(content), str(path))
    return decode_marked(content, str(path), mend)


def _read_content(path: Path, mend_missing: str) -> bytes:
    """The first bytes of a file, one more than can be read at most."""
    label = str(path)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            what = "a folder" if stat.S_ISDIR(facts.st_mode) else "not an ordinary file"
            raise ScenarioError(f"this is {what}.", where=label, mend="Name a file.")
        _limit(facts.st_size, label)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError("there is no such file.", where=label, mend=mend_missing) from None
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else "it fails"
        raise ScenarioError(f"this cannot be read: {reason}.", where=label, mend="Check the path.") from None
    except ValueError:  # a NUL in the path
        raise ScenarioError("this is not a path.", where=repr(label), mend="Check the path.") from None


def mend_path(path: Path, built_in: Collection[str]) -> str:
    """How to mend the path of a file that is not there: a built-in document has a name and no ending."""
    if path.suffix in SUFFIXES and path.stem in built_in:
        return f"Check the path; or name the built-in '{path.stem}', without '{path.suffix}'."
    return "Check the path."


def read_resource(resource: Traversable, label: str) -> Reading:
    """The YAML document in a file of the package; one that has been read is not parsed again."""
    return _parsed_once(resource.read_bytes(), label).copied()


@lru_cache(maxsize=128)
def _parsed_once(content: bytes, label: str) -> Reading:
    return read_bytes(content, label)


def read_bytes(content: bytes, label: str) -> Reading:
    """The YAML document in bytes, which must be UTF-8."""
    _limit(len(content), label)
    return parse(decode(content, label, "Save the file as YAML text with UTF-8 encoding."), label)


def _limit(size: int, label: str) -> None:
    if size > MAX_BYTES:
        raise ScenarioError(
            f"the file has {size / 1e6:.1f} MB or more; {MAX_BYTES / 1e6:.0f} MB is the limit.",
            where=label,
            mend="Split it, or remove what is not part of the scenario.",
        )
