"""Whatever is done to a scenario, it is loaded or refused with a message: nothing else ever comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios.loader import load_document, load_scenario
from eduverse_mesa.scenarios.scenario import Scenario, dump_scenario
from eduverse_mesa.scenarios.yaml_text import parse
from tests.scenarios.documents import LAYOUT, LESSON, ROLL, inline

WHOLE = dump_scenario(load_scenario(inline()))
# Between them they can stand for every sort of thing, and some of them are words that mean something somewhere.
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["lecture", "six", "rows", "pairs", "keep", "a", "Ann", "cause", "../x.yaml", "x.yaml", "10"]),
)
junk = st.recursive(
    scalars,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3),
    max_leaves=5,
)


def places(data: Any, trail: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The trails of all values."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [trail, *(place for key, value in entries for place in places(value, (*trail, key)))]


def with_value(data: Any, trail: tuple[Any, ...], value: Any) -> Any:
    """The data with another value at a trail."""
    if not trail:
        return value
    copy = data.copy()
    copy[trail[0]] = with_value(data[trail[0]], trail[1:], value)
    return copy


def comes_through(act: Any, *given_to: Any, **named: Any) -> bool:
    """Whether something is loaded or refused properly; any other exception fails the test."""
    try:
        return bool(act(*given_to, **named))
    except ScenarioError as error:
        return bool(error.message) and len(str(error)) < 20_000


@given(st.sampled_from(places(WHOLE)), junk)
def test_any_value_anywhere(trail: tuple[Any, ...], value: Any) -> None:
    assert comes_through(load_scenario, with_value(WHOLE, trail, value))


@given(st.lists(st.tuples(st.sampled_from(places(inline())), junk), min_size=2, max_size=4))
def test_several_at_once(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data: Any = inline()
    for trail, value in changes:
        try:
            data = with_value(data, trail, value)
        except (KeyError, IndexError, AttributeError, TypeError):
            continue  # an earlier change took the place away
    assert comes_through(load_scenario, data)


@given(st.sampled_from([".".join(map(str, place)) for place in places(WHOLE) if place]), junk | st.text())
def test_any_override(key: str, value: Any) -> None:
    assert comes_through(load_scenario, inline(), settings={key: value})


@given(st.text(max_size=20), st.text(max_size=10))
def test_any_key(key: str, value: str) -> None:
    assert comes_through(load_scenario, inline(), settings={key: value})


@given(
    st.sampled_from([("layout", LAYOUT), ("class", ROLL), ("lesson", LESSON)]),
    st.integers(0, 10_000),
    st.integers(0, 3),
    st.text("[]{}:,-#&*!|>'\"%@` \n\tab01.~", max_size=3),
)
def test_any_slip_of_the_pen(document: tuple[str, str], at: int, lost: int, typed: str) -> None:
    kind, text = document
    at %= len(text)
    slipped = text[:at] + typed + text[at + lost :]
    assert comes_through(lambda: load_document(kind, parse(slipped, "F").data))  # type: ignore[arg-type]


@given(content=st.binary(max_size=300))
def test_any_bytes(tmp_path_factory: Any, content: bytes) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_bytes(content)
    assert comes_through(check_file, path)


@given(st.integers(-5, 300) | junk, st.integers(-5, 40) | junk, st.integers(-5, 1100) | junk)
def test_any_argument(students: Any, sessions: Any, steps: Any) -> None:
    assert comes_through(load_scenario, inline(), students=students, sessions=sessions, steps=steps)


def test_the_probe_sees_success_and_failure() -> None:
    assert isinstance(load_scenario(WHOLE), Scenario)
    assert not comes_through(lambda: None)
