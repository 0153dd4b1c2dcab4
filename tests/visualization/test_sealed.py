"""Data that go into a widget unopened come out of it as they are."""

from __future__ import annotations

from typing import Any

import pytest
import solara
import traitlets
from reacton.core import find_elements

from eduverse_mesa.visualization.widgets.base import Sealed
from eduverse_mesa.visualization.widgets.room import RoomWidget
from eduverse_mesa.visualization.widgets.sheet import Sheet

TREE = ["ul", {"class": "all"}, ["li", {}, "one"]]


def test_a_widget_has_what_was_sealed_and_tells_only_of_what_is_new() -> None:
    sheet, told = Sheet(tree=Sealed(TREE)), list[Any]()
    assert sheet.tree == TREE
    sheet.observe(lambda change: told.append(change["new"]), "tree")
    sheet.tree = Sealed(["ul", {"class": "all"}, ["li", {}, "one"]])
    assert told == []
    sheet.tree = Sealed(["ul", {}])
    assert told == [["ul", {}]]


def test_a_trait_for_a_dict_takes_no_list_sealed_or_not() -> None:
    for given in ([1], Sealed([1])):
        with pytest.raises(traitlets.TraitError):
            RoomWidget(stage=given, frame={})


def test_nothing_looks_for_elements_in_what_is_sealed() -> None:
    element = solara.Text("found")
    assert find_elements([element]) == {element}
    assert find_elements([Sealed([element])]) == set()


def test_sealed_data_are_the_same_where_the_data_are() -> None:
    assert Sealed(TREE) == Sealed([*TREE])
    assert Sealed(TREE) != Sealed([])
    assert Sealed(TREE) != TREE
