"""YAML as a user, or somebody who means harm, writes it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import yaml_text
from eduverse_mesa.scenarios.files import MAX_BYTES, read_bytes, read_file, read_resource
from eduverse_mesa.scenarios.plain import Reading, Spot, read_object
from eduverse_mesa.scenarios.yaml_text import parse, resolve_scalar
from tests.scenarios.documents import refusal

LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)]
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture(params=LOADERS, ids=["python", "c"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML, since one stands in for the other where it was not built."""
    monkeypatch.setattr(yaml_text, "_LOADER", request.param)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2020-01-01", "2020-01-01"),
        ("1_000", "1_000"),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-7", -7),
        ("+3", 3),
        ("012", 12),
        ("0o17", 15),
        ("0x1f", 31),
        ("1e-3", 0.001),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        ("e5", "e5"),
        ("<<", "<<"),
        ("=", "="),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    resolved = resolve_scalar(text)
    assert resolved == value
    assert type(resolved) is type(value)


def test_quoted_scalars_are_text() -> None:
    assert parse("{a: '12', b: \"true\", c: ''}", "F").data == {"a": "12", "b": "true", "c": ""}
    assert parse("a: |\n  12\n", "F").data == {"a": "12\n"}


def test_every_value_and_key_has_its_place() -> None:
    reading = parse("name: x\nlist:\n  - 1\n  -  {a: 2}\n", "F")
    assert reading.data == {"name": "x", "list": [1, {"a": 2}]}
    assert str(reading.spot(("list", 1, "a"))) == "F:4:10"
    assert str(reading.key_spot(("list", 1, "a"))) == "F:4:7"
    assert str(reading.spot(("list", 0))) == "F:3:5"
    assert str(reading.spot(("list", 1, "no", "such"))) == "F:4:6", "the nearest thing around it"


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("a: &x 1", "F:1:4", "anchors and aliases"),
        ("a: 1\nb: *x", "F:2:4", "anchors and aliases"),
        (BOMB, "F:1:4", "anchors and aliases"),
        ("a: !!python/object/apply:os.system [id]", "F:1:4", "tags"),
        ("a: !!str 1", "F:1:4", "tags"),
        ("a: ! 1", "F:1:4", "tags"),
        ("a: 1\nb: 2\na: 3", "F:3:1", "given twice (first in line 1)"),
        ("x: {a: 1, 'a': 2}", "F:1:11", "given twice"),
        ("1: a", "F:1:1", "not text"),
        ("true: a", "F:1:1", "not text"),
        ("~: a", "F:1:1", "not text"),
        ("? [a, b]\n: c", "F:1:3", "a key must be text"),
        ("a: 1\n---\nb: 2", "F:2:1", "second document"),
        ("a: [1, 2", "", "not YAML"),
        ("a: 'x", "", "not YAML"),
        ("a: b: c", "F:1:5", "not YAML"),
        ("a:\n\t- b", "F:2:1", "not YAML"),
        ("%YAML 9.0\n---\na: 1", "F:1:1", "not YAML"),
        ("", "F", "nothing in it"),
        ("# only a comment\n", "F", "nothing in it"),
        ("---\n...\n", "F", "nothing in it"),
        ("a: \x07", "F:1:4", "U+0007"),
        ("ab\x00", "F:1:3", "U+0000"),
        ('a: "\\e[31m"', "F:1:4", "control character"),
        ('a: "\\x00"', "F:1:4", "control character"),
        ('"\\x00": a', "F:1:1", "control character"),
        ("a: " + "9" * 5000, "F:1:4", "digits"),
        ("a: 1\nb: \ud800", "F:2:4", "U+D800"),
    ],
)
def test_what_is_no_scenario_is_refused_with_its_place(text: str, where: str, said: str) -> None:
    error = refusal(lambda: parse(text, "F"))
    assert said in error.message
    assert error.where == where or (not where and error.where.startswith("F:"))


@pytest.mark.parametrize("piece", ["[", "{", "{a: ", "[[]", "- ", "? ", "&", "a: [", "!", "- - "])
def test_deep_nesting_needs_no_recursion(piece: str) -> None:
    error = refusal(lambda: parse(piece * 100_000, "F"))
    assert error.where.startswith("F:1:")


def test_indented_nesting_is_limited() -> None:
    def deep(levels: int) -> str:
        return "\n".join(" " * level + "a:" for level in range(levels)) + " 1"

    assert parse(deep(39), "F").data
    assert "nested deeper" in refusal(lambda: parse(deep(45), "F")).message


