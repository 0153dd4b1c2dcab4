"""The room's widget on the side of Python: words for every code, and what it hears of a browser."""

from __future__ import annotations

from typing import Any

import pytest

from eduverse_mesa.visualization.widgets.room import OVERLAYS, USUAL, RoomWidget, is_move, room_labels
from eduverse_mesa.visualization.words import LANGUAGES
from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS, BLOOM, EMOTIONS, LEVEL_NAMES, PEER_REQUESTS


def test_every_code_has_a_word_in_every_language() -> None:
    codes = {
        "behaviour": BEHAVIOURS,
        "emotion": EMOTIONS,
        "cognition": BLOOM,
        "level": LEVEL_NAMES,
        "act": ACTS,
        "request": PEER_REQUESTS,
        "status": ("pending", "accepted", "rejected"),
        "feedback": ("positive", "neutral", "negative"),
    }
    keys = {f"{group}.{code}" for group, names in codes.items() for code in names}
    for language in LANGUAGES:
        labels = room_labels(language)
        assert keys <= set(labels)
        assert all(labels.values())
    assert set(room_labels("en")) == set(room_labels("zh"))


def test_a_move_is_told_and_nothing_else_is() -> None:
    told: list[dict[str, Any]] = []
    widget = RoomWidget(on_event=told.append)
    move = {"act": "move", "kind": "thing", "name": "desk A", "to": [3, 4]}
    bad: list[Any] = [
        None,
        [],
        {**move, "act": "drop"},
        {**move, "kind": "model"},
        {**move, "kind": ["thing"]},
        {**move, "to": [1]},
        {**move, "to": [1.5, True]},
        {**move, "to": "12"},
        {**move, "name": 3},
    ]
    for message in [*bad, {**move, "more": "x"}]:
        widget._handle_custom_msg(message, [])
    assert told == [move]
    assert [is_move(message) for message in bad] == [False] * len(bad)


def test_the_widget_takes_only_overlays_it_knows() -> None:
    assert set(USUAL) <= set(OVERLAYS)
    with pytest.raises(Exception, match="overlays"):
        RoomWidget(overlays=["x-ray"])
