"""From what a user gives to a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.scenarios.loader import DEFAULT_SCENARIO, load_document, load_scenario
from eduverse_mesa.scenarios.people import Sample
from eduverse_mesa.scenarios.problems import ScenarioProblemsError
from eduverse_mesa.scenarios.sampler import sample_class
from tests.scenarios.documents import LAYOUT, LESSON, ROLL, SCENARIO, inline, refusal, write_all


def test_a_file_with_its_parts_beside_it(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    scenario = load_scenario(path)
    assert scenario == load_scenario(str(path)) == load_scenario(inline()) == load_scenario(scenario)
    assert (scenario.layout.name, scenario.roll.name, [lesson.name for lesson in scenario.lessons]) == (
        "nook",
        "trio",
        ["tides"],
    )


def test_nothing_means_the_default() -> None:
    assert load_scenario() == load_scenario(DEFAULT_SCENARIO)


def test_a_lone_lesson_needs_no_list(tmp_path: Path) -> None:
    lone = SCENARIO.replace("lessons:\n  - tides", "lessons: tides")
    assert load_scenario(write_all(tmp_path, by_the_sea=lone)) == load_scenario(inline())
    assert load_scenario(inline() | {"lessons": inline()["lessons"][0]}) == load_scenario(inline())


def test_parts_can_be_exchanged(tmp_path: Path) -> None:
    path = write_all(tmp_path, den=LAYOUT.replace("nook", "den"), duo=ROLL.replace("trio", "duo"))
    changed = load_scenario(path, layout="den", students="duo", lessons=["tides"], steps=12)
    assert (changed.layout.name, changed.roll.name, changed.settings.steps) == ("den", "duo", 12)
    layout = load_scenario(path).layout
    assert load_scenario(path, layout=layout).layout == layout
    assert load_scenario(path, lesson=inline()["lessons"][0]).lessons == load_scenario(path).lessons


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (5, "found the number 5"),
        ([], "found a list"),
        ({"kind": "lesson"}, "this is a lesson, where a scenario is expected"),
        ({"kind": "scenery"}, "kind: expected scenario, found the text 'scenery'"),
        ({"kind": ["x"]}, "kind: expected scenario"),
        ("no_such", "there is no built-in scenario 'no_such'"),
        ("no/such.yaml", "there is no such file"),
    ],
)
def test_what_is_no_scenario_is_refused(source: Any, said: str) -> None:
    assert said in refusal(lambda: load_scenario(source)).message


def test_parts_of_the_wrong_sort_are_refused(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert "this is a class, where a layout is expected" in refusal(lambda: load_scenario(path, layout="trio")).message
    wrong = write_all(tmp_path, by_the_sea=SCENARIO.replace("nook", "tides"))
    assert refusal(lambda: load_scenario(wrong)).where == f"{tmp_path / 'tides.yaml'}:1:7"
    for key, value in (("layout", 5), ("class", ["x"]), ("lessons", 7), ("lessons", [7]), ("layout", None)):
        error = refusal(load_scenario, inline() | {key: value})
        assert f"{key}" in error.message
    assert refusal(lambda: load_scenario(path, layout=[1])).where == "layout"  # type: ignore[arg-type]
    assert "Give one of the two" in refusal(lambda: load_scenario(path, lesson="tides", lessons=["tides"])).mend


def test_mistakes_in_included_files_name_those_files(tmp_path: Path) -> None:
    path = write_all(tmp_path, trio=ROLL.replace("Bob", "3"), nook=LAYOUT.replace("height: 6", "height: 0"))
    error = refusal(lambda: load_scenario(path))
    assert isinstance(error, ScenarioProblemsError)
    assert [str(problem.spot) for problem in error.problems] == [
        f"{tmp_path / 'nook.yaml'}:3:26",
        f"{tmp_path / 'trio.yaml'}:6:12",
    ]
    assert [problem.trail for problem in error.problems] == [
        ("layout", "grid", "height"),
        ("class", "students", 1, "name"),
    ]


# --- students ---


def test_a_number_of_students_samples_a_class(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    scenario = load_scenario(path, students=3)
    assert [student.name for student in scenario.roll.students] == [
        student.name for student in sample_class(Sample(size=3), "x").students
    ]
    assert scenario.layout.name == "nook"
    assert scenario.roll.teacher is not None
    assert scenario.roll.teacher.name == "Ms Hill", "the scenario's own teacher stays"
    assert scenario.roll.sample is None, "what is sampled is in it"


def test_a_number_keeps_the_sample_that_there_is(tmp_path: Path) -> None:
    sample = "kind: class\nname: many\nsample: {size: 2, seed: 9, traits: {openness: {mean: 1, sd: 0}}}\n"
    path = write_all(tmp_path, trio=sample)
    two, three = load_scenario(path).roll, load_scenario(path, students=3).roll
    assert {student.traits.openness for student in three.students} == {1.0}
    assert two.students == three.students[:2]
    assert two.teacher is not None


def test_a_class_too_large_for_the_room_gets_rows_unless_a_layout_is_given(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert load_scenario(path, students=40).layout.name == "rows_for_40"
    error = refusal(lambda: load_scenario(path, students=40, layout="nook"))
    assert "has 3 seats for 40 students" in error.message
    assert load_scenario(path, students=40, layout="pods_4", settings={"class.sample.size": 32}).layout.name == "pods_4"


def test_names_are_in_the_language_of_the_lesson(tmp_path: Path) -> None:
    path = write_all(tmp_path, tides=LESSON.replace("subject:", "language: zh\nsubject:"))
    assert not any(student.name.isascii() for student in load_scenario(path, students=3).roll.students)
    french = write_all(tmp_path, tides=LESSON.replace("subject:", "language: fr\nsubject:"))
    error = refusal(lambda: load_scenario(french, students=3))
    assert (error.where, "Known languages: en, zh." in error.mend) == ("students=3", True)
    assert len(load_scenario(french, students=3, settings={"class.sample.language": "en"}).roll.students) == 3


@pytest.mark.parametrize("students", [0, -1, 2001, 10**30, True])
def test_impossible_numbers_of_students_are_refused(tmp_path: Path, students: int) -> None:
    path = write_all(tmp_path)
    assert refusal(lambda: load_scenario(path, students=students)).where == f"students={students}"


def test_a_seating_for_others_is_refused_with_its_mend(tmp_path: Path) -> None:
    path = write_all(tmp_path, by_the_sea=SCENARIO + "seating: {Ann: c}\n")
    error = refusal(lambda: load_scenario(path, students=3))
    assert error.where == f"{path}:7:11"
    assert "`seating={}`" in error.mend
    assert load_scenario(path, students=3, settings={"seating": "{}"}).seating == {}


# --- sessions ---


def test_sessions_take_the_first_lessons(tmp_path: Path) -> None:
    path = write_all(tmp_path, by_the_sea=SCENARIO + "  - waves\n", waves=LESSON.replace("tides", "waves"))
    assert [lesson.name for lesson in load_scenario(path, sessions=1).lessons] == ["tides"]
    assert load_scenario(path, sessions=2) == load_scenario(path)
    error = refusal(lambda: load_scenario(path, sessions=3))
    assert (error.where, error.message) == ("sessions=3", "the scenario has 2 lessons.")


def test_a_single_lesson_is_repeated(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    lessons = load_scenario(path, sessions=3, settings={"lessons.1.demand": 1}).lessons
    assert [lesson.name for lesson in lessons] == ["tides", "tides (2)", "tides (3)"]
    assert [lesson.demand for lesson in lessons] == [0.5, 1.0, 0.5]
    for sessions in (0, -3, 10**9):
        assert refusal(load_scenario, path, sessions=sessions).where == f"sessions={sessions}"


def test_steps_are_a_setting(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert load_scenario(path, steps=7).settings.steps == 7
    assert refusal(lambda: load_scenario(path, steps=0)).where == "steps=0"


# --- documents by themselves ---


def test_documents_are_checked_by_themselves(tmp_path: Path) -> None:
    path = write_all(tmp_path, nook=LAYOUT.replace("[4, 3]", "[2, 3]"), trio=ROLL.replace("Bob", "ann"))
    assert load_document("lesson", tmp_path / "tides.yaml").name == "tides"
    assert "where the seat 'a' is" in refusal(lambda: load_document("layout", tmp_path / "nook.yaml")).message
    assert "cannot be told from" in refusal(lambda: load_document("class", tmp_path / "trio.yaml")).message
    refusal(lambda: load_document("scenario", path))
