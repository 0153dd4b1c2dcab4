"""A form takes only what its fields can have sent: anything can come from a browser."""

from __future__ import annotations

from typing import Any

import pytest

from eduverse_mesa.visualization.widgets.form import LONGEST, FormWidget, fits

FIELDS = [
    {"id": "name", "kind": "text", "label": "Name", "value": ""},
    {"id": "size", "kind": "number", "label": "Size", "value": 1},
    {"id": "share", "kind": "range", "label": "Share", "value": 0.5},
    {"id": "kind", "kind": "select", "label": "Kind", "value": "a", "options": [["a", "A"], ["b", "B"]]},
    {"id": "carry", "kind": "check", "label": "Carry", "value": True},
    {"id": "file", "kind": "file", "label": "File", "value": ""},
    {"id": "act", "kind": "buttons", "label": "Act", "options": [["go", "Go"]]},
    {"id": "note", "kind": "note", "label": "A note"},
    {"id": "copy", "kind": "copy", "label": "Text", "value": "x"},
]
GOOD: list[tuple[str, Any]] = [
    ("name", "<b>"),
    ("size", 3),
    ("size", None),
    ("share", 0.25),
    ("kind", "b"),
    ("carry", False),
    ("file", {"name": "x.yaml", "text": "a: 1"}),
    ("act", "go"),
]
BAD: list[tuple[Any, Any]] = [
    ("name", 3),
    ("name", None),
    ("name", "x" * (LONGEST + 1)),
    ("size", "3"),
    ("size", True),
    ("size", float("nan")),
    ("share", None),
    ("share", float("inf")),
    ("kind", "c"),
    ("kind", ["a"]),
    ("carry", 1),
    ("file", "text"),
    ("file", {"name": "x"}),
    ("file", {"name": 1, "text": ""}),
    ("act", "stop"),
    ("note", "x"),
    ("copy", "x"),
    ("nobody", "x"),
    (None, "x"),
    ({}, "x"),
]


@pytest.mark.parametrize("message", [None, [], "name", 3, {}, {"id": "name"}, *({"id": i, "value": v} for i, v in BAD)])
def test_what_no_field_has_sent_is_not_heard(message: Any) -> None:
    told: list[Any] = []
    form = FormWidget(fields=FIELDS, on_event=lambda *said: told.append(said))
    form._handle_custom_msg(message, [])
    assert told == []


def test_what_a_field_has_sent_is_heard() -> None:
    told: list[Any] = []
    form = FormWidget(fields=FIELDS, on_event=lambda *said: told.append(said))
    for name, value in GOOD:
        form._handle_custom_msg({"id": name, "value": value}, [])
    assert told == GOOD


def test_a_kind_that_is_not_known_sends_nothing() -> None:
    assert not fits({"id": "x", "kind": "script"}, "x")
