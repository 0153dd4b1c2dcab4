"""The room: moves and refusals, what is where, Mesa's grid underneath, and that nothing is kept alive."""

from __future__ import annotations

import copy
import copyreg
import gc
import math
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mesa.discrete_space import Cell, OrthogonalVonNeumannGrid

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.layout import Arena, Sector, Thing
from eduverse_mesa.space import AGENT_NUMBERS, perceive
from tests.space.rooms import Person, School, layout

BOARD = Thing(name="board", kind="board", at=(14, 0), items=("chalk", "eraser"))
DESK = Thing(name="desk A", kind="desk", at=(10, 5), items=("pen",))
CELLS = st.tuples(st.integers(-2, 31), st.integers(-2, 21))


def test_it_is_mesas_grid_with_one_thing_per_cell() -> None:
    room = School(layout(BOARD)).room
    assert isinstance(room.grid, OrthogonalVonNeumannGrid)
    assert (room.grid.width, room.grid.height) == (30, 20)
    assert {cell.capacity for cell in room.grid} == {1}
    assert len(room.grid.empties.cells) == 30 * 20 - 1
    assert not room.grid[14, 0].empty
    assert all(isinstance(cell, Cell) for cell in room.grid)


def test_cells_are_connected_as_mesa_would_connect_them() -> None:
    ours = School(layout(BOARD)).room.grid
    mesas: Any = OrthogonalVonNeumannGrid((30, 20), capacity=1, random=ours.random)
    for cell in mesas:
        directions = {way: there.coordinate for way, there in cell.connections.items()}
        assert {way: there.coordinate for way, there in ours[cell.coordinate].connections.items()} == directions


def test_connections_can_be_cut_and_cells_taken_out() -> None:
    grid = School(layout(BOARD)).room.grid
    grid.remove_connection(grid[3, 3], grid[3, 4])
    assert (0, 1) not in grid[3, 3].connections
    grid.remove_cell(grid[5, 5])
    assert grid.cells.get((5, 5)) is None
    assert (5, 5) not in {cell.coordinate for cell in grid[5, 6].neighborhood}
    assert (0, -1) not in grid[5, 6].connections


@given(st.tuples(st.integers(0, 29), st.integers(0, 19)), st.floats(1, 12), st.booleans())
def test_neighbourhoods_are_euclidean(cell: tuple[int, int], radius: float, centre: bool) -> None:
    grid = ROOM.room.grid
    near = {other.coordinate for other in grid[cell].get_neighborhood(radius, include_center=centre)}
    expected = {other for other in grid.cells if math.dist(cell, other) <= radius and (centre or other != cell)}
    assert near == expected


ROOM = School(layout(BOARD))


def test_a_neighbourhood_has_some_radius() -> None:
    with pytest.raises(ValueError, match="radius of 1"):
        ROOM.room.grid[3, 3].get_neighborhood(0)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ((12, 6), "Li Wei is there"),
        ((10, 5), "'desk A' stands there"),
        ((30, 0), "outside the room of 30 x 20"),
        ((-1, 5), "outside the room"),
    ],
)
def test_a_move_that_cannot_be_says_why_and_changes_nothing(cell: tuple[int, int], reason: str) -> None:
    school = School(layout(DESK), {"Wang Fang": (4, 4), "Li Wei": (12, 6)})
    person = school.people["Wang Fang"]
    refusal = school.room.move(person, cell)
    assert refusal is not None
    assert reason in refusal.reason
    assert person.cell is school.room.grid[4, 4]
    assert school.room.grid[4, 4].agents == [person]
    assert school.room.at((4, 4)) is person


def test_a_move_leaves_the_old_cell_free() -> None:
    school = School(layout(), {"a": (4, 4), "b": (5, 5)})
    room, one = school.room, school.people["a"]
    assert room.move(one, (6, 6)) is None
    assert (room.at((4, 4)), room.at((6, 6))) == (None, one)
    assert room.grid[4, 4].empty
    assert room.move(one, (6, 6)) is None, "where one is, one may stay"
    assert room.move(school.people["b"], (4, 4)) is None


