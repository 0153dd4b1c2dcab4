"""The areas of a room are edited like what stands in them, and nothing that stands in them is lost."""

from __future__ import annotations

import pytest

from eduverse_mesa.scenarios.drafts import Draft, EditError
from eduverse_mesa.scenarios.drafts.placement import read_things


@pytest.fixture
def draft() -> Draft:
    return Draft.of_name()


def names(draft: Draft) -> list[str]:
    return [area.arena.name for area in draft.areas.all]


def home_of(draft: Draft, thing: str) -> str:
    """The area in which an object stands; empty for one that has a cell of its own."""
    trail = next(one.trail for one in read_things(draft.document) if one.thing.name == thing)[:-2]
    return next((area.arena.name for area in draft.areas.all if area.trail == trail), "")


def test_an_area_is_added_named_and_sized_and_the_scenario_is_valid(draft: Draft) -> None:
    name = draft.areas.add("Reading corner")
    draft.areas.rename(name, "Library")
    draft.areas.resize("Library", (2, 14, 9, 18))
    draft.areas.present("Library", True)
    assert draft.scenario is not None
    arena = next(
        arena for sector in draft.scenario.layout.sectors for arena in sector.arenas if arena.name == "Library"
    )
    assert (arena.area, arena.presentation) == ((2, 14, 9, 18), True)
    draft.room.add_object("desk", [3, 15], "reading desk")
    assert home_of(draft, "reading desk") == "Library"


def test_what_stands_in_an_area_stays_where_it_is(draft: Draft) -> None:
    cells = {one.thing.name: one.thing.at for one in read_things(draft.document)}
    assert home_of(draft, "side table A") == "group_a"
    draft.areas.remove("group_a")
    assert home_of(draft, "side table A") == ""
    draft.areas.resize("instruction", (0, 4, 20, 8))
    assert home_of(draft, "desk A") == "instruction"
    assert home_of(draft, "desk B") == ""
    assert {one.thing.name: one.thing.at for one in read_things(draft.document)} == cells
    assert draft.scenario is not None
    draft.undo()
    draft.undo()
    assert home_of(draft, "side table A") == "group_a"


@pytest.mark.parametrize("box", [(5, 5, 4, 9), (0, 0, 30, 4), (0, 0, None, 4), (0, 0.5, 3, 4), (-1, 0, 3, 4)])
def test_no_area_reaches_out_of_the_room(draft: Draft, box: tuple[object, object, object, object]) -> None:
    with pytest.raises(EditError, match="no area of the room"):
        draft.areas.resize("storage", box)


def test_names_of_areas_are_their_own_and_one_area_is_left(draft: Draft) -> None:
    with pytest.raises(EditError, match="no free name"):
        draft.areas.rename("storage", "podium")
    with pytest.raises(EditError, match="no area 'nowhere'"):
        draft.areas.remove("nowhere")
    assert [draft.areas.add(), draft.areas.add()] == ["area", "area 2"]
    for thing in list(read_things(draft.document)):
        draft.room.remove_object(thing.thing.name)
    *others, last = names(draft)
    for name in others:
        draft.areas.remove(name)
    with pytest.raises(EditError, match="only area"):
        draft.areas.remove(last)
    assert names(draft) == [last]
