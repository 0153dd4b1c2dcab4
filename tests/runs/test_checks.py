"""A file that validates starts; a file that does not start is refused by validate, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.checks import WRONG_AT_MOST
from eduverse_mesa.scenarios.curriculum import Curriculum
from eduverse_mesa.scenarios.library import list_names
from eduverse_mesa.scenarios.loader import load_collaboration, load_document, load_tutoring

SCENARIO: dict[str, Any] = {
    "kind": "scenario",
    "name": "small",
    "layout": "lecture",
    "lessons": ["spring_1"],
    "class": {
        "name": "three",
        "teacher": {"name": "Ms Lin"},
        "students": [{"name": "Ada"}, {"name": "Ben", "seat": "r1_1"}, {"name": "Cy"}],
    },
    "seating": {},
    "settings": {"steps": 2, "policy": "embedded"},
}
TUTORING: dict[str, Any] = {
    "kind": "tutoring",
    "name": "small",
    "curriculum": "ngss_1_5",
    "cohort": {"name": "two", "learners": [{"name": "Ada"}, {"name": "Ben"}]},
    "settings": {"grades": [1, 1], "visits": 1, "policy": "embedded"},
}
GROUP: dict[str, Any] = {
    "kind": "collaboration",
    "name": "small",
    "problems": ["treat_bags"],
    "peers": [{"name": "Alice"}, {"name": "Bob", "skill": "advanced"}],
    "settings": {"policy": "embedded"},
}
POLICIES = [
    "embedded",
    "embeded",
    "plan=embedded",
    "plan=nobody",
    "plann=embedded",
    "@Ada=embedded",
    "@Zoe=embedded",
    "",
]
CHANGES: list[tuple[tuple[str | int, ...], list[Any]]] = [
    (("class", "teacher"), [None, {}, {"name": "Ada"}, {"name": "teacher"}]),
    (("class", "students", 1, "seat"), ["r9_9", [0, 0], [99, 99], "r1_2", None]),
    (("class", "students", 2, "name"), ["Ada", "Ms Lin", "", "Dee"]),
    (("class", "students"), [[], [{"name": str(one)} for one in range(40)]]),
    (("class", "sample"), [{"size": 3}, {"size": 3, "language": "xx"}, {"size": 400}]),
    (("seating",), [{"Ada": "r1_1"}, {"Zoe": "r1_1"}, {"Ada": [1, 1]}, {"Ada": "r1_2", "Ben": "r1_2"}]),
    (("layout",), ["pods_4", "nowhere", "lecture"]),
    (("lessons",), [["spring_1", "spring_2"], ["spring_2"], ["spring_2", "spring_1"], [], ["spring_1_zh", "spring_1"]]),
    (("settings", "policy"), POLICIES),
    (("settings", "parameters"), [{"plan.inertia": 1.0}, {"plan.nothing": 1.0}, {}]),
    (("settings", "ablation"), [["nocog"], ["nothing"]]),
    (("settings", "llm"), [{"prompts": {"act": "Say {nothing}."}}, {}]),
]
OTHERS: list[tuple[tuple[str | int, ...], list[Any]]] = [
    (("settings", "policy"), [*POLICIES, "@Bob=embedded", "peers=embedded", "learner=embedded"]),
    (("settings", "grades"), [[1, 2], [9, 9], [2, 1]]),
    (("settings", "visits"), [0, 2]),
    (("settings", "arm"), ["base", "vanilla", "full"]),
    (("settings", "parameters"), [{"nothing": 1.0}, {}]),
    (("cohort", "learners"), [[], [{"name": "Ada"}, {"name": "ada"}]]),
    (("cohort", "sample"), [{"size": 5}]),
    (("curriculum",), ["middle_school_mathematics_zh", "none"]),
    (("peers",), [[{"name": "Al"}], [{"name": "Al"}, {"name": "al"}], [{"name": "Al", "misconception": "none"}]]),
    (("seats",), [["Mia"], ["Alice"]]),
    (("problems",), [["treat_bags_zh"], [], ["treat_bags", "treat_bags"], ["nothing"]]),
]


def put(data: Any, trail: tuple[str | int, ...], value: Any) -> None:
    for step in trail[:-1]:
        data = data.setdefault(step, {}) if isinstance(data, dict) and isinstance(step, str) else data[step]
    if value is None:
        data.pop(trail[-1], None)
    else:
        data[trail[-1]] = value


def start(kind: str, path: Path) -> None:
    """Begin in the way of `eduverse run`, `learner teach` and `mathvc play`, and play a step."""
    if kind == "scenario":
        scenario = load_scenario(path)
        for number in range(1, len(scenario.lessons) + 1):
            ClassroomModel(scenario, seed=1, lesson_number=number).step()
    elif kind == "tutoring":
        TutoringModel(load_tutoring(path), seed=1).step()
    else:
        group = load_collaboration(path)
        model = CollaborationModel(group, seed=1)
        if not group.seats:
            model.step()


def tell(error: EduverseError) -> tuple[str, str]:
    """The words of an error: what is wrong and what to do."""
    return error.message, error.mend


def told(way: Callable[[Path], object], path: Path) -> tuple[str, str] | None:
    """The words of a refusal; None where there is none."""
    try:
        way(path)
    except EduverseError as error:
        return tell(error)
    return None


def same_verdict(kind: str, path: Path) -> bool:
    """Validate and start say the same; True where both say yes."""
    said, started = told(check_file, path), told(lambda file: start(kind, file), path)
    assert said == started
    return said is None


def changes(of: list[tuple[tuple[str | int, ...], list[Any]]]) -> Any:
    single = st.sampled_from(of).flatmap(lambda one: st.tuples(st.just(one[0]), st.sampled_from(one[1])))
    return st.lists(single, min_size=0, max_size=2)


@given(made=changes([one for one in CHANGES if one[0] != ("settings", "llm")]))
def test_what_validates_starts_and_what_does_not_is_refused_alike(made: Any, tmp_path_factory: Any) -> None:
    data = deepcopy(SCENARIO)
    for trail, value in made:
        if isinstance(data["class"].get("students"), list) and len(data["class"]["students"]) < 3:
            continue
        put(data, trail, value)
    path = tmp_path_factory.getbasetemp() / "scenario.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    same_verdict("scenario", path)


@pytest.mark.parametrize("document", [TUTORING, GROUP], ids=lambda one: str(one["kind"]))
@pytest.mark.parametrize(("trail", "value"), [(trail, value) for trail, values in OTHERS for value in values])
def test_learners_and_groups_that_validate_start(
    document: dict[str, Any], trail: tuple[str | int, ...], value: Any, tmp_path: Path
) -> None:
    data = deepcopy(document)
    put(data, trail, value)
    path = tmp_path / "it.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    same_verdict(str(document["kind"]), path)


@pytest.mark.parametrize("document", [SCENARIO, TUTORING, GROUP], ids=lambda one: str(one["kind"]))
def test_what_is_right_is_valid(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "it.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    assert same_verdict(str(document["kind"]), path)


@pytest.mark.parametrize("wrong", [("class", "teacher", None), ("settings", "policy", "embeded")], ids=str)
def test_what_used_to_pass_and_then_did_not_start_is_refused(wrong: tuple[str, str, Any], tmp_path: Path) -> None:
    data = deepcopy(SCENARIO)
    put(data, wrong[:2], wrong[2])
    path = tmp_path / "it.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert not same_verdict("scenario", path)


def test_a_class_without_a_teacher_is_refused_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "class.yaml"
    path.write_text("kind: class\nname: one\nstudents: [{name: Ada}]\n", encoding="utf-8")
    with pytest.raises(EduverseError, match="the class has no teacher") as refused:
        check_file(path)
    assert str(path) in refused.value.where
    proposed = refused.value.mend.split("`")[1]
    path.write_text(f"kind: class\nname: one\nstudents: [{{name: Ada}}]\n{proposed}\n", encoding="utf-8")
    assert check_file(path)
    scenario = load_scenario(students=path)
    ClassroomModel(scenario, seed=1).step()


def test_a_lesson_in_a_language_that_nobody_speaks_is_refused_unless_a_language_model_is_to_speak(
    tmp_path: Path,
) -> None:
    lesson = load_scenario().lessons[0].model_dump(mode="json", by_alias=True, exclude_none=True)
    data = {**deepcopy(SCENARIO), "lessons": [{**lesson, "language": "fr"}]}
    path = tmp_path / "french.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert not same_verdict("scenario", path)
    data["settings"]["policy"] = "llm"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert check_file(path).startswith("a valid scenario")


# --- items by their own key ---


def subject(**item: Any) -> dict[str, Any]:
    """A small subject, with one of its items changed."""
    first = {
        "id": "rain_1",
        "ask": "What are clouds made of?",
        "right": "Clouds are tiny drops of water.",
        "partial": "Something with water.",
        "wrong": "Clouds are cotton wool.",
        "marks": ["drop", "water"],
        "slips": ["cotton"],
        **item,
    }
    second = {**first, "id": "rain_2", "ask": "What falls as rain?", "right": "The drops of water.", "wrong": "Cotton."}
    second |= {"marks": ["drop", "water"], "slips": ["cotton"]}
    unit = {
        "id": "rain",
        "grade": 1,
        "concept": "weather",
        "idea": "Clouds are made of drops of water that fall as rain.",
        "because": "A cold glass gets wet outside.",
        "hint": "Think of a bathroom mirror.",
        "outcome": "says where rain comes from",
        "marks": ["cloud", "drop", "rain"],
        "items": [first, second],
    }
    concept = {"id": "weather", "title": "Weather", "text": "What the sky does.", "marks": ["cloud", "rain"]}
    return {"kind": "subject", "name": "sky", "id": "sky", "concepts": [concept], "units": [unit]}


FAILING = [
    ({"right": "Clouds are drops."}, "units.0.items.0.right", "scores 0.50", "Put 'water' into it"),
    (
        {"right": "Drops of water, no cotton."},
        "units.0.items.0.right",
        "of its slips it holds 'cotton'",
        "without 'cotton'",
    ),
    ({"wrong": "Clouds are drops of paint."}, "units.0.items.0.wrong", "scores 0.50", "Say it without 'drop'"),
]


@pytest.mark.parametrize(("change", "place", "said", "mend"), FAILING)
def test_an_item_that_fails_its_own_key_is_refused_with_place_and_mend(
    change: dict[str, str], place: str, said: str, mend: str, tmp_path: Path
) -> None:
    path = tmp_path / "sky.yaml"
    path.write_text(yaml.safe_dump(subject(), sort_keys=False), encoding="utf-8")
    assert check_file(path)
    path.write_text(yaml.safe_dump(subject(**change), sort_keys=False), encoding="utf-8")
    with pytest.raises(EduverseError) as refused:
        check_file(path)
    assert place in str(refused.value)
    assert said in str(refused.value)
    assert mend in str(refused.value)
    assert str(path) in refused.value.where
    whole = tmp_path / "curriculum.yaml"
    whole.write_text("kind: curriculum\nname: c\nsubjects: [sky]\n", encoding="utf-8")
    for refuse in (check_file, lambda file: load_tutoring(curriculum=file, settings={"grades": [1, 1]})):
        with pytest.raises(EduverseError) as again:
            refuse(whole)
        assert tell(again.value)[1] == tell(refused.value)[1]


@pytest.mark.parametrize("name", list_names("curriculum"))
def test_every_built_in_item_passes_its_own_key(name: str) -> None:
    curriculum = load_document("curriculum", name)
    assert isinstance(curriculum, Curriculum)
    for unit in curriculum.all_units():
        for item in unit.items:
            assert item.rate(item.right) == 1.0, item.id
            assert item.rate(item.wrong) <= WRONG_AT_MOST, item.id