def test_furniture_does_not_move() -> None:
    room = School(layout(DESK)).room
    refusal = room.move(room.furniture[0], (2, 2))
    assert refusal is not None
    assert "does not move" in refusal.reason
    assert room.object_at((10, 5)) is room.furniture[0]


def test_two_can_change_places() -> None:
    school = School(layout(), {"a": (4, 4), "b": (5, 5)})
    one, other = school.people.values()
    school.room.swap(one, other)
    school.room.swap(one, one)
    assert (one.cell.coordinate, other.cell.coordinate) == ((5, 5), (4, 4))
    assert (school.room.at((5, 5)), school.room.at((4, 4))) == (one, other)


@given(st.lists(st.tuples(st.sampled_from("abc"), CELLS), max_size=30))
def test_whatever_is_tried_everybody_is_in_exactly_one_cell(moves: list[tuple[str, tuple[int, int]]]) -> None:
    school = School(layout(DESK), {"a": (1, 1), "b": (2, 2), "c": (3, 3)})
    room = school.room
    for name, cell in moves:
        person, before = school.people[name], school.people[name].cell
        free = cell in room.grid.cells and room.at(cell) in (None, person)
        assert (room.move(person, cell) is None) == free
        assert person.cell is (room.grid[cell] if free else before)
    cells = [cell for cell in room.grid if cell.agents]
    assert {cell.coordinate: cell.agents[0] for cell in cells} == room.grid.occupied
    assert len(cells) == len(school.people) + len(room.furniture)
    assert all(person.cell.agents == [person] for person in school.people.values())


def test_mesas_own_ways_of_moving_are_seen_too() -> None:
    school = School(layout(), {"a": (4, 4)})
    school.people["a"].move_relative((1, 0))
    assert school.room.at((5, 4)) is school.people["a"]
    school.people["a"].remove()
    assert school.room.at((5, 4)) is None


def test_furniture_is_no_agent_of_the_model() -> None:
    school = School(layout(DESK), {"a": (4, 4)})
    assert list(school.agents) == [school.people["a"]]


def test_what_is_where() -> None:
    front = Arena(name="display", area=(10, 0, 20, 1), objects=(BOARD,))
    inner = Arena(name="corner", area=(4, 4, 6, 6), presentation=True)
    outer = Arena(name="group_a", area=(0, 3, 29, 19), objects=(DESK,))
    sectors = (Sector(name="teacher_zone", arenas=(front,)), Sector(name="student_zone", arenas=(outer, inner)))
    room = School(layout(sectors=sectors), {"a": (4, 4), "b": (5, 5), "c": (10, 10)}).room
    a, b, c = (room.find(name) for name in "abc")
    assert room.arena_at((14, 0)).name == "display"  # type: ignore[union-attr]
    assert room.sector_at((14, 0)).name == "teacher_zone"  # type: ignore[union-attr]
    assert room.arena_at((5, 5)).name == "corner", "the smaller arena is meant where two overlap"  # type: ignore[union-attr]
    assert (room.arena_at((0, 0)), room.sector_at((0, 0)), room.zone_at((0, 0))) == (None, None, None)
    assert room.find("desk A") is room.object_at((10, 5)) is room.at((10, 5))
    assert (room.items_at((14, 0)), room.items_at((4, 4))) == (("chalk", "eraser"), ())
    assert [thing.name for thing in room.holders_of("pen")] == ["desk A"]
    assert room.object_at((4, 4)) is None
    assert room.find("nobody") is None
    assert room.share_arena(a, b)
    assert not room.share_arena(a, c)


def test_distances_are_euclidean() -> None:
    room = School(layout(BOARD), {"a": (14, 8), "b": (11, 4)}).room
    assert room.distance(room.find("a"), room.find("b")) == 5.0
    assert room.distance_to_board(room.find("a")) == 8.0