def test_the_number_of_values_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_NODES", 1000)
    assert parse("[" + "1," * 999 + "]", "F").data == [1] * 999
    assert "more than 1,000 values" in refusal(lambda: parse("[" + "1," * 1000 + "]", "F")).message


def is_read_or_refused(text: str) -> bool:
    """Whether a text becomes data, or a mistake with its place and mend; anything else is raised."""
    try:
        return isinstance(parse(text, "F"), Reading)
    except ScenarioError as error:
        return error.where.startswith("F") and bool(error.mend)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert is_read_or_refused(text)


@given(
    st.recursive(st.sampled_from("[]{}:,-?&*!|>'\"%@ \n#a1.~"), lambda part: st.lists(part).map("".join), max_leaves=40)
)
def test_any_punctuation_is_read_or_refused(text: str) -> None:
    assert is_read_or_refused(text)


# --- files ---


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: x\n")
    assert read_file(path).data == {"name": "x"}


@pytest.mark.parametrize("content", [b"a: \xff\xfe", "a: 1".encode("utf-16"), b"a: \xed\xa0\x80", b"\x89PNG\r\n\x1a\n"])
def test_bytes_that_are_not_utf_8_are_refused(content: bytes) -> None:
    assert "not UTF-8" in refusal(lambda: read_bytes(content, "F")).message


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(10_000_000)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    error = refusal(lambda: read_file(path))
    assert "10.0 MB" in error.message
    assert error.where == str(path)


def test_a_file_of_just_the_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "just.yaml"
    path.write_text("a: 1\n#" + "x" * (MAX_BYTES - 6), encoding="utf-8")
    assert path.stat().st_size == MAX_BYTES
    assert read_file(path).data == {"a": 1}


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "no such file" in refusal(lambda: read_file(tmp_path / "none.yaml")).message
    assert "a folder" in refusal(lambda: read_file(tmp_path)).message
    assert "not a path" in refusal(lambda: read_file(Path("a\0b"))).message
    assert "cannot be read" in refusal(lambda: read_file(Path("x" * 5000))).message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "not an ordinary file" in refusal(lambda: read_file(tmp_path / "pipe.yaml")).message


# --- Python's own data ---


def test_python_data_become_plain() -> None:
    numpy = pytest.importorskip("numpy")
    given_data = {"a": (1, numpy.float64(0.5), numpy.int64(3)), "b": Path("x.yaml"), "c": {"d": None}}
    assert read_object(given_data, "it").data == {"a": [1, 0.5, 3], "b": f".{os.sep}x.yaml", "c": {"d": None}}


def test_python_data_that_are_none_of_ours_are_refused() -> None:
    holds_itself: list[object] = []
    holds_itself.append(holds_itself)
    twice: dict[str, object] = {}
    twice.update(a=twice, b=twice)
    for data in (holds_itself, twice, {"a": {1: 2}}, {"a": object()}, {"a": b"bytes"}, {"a": "\x1b[0m"}, {"\ud800": 1}):
        error = refusal(read_object, data, "it")
        assert error.where == "it"


def test_what_is_changed_in_a_document_of_the_package_is_not_there_when_it_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "room.yaml"
    file.write_text("seats: {all: [1, 2]}\n")
    first = read_resource(file, "room")
    first.put(("seats", "all", 0), Reading(7, {(): Spot("me")}))
    first.missing["seats",] = ScenarioError("gone.")
    again = read_resource(file, "room")
    assert (again.data, again.missing) == ({"seats": {"all": [1, 2]}}, {})
    assert again.spot(("seats", "all", 0)) == Spot("room", 1, 15)
    file.write_text("seats: {all: [3]}\n")
    assert read_resource(file, "room").data == {"seats": {"all": [3]}}


def test_putting_keeps_the_place_of_the_key() -> None:
    reading = parse("a: 1\nb: [x, y]\n", "F")
    reading.put(("b",), parse("c: 2", "G"))
    assert reading.data == {"a": 1, "b": {"c": 2}}
    assert str(reading.key_spot(("b",))) == "F:2:1"
    assert str(reading.spot(("b", "c"))) == "G:1:4"
    assert reading.part(("b",)).key_spot(("c",)) == Spot("G", 1, 1)
    with pytest.raises(TypeError):
        reading.put(("a", "b"), parse("c: 2", "G"))
