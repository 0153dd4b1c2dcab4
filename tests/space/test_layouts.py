"""The built-in layouts: they fit, they are full rooms, and their links are the paper's."""

from __future__ import annotations

from importlib.resources import files
from itertools import combinations

import pytest
import yaml

from eduverse_mesa.scenarios.layout import Layout, expand_seats
from eduverse_mesa.space import perceive, seat_graph
from tests.space.rooms import Person, School

FOLDER = files("eduverse_mesa.scenarios").joinpath("layouts")
LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
        for file in FOLDER.iterdir()
        if file.name.endswith(".yaml")
    )
}
each_layout = pytest.mark.parametrize("name", sorted(LAYOUTS))


def full(name: str, students: int | None = None) -> School:
    seats = expand_seats(LAYOUTS[name])[:students]
    school = School(LAYOUTS[name], {seat.id: seat.at for seat in seats})
    assert school.room.move(Person(school, "Teacher", "teacher"), LAYOUTS[name].teacher) is None
    return school


def links(name: str) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in seat_graph(LAYOUTS[name]).edges}


def test_all_are_there() -> None:
    assert set(LAYOUTS) >= {"lecture", "round", "collab", "semicircle", "rows_30", "pods_4"}


@each_layout
def test_it_is_called_like_its_file(name: str) -> None:
    assert FOLDER.joinpath(f"{name}.yaml").is_file()


@each_layout
def test_it_has_all_four_tiers(name: str) -> None:
    """Table A2: zones, areas, objects and items."""
    layout = LAYOUTS[name]
    assert [sector.name for sector in layout.sectors] == ["teacher_zone", "student_zone", "activity_zone"]
    arenas = {arena.name: arena for sector in layout.sectors for arena in sector.arenas}
    assert set(arenas) >= {"podium", "display", "instruction", "group_a", "group_b", "storage"}
    room = School(layout).room
    kinds = {thing.kind for thing in room.furniture}
    assert kinds >= {"board", "lectern", "whiteboard", "cupboard", "water_dispenser"}
    assert kinds & {"desk", "table"}
    items = {item for thing in room.furniture for item in thing.items}
    assert items >= {"chalk", "eraser", "textbook", "pen", "cup", "bag", "broom", "clock"}


@each_layout
def test_everybody_fits_and_sits_in_the_student_zone(name: str) -> None:
    school = full(name)
    for person in school.people.values():
        assert school.room.sector_at(person.cell.coordinate).name == "student_zone"  # type: ignore[union-attr]
        assert len(perceive(school.room, person, 8.0, 5)) >= 3
    assert (LAYOUTS[name].grid.width, LAYOUTS[name].grid.height) == (30, 20)


@each_layout
def test_arenas_do_not_overlap(name: str) -> None:
    arenas = [arena for sector in LAYOUTS[name].sectors for arena in sector.arenas]
    for one, other in combinations(arenas, 2):
        apart_across = one.area[2] < other.area[0] or other.area[2] < one.area[0]
        apart_down = one.area[3] < other.area[1] or other.area[3] < one.area[1]
        assert apart_across or apart_down, (one.name, other.name)


@each_layout
def test_front_and_back_differ(name: str) -> None:
    school = full(name, 6 if name != "semicircle" else None)
    to_board = [school.room.distance_to_board(person) for person in school.people.values()]
    assert max(to_board) - min(to_board) >= 2.0 or name == "semicircle"
    assert min(to_board) >= 4.0


def test_lecture_links_within_a_row_only() -> None:
    rows = [["r1_1", "r1_2", "r1_3"], ["r2_1", "r2_2", "r2_3"]]
    assert links("lecture") == {frozenset(pair) for row in rows for pair in combinations(row, 2)}


def test_round_links_neighbours_and_opposites_but_not_second_neighbours() -> None:
    neighbours = {frozenset((f"c{n}", f"c{n % 6 + 1}")) for n in range(1, 7)}
    opposites = {frozenset((f"c{n}", f"c{n + 3}")) for n in (1, 2, 3)}
    assert links("round") == neighbours | opposites


def test_collab_is_complete_at_a_table_and_has_no_link_across() -> None:
    tables = [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
    assert links("collab") == {frozenset(pair) for table in tables for pair in combinations(table, 2)}


def test_pods_are_complete_and_apart() -> None:
    graph = seat_graph(LAYOUTS["pods_4"])
    assert {degree for _, degree in graph.degree} == {3}
    assert all(graph.nodes[one]["group"] == graph.nodes[other]["group"] for one, other in graph.edges)


def test_the_other_layouts_have_the_seats_they_are_called_by() -> None:
    assert {name: len(expand_seats(LAYOUTS[name])) for name in ("rows_30", "pods_4", "lecture", "round", "collab")} == {
        "rows_30": 30,
        "pods_4": 32,
        "lecture": 6,
        "round": 6,
        "collab": 6,
    }


@pytest.mark.parametrize("name", ["lecture", "semicircle", "rows_30"])
def test_who_faces_the_board_sits_in_a_presentation_arena(name: str) -> None:
    school = full(name)
    assert all(school.room.arena_at(person.cell.coordinate).presentation for person in school.people.values())  # type: ignore[union-attr]