def test_the_board_is_the_middle_of_the_boards() -> None:
    second = Thing(name="board 2", kind="board", at=(18, 2))
    white = Thing(name="whiteboard", kind="whiteboard", at=(2, 2))
    assert School(layout(BOARD, second, white)).room.board == (16.0, 1.0)
    assert School(layout(white)).room.board == (2.0, 2.0)
    assert School(layout(DESK, teacher=(3, 1))).room.board == (3.0, 1.0)


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ((BOARD, Thing(name="desk", at=(14, 0))), "object 'desk': it cannot stand at .*'board' stands there"),
        ((BOARD, Thing(name="board", at=(3, 3))), "two objects of this name"),
        ((Thing(name="desk", at=(40, 0)),), "'desk' at .* stands outside of its area"),
    ],
    ids=["same cell", "same name", "outside"],
)
def test_furniture_that_cannot_stand_is_refused(objects: tuple[Thing, ...], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        School(layout(*objects))


@pytest.mark.parametrize("area", [(5, 5, 4, 9), (0, 0, 30, 5), (-1, 0, 3, 3), (0, 9, 3, 4)])
def test_arenas_are_parts_of_the_grid(area: tuple[int, int, int, int]) -> None:
    sectors = (Sector(name="zone", arenas=(Arena(name="odd", area=area),)),)
    with pytest.raises(ScenarioError, match=r"arena 'odd': its area .* is no part of the grid"):
        School(layout(sectors=sectors))


# --- nothing stays ---


def used_school() -> School:
    school = School(layout(BOARD, DESK), {"a": (4, 4), "b": (5, 5)})
    perceive(school.room, school.people["a"], 8.0, 5)
    for cell in (school.room.grid[3, 3], school.room.grid[4, 4]):
        assert cell.neighborhood.cells
        assert cell.get_neighborhood(8).cells
        assert cell.connections
    return school


def test_a_dropped_model_is_freed_with_its_room() -> None:
    school = used_school()
    room = school.room
    kept: list[Any] = [school, room, room.grid, room.grid.cell_klass, room.furniture[0], school.people["a"]]
    watched = [weakref.ref(part) for part in kept]
    del school, room, kept
    gc.collect()
    assert [reference() for reference in watched] == [None] * len(watched)


def test_the_interpreter_is_left_as_it_was() -> None:
    used_school()
    gc.collect()
    before, counted = len(copyreg.dispatch_table), len(AGENT_NUMBERS)
    for _ in range(3):
        used_school()
    gc.collect()
    assert len(copyreg.dispatch_table) == before
    assert len(AGENT_NUMBERS) == counted


def test_agents_are_numbered_per_model() -> None:
    one, other = School(layout(DESK), {"a": (4, 4)}), School(layout(DESK), {"a": (4, 4)})
    assert one.people["a"].unique_id == other.people["a"].unique_id
    assert one.people["a"].unique_id != one.room.furniture[0].unique_id


def test_a_copy_is_a_room_of_its_own() -> None:
    school = used_school()
    school.room.grid.create_property_layer("noise", default_value=0.0, dtype=float)
    school.room.grid[3, 3].noise = 2.5
    other = copy.deepcopy(school)
    room, person = other.room, other.people["a"]
    assert room.grid is not school.room.grid
    assert person.cell is room.grid[4, 4]
    assert person.cell.agents == [person]
    assert room.furniture[0].cell is room.grid[14, 0]
    assert room.grid[3, 3].noise == 2.5
    assert [cell.coordinate for cell in room.grid if not cell.empty] == [(4, 4), (5, 5), (10, 5), (14, 0)]
    assert perceive(room, person, 8.0, 5) == perceive(school.room, school.people["a"], 8.0, 5)
    assert room.move(person, (7, 7)) is None
    assert school.people["a"].cell.coordinate == (4, 4)


@pytest.mark.parametrize("start", ["person", "cell"])
def test_a_copy_may_start_from_any_part(start: str) -> None:
    person = used_school().people["a"]
    cell = copy.deepcopy(person).cell if start == "person" else copy.deepcopy(person.cell)
    assert cell.grid[4, 4] is cell
    assert [other.name for other in cell.agents] == ["a"]
    assert isinstance(cell.agents[0], Person)
    assert cell.agents[0].cell is cell
