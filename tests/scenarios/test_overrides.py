"""Single values by dotted keys."""

from __future__ import annotations

import pytest

from eduverse_mesa.scenarios.loader import load_scenario
from eduverse_mesa.scenarios.scenario import Scenario
from tests.scenarios.documents import inline, refusal


def changed(**settings: object) -> Scenario:
    """The small scenario with values at keys (`__` for a dot)."""
    return load_scenario(inline(), settings={key.replace("__", "."): value for key, value in settings.items()})


def told(key: str, value: object) -> str:
    """What is said about a change."""
    return str(refusal(lambda: load_scenario(inline(), settings={key: value})))


def test_keys_lead_into_the_scenario_or_its_settings() -> None:
    scenario = changed(
        gate__threshold="0.7",
        settings__pacing__mode="fixed",
        class__students__0__traits__openness=0.9,
        class__teacher__style__warmth="1",
        lessons__tides__demand="0",
        layout__grid__width="9",
        name="other",
        ablation="[nocog, nolocal]",
    )
    assert (scenario.settings.gate.threshold, scenario.settings.pacing.mode) == (0.7, "fixed")
    assert scenario.settings.ablation == ("nocog", "nolocal")
    assert scenario.roll.students[0].traits.openness == 0.9
    assert scenario.roll.teacher is not None
    assert (scenario.roll.teacher.name, scenario.roll.teacher.style.warmth) == ("Ms Hill", 1.0)
    assert (scenario.lessons[0].demand, scenario.layout.grid.width, scenario.name) == (0.0, 9, "other")


def test_entries_go_by_name_id_or_number() -> None:
    settings = {"class.students.Bob.seat": "c", "layout.seats.a.group": "east", "class.students.2.seat": "b"}
    scenario = load_scenario(inline(), settings=settings)
    assert [student.seat for student in scenario.roll.students] == ["a", "c", "b"]
    assert scenario.layout.seats[0].group == "east"


def test_names_may_hold_dots() -> None:
    data = inline(class__students__1__name="B. O. Bright")
    scenario = load_scenario(data, settings={"class.students.B. O. Bright.age": "15", "seating.B. O. Bright": "c"})
    assert scenario.roll.students[1].age == 15
    assert scenario.seating == {"B. O. Bright": "c"}


def test_parameters_have_dots_in_their_names() -> None:
    scenario = changed(parameters__attention__base="0.6")
    assert scenario.settings.parameters == {"attention.base": 0.6}


def test_null_takes_a_value_away_and_what_is_not_there_is_made() -> None:
    data = inline(class__students__0__perception=None)
    scenario = load_scenario(data, settings={"class.students.0.seat": "null", "class.students.0.perception.radius": 3})
    assert scenario.roll.students[0].seat is None
    assert scenario.roll.students[0].perception is not None
    assert scenario.roll.students[0].perception.radius == 3


def test_whole_parts_can_be_named() -> None:
    settings = {"layout": "lecture", "layout.grid.width": 31, "class.students.Ann.seat": "r1_1"}
    scenario = load_scenario(inline(), settings=settings)
    assert (scenario.layout.name, scenario.layout.grid.width) == ("lecture", 31)


def test_a_sampled_class_is_changed_before_and_after_it_is_drawn() -> None:
    data = inline() | {"class": {"name": "x", "sample": {"size": 3}}}
    settings: dict[str, object] = {"class.students.1.age": 40, "class.sample.seed": 5, "class.teacher.style.warmth": 0}
    scenario = load_scenario(data, settings=settings)
    plain = load_scenario(data, settings={"class.sample.seed": 5})
    assert scenario.roll.students[1].age == 40
    assert scenario.roll.students[2] == plain.roll.students[2]
    assert scenario.roll.students[2] != load_scenario(data).roll.students[2]
    assert scenario.roll.teacher is not None
    assert scenario.roll.teacher.style.warmth == 0


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("gate.threshold", "abc", "expected a number from 0 to 1, found the text 'abc'"),
        ("gate.threshold", "2", "found the number 2"),
        ("gate.threshold", "", "the value is missing"),
        ("gate.threshold", "[1", "not YAML"),
        ("gate.threshold", "&a 1", "anchors"),
        ("gate.threshold", "!!int 1", "tags"),
        ("gate.threshold", "[" * 100_000, "nested deeper"),
        ("gate.threshold", object(), "type object"),
        ("gate.treshold", "0.5", "Did you mean 'threshold'?"),
        ("gates.threshold", "0.5", "Did you mean 'gate'?"),
        ("gate.threshold.x", "1", "found a mapping"),
        ("name.x", "1", "name is 'by_the_sea' and has no 'x' in it"),
        ("", "1", "not words joined by dots"),
        (".", "1", "not words joined by dots"),
        ("a..b", "1", "not words joined by dots"),
        (".".join("a" * 50), "1", "not words joined by dots"),
        ("class.students.3.seat", "a", "has 3 entries, and counting starts at 0. Take a number from 0 to 2."),
        ("class.students.-1.seat", "a", "has no entry '-1'"),
        ("class.students.Anne.seat", "a", "Did you mean 'Ann'?"),
        ("class.students.99999999999.seat", "a", "has no entry"),
        ("class.students.Ann.seat", "z", "the layout 'nook' has no seat 'z'"),
        ("layout", "lectur", "Did you mean 'lecture'?"),
        ("layout", "[lecture]", "found the list [lecture]"),
        ("parameters.attention.bas", "0.5", "Did you mean 'attention.base'?"),
        ("parameters.attention.base", "99", "out of range"),
        ("seating.Nobody", "a", "there is no student 'Nobody'"),
        ("settings", "3", "settings: expected a mapping"),
    ],
)
def test_a_mistake_names_the_argument(key: str, value: object, said: str) -> None:
    text = told(key, value)
    assert text.startswith(f"settings {key}={value}"[:80])
    assert said in text
    assert len(text.partition(": ")[0]) < 100
