"""What comes back from sheets and the transport bar: what was there to be clicked, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from eduverse_mesa.visualization.widgets.sheet import Sheet
from eduverse_mesa.visualization.widgets.transport import Transport

TREE = ["div", {}, ["ul", {}, ["b", {"on": {"select": "r1", "at": (1, 2)}}, "one"]], "on", ["b", {"on": 1}]]


@pytest.mark.parametrize("said", [{"select": "r1", "at": [1, 2]}, 1])
def test_a_click_on_what_is_there_is_heard(said: Any) -> None:
    heard: list[Any] = []
    sheet = Sheet(tree=TREE, on_event=heard.append)
    sheet._hear(sheet, {"on": said}, [])
    assert heard == [said]


@pytest.mark.parametrize("message", [{"on": {"select": "r2"}}, {"on": True}, {"on": None}, {"on": "on"}, {}, [], None])
def test_what_is_not_on_the_sheet_is_not(message: Any) -> None:
    heard: list[Any] = []
    sheet = Sheet(tree=TREE, on_event=heard.append)
    sheet._hear(sheet, message, [])
    assert heard == []


def test_the_bar_hears_its_own_six_things() -> None:
    heard: list[Any] = []
    bar = Transport(on_event=heard.append)
    aimed = [{"do": one, "to": 3} for one in ("seek", "glance")]
    good: list[Any] = [*({"do": one} for one in ("play", "pause", "step", "rest")), *aimed]
    bad = [{"do": "seek"}, {"do": "seek", "to": "3"}, {"do": "seek", "to": True}, {"do": "glance", "to": 1.5}]
    for said in [*good, *bad, {"do": ["x"]}, 5, None]:
        bar._hear(bar, {"on": said}, [])
    assert heard == good
