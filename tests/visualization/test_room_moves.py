"""Moving things in the room, in a real browser: by dragging, by keys, and what is refused."""

from __future__ import annotations

from typing import Any

from eduverse_mesa.visualization.frames import frame, stage
from eduverse_mesa.visualization.widgets.room import plain
from tests.visualization.rooms import Open, drawing, person, played


def centre(page: Any, node: Any) -> tuple[float, float]:
    box = node.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, node: Any, cells: tuple[int, int], cell: float) -> None:
    x, y = centre(page, node)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + cells[0] * cell / 2, y + cells[1] * cell / 2, steps=3)
    page.mouse.move(x + cells[0] * cell, y + cells[1] * cell, steps=3)
    page.mouse.up()


def cell_of(page: Any) -> float:
    return float(page.evaluate("document.querySelector('.ev-r-svg').getScreenCTM().a * 40"))


def test_dragging_proposes_a_move_and_a_taken_cell_refuses(draw: Open) -> None:
    model = played()
    page = draw(drawing(model, 5, mode="edit"))
    cell = cell_of(page)
    student = frame(model, 5).student("Li Wei")
    drag(page, person(page, "Li Wei").locator(".ev-r-disc"), (1, 2), cell)
    board = next(piece for piece in stage(model).pieces if piece.kind == "cupboard")
    drag(page, page.locator(".ev-r-cupboard .ev-r-wood"), (-2, -1), cell)
    moved = [
        {"act": "move", "kind": "student", "name": "Li Wei", "to": [student.x + 1, student.y + 2]},
        {"act": "move", "kind": "thing", "name": board.name, "to": [board.x - 2, board.y - 1]},
    ]
    assert page.evaluate("sent") == moved
    mate = next(s for s in frame(model, 5).students if s.y == student.y and s.x == student.x + 2)
    page.evaluate("frame => model.set('frame', frame)", plain(frame(model, 5)))
    drag(page, person(page, "Li Wei").locator(".ev-r-disc"), (mate.x - student.x, 0), cell)
    drag(page, person(page, "Li Wei").locator(".ev-r-disc"), (-200, 0), cell)
    assert page.evaluate("sent") == moved


def test_a_move_that_gets_no_answer_goes_back(draw: Open) -> None:
    model = played()
    page = draw(drawing(model, 5, mode="edit"))
    node = person(page, "Li Wei")
    before = node.evaluate("node => node.style.transform")
    drag(page, node.locator(".ev-r-disc"), (0, 3), cell_of(page))
    assert node.evaluate("node => node.style.transform") != before
    page.wait_for_function(
        "was => [...document.querySelectorAll('.ev-r-person')].some((one) => one.evName === 'Li Wei' &&"
        " one.style.transform === was)",
        arg=before,
    )


def test_the_keys_move_too_and_keep_the_focus_when_the_room_is_drawn_anew(draw: Open) -> None:
    model = played()
    traits = drawing(model, 5, mode="edit")
    traits["frame"]["students"] = []
    page = draw(traits)
    page.locator(".ev-r-seat").first.focus()
    seat = traits["stage"]["seats"][0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate("sent") == [
        {"act": "move", "kind": "seat", "name": seat["id"], "to": [seat["x"], seat["y"] + 1]}
    ]
    seat["y"] += 1
    page.evaluate("stage => model.set('stage', stage)", traits["stage"])
    assert page.evaluate("document.activeElement.evName") == seat["id"]
    assert f"{seat['x']}, {seat['y']}" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    for key in ("ArrowUp", "ArrowRight", "ArrowRight"):  # the last one leads to another seat
        page.keyboard.press(key)
    assert [message["to"] for message in page.evaluate("sent")][1:] == [[12, 6], [13, 6]]
