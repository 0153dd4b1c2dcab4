"""A class list from a spreadsheet is a class, or its mistake is named with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios import load_scenario

LISTS: list[tuple[str, bytes]] = [
    ("commas", b"No,Name,Age\n1,Ann Lee,12\n2,Bo Ek,13\n"),
    ("semicolons and a byte order mark", "\ufeffname;age\r\nAnn Lee;12\r\nBo Ek;13\r\n".encode()),
    ("tabs in UTF-16", "Name\tAge\nAnn Lee\t12\nBo Ek\t13\n".encode("utf-16")),
    ("a title above, empty lines", b"Class 5b;;\n;;\nSurname;First name;Age\nLee;Ann;12\n\nEk;Bo;13\n"),
]


@pytest.mark.parametrize(("content"), [one[1] for one in LISTS], ids=[one[0] for one in LISTS])
def test_the_column_of_names_is_found(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_bytes(content)
    students = load_scenario(students=path).roll.students
    assert [(one.name, one.age) for one in students] == [("Ann Lee", 12), ("Bo Ek", 13)]
    assert check_file(path)


def test_a_chinese_list(tmp_path: Path) -> None:
    path = tmp_path / "班级.csv"
    path.write_text("\ufeff学号；姓名；性别；年龄\n1；张杰；男；12\n2；刘丽；女；\n", encoding="utf-8")
    roll = load_scenario("chinese_lesson", students=str(path)).roll
    assert [(one.name, one.gender) for one in roll.students] == [("张杰", "M"), ("刘丽", "F")]
    assert roll.teacher is not None
    assert roll.teacher.name == "老师"


def test_names_one_a_line_and_the_lesson_is_played(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("Ann Lee\nBo Ek\nCy Ro\n", encoding="utf-8")
    scenario = load_scenario(students=path, steps=3)
    model = ClassroomModel(scenario, seed=1)
    while model.running:
        model.step()
    assert {one.name for one in scenario.roll.students} == {"Ann Lee", "Bo Ek", "Cy Ro"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"No;Points\n1;12\n", "no column of names was found"),
        (b"name;age\n;12\n", "class.csv:2:1: this line names nobody"),
        (b"name;age\nAnn;twelve\n", "class.csv:2:1: 'twelve' is no age"),
        (b"name;sex\nAnn;blue\n", "class.csv:2:1: 'blue' is not read as a gender"),
        ("姓名\n张杰\n".encode("gbk"), "CSV UTF-8"),
        (b"name\n", "the list names nobody"),
        (b"name\nAnn\nAnn\n", "class.csv:3:1"),
    ],
)
def test_a_mistake_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_bytes(content)
    with pytest.raises(ScenarioError) as refused:
        load_scenario(students=path)
    assert said in str(refused.value)


def test_a_list_is_no_lesson(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("name\nAnn\n", encoding="utf-8")
    plan: Any = str(path)
    with pytest.raises(ScenarioError, match="this is a class, where a lesson is expected"):
        load_scenario(lesson=plan)
