"""What the design page does to a draft, without a browser."""

from __future__ import annotations

import pytest

from eduverse_mesa.dashboard.lessons.draft import Workshop, tab_of
from eduverse_mesa.dashboard.pages.design.drawing import frame_of, links, stage_of
from eduverse_mesa.dashboard.pages.design.lesson import read, take_file
from eduverse_mesa.dashboard.pages.design.page import file_name, open_file
from eduverse_mesa.dashboard.pages.design.room import add, remove
from eduverse_mesa.scenarios.drafts.documents import write_yaml
from eduverse_mesa.scenarios.plain import Trail


def test_what_is_refused_is_said_and_changes_nothing() -> None:
    shop = Workshop()
    told: list[int] = []
    shop.changed.listen(lambda: told.append(1))
    assert not shop.do(shop.draft.room.move, "student", "Li Wei", [99, 99])
    assert "outside the room" in str(shop.refused)
    assert shop.draft.history.length == 0
    assert told
    assert shop.do(shop.draft.room.move, "student", "Li Wei", [1, 15])
    assert str(shop.refused) == "None"
    assert shop.done is not None
    assert shop.done.code == "move_student"


def test_the_first_edit_of_a_seat_is_told() -> None:
    shop, told = Workshop(), []
    shop.do(shop.draft.room.move, "student", "Li Wei", [1, 15])
    told.append(shop.listed_seats)
    shop.do(shop.draft.room.move, "seat", "r1_1", [12, 5])
    told.append(shop.listed_seats)
    shop.undo()
    told.append(shop.listed_seats)
    assert told == [False, True, False]
    assert shop.draft.room.is_patterned()


@pytest.mark.parametrize("what", ["seat", "table_4", "desk", "board", "cupboard", "student"])
def test_what_is_added_is_looked_at_and_can_be_removed(what: str) -> None:
    shop = Workshop()
    before = shop.draft.document
    add(shop, what)
    assert shop.draft.history.length == 1
    if what != "table_4":
        assert shop.picked[1]
        remove(shop)
        assert shop.draft.history.length == 2
        assert shop.picked == ("student", "")
    shop.undo()
    shop.undo()
    assert shop.draft.document is before


@pytest.mark.parametrize(
    ("trail", "tab"),
    [
        (("layout", "seats", 0), "room"),
        (("layout", "seat_graph", 0), "rules"),
        (("class", "students", 1), "students"),
        (("seating", "Ann"), "students"),
        (("lessons", 0), "lesson"),
        (("settings", "steps"), "settings"),
        (("name",), "file"),
        ((), "file"),
    ],
)
def test_every_problem_has_its_tab(trail: Trail, tab: str) -> None:
    assert tab_of(trail) == tab


def test_a_problem_leads_to_its_form() -> None:
    shop = Workshop()
    shop.go_to(("class", "students", 2, "age"))
    assert (shop.tab, shop.picked, shop.student) == ("students", ("student", "Wang Fang"), 2)
    shop.go_to(("lessons", 0, "ideas", 3, "because"))
    assert (shop.tab, shop.view, shop.part) == ("lesson", "ideas", ("ideas", 3))
    shop.go_to(("lessons", 0, "demand"))
    assert (shop.view, shop.part) == ("about", ())


def test_what_was_open_and_is_gone_is_closed() -> None:
    shop = Workshop()
    shop.draft.lessons.add_goal(0)
    shop.renew(view="goals", part=("goals", 4))
    shop.undo()
    assert shop.part == ()


def test_the_drawing_shows_what_is_valid() -> None:
    shop = Workshop()
    shop.do(shop.draft.set, ("layout", "sectors", 0, "arenas", 0, "objects", 0, "at"), "nowhere")
    shop.do(shop.draft.set, ("class", "students", 0, "initial"), {"emotion": "hungry"})
    shop.do(shop.draft.set, ("layout", "teacher"), None)
    assert shop.draft.scenario is None
    room = stage_of(shop.draft)
    assert "board" not in {piece.name for piece in room.pieces}
    assert room.edges == links(shop.draft)
    assert len(frame_of(shop.draft).students) == 6
    assert frame_of(shop.draft, people=False).students == ()


def test_a_lesson_file_takes_the_place_of_the_lesson() -> None:
    shop = Workshop()
    lesson = write_yaml(shop.draft.get("lessons", 0)).replace("spring_1", "my_spring")
    shop.lesson = 0
    take_file(shop, "my.YAML", lesson)
    assert shop.draft.get("lessons", 0, "name") == "my_spring"
    shop.undo()
    shop.renew(outline_text=lesson)
    read(shop)
    assert shop.draft.get("lessons", 0, "name") == "my_spring"
    take_file(shop, "all.yaml", shop.draft.dump())
    assert shop.refused is not None
    assert shop.refused.message == "this is a scenario, no lesson."
    take_file(shop, "notes.txt", "Warm-up\n- hello?")
    assert shop.outline_text.startswith("Warm-up")


def test_a_name_of_a_file_is_one_anywhere() -> None:
    shop = Workshop()
    shop.do(shop.draft.set, ("name",), "../../etc/<b>春</b>")
    assert file_name(shop) == "etc_b_b.yaml"
    shop.do(shop.draft.set, ("name",), None)
    assert file_name(shop) == "scenario.yaml"


def test_a_file_of_the_wrong_size_is_refused_unread() -> None:
    shop = Workshop()
    assert not shop.do(open_file, shop, {"name": "x", "text": "", "size": 5_000_000})
    assert shop.refused is not None
    assert "5.0 MB" in shop.refused.message
