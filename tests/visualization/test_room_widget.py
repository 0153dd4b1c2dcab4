"""The room in a real browser, under a content policy: what it draws, who it listens to, what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization.frames import frame, last_step, seen_by, stage, stage_seen_by
from eduverse_mesa.visualization.widgets.room import RoomWidget, plain
from eduverse_mesa.vocabulary import BEHAVIOURS, EMOTIONS, LEVEL_NAMES
from tests.visualization.rooms import Open, drawing, person, played

HOSTILE = "<img src=x onerror=alert(1)>\u202e{{7*7}}\u2067 " + "W" * 60


def step_with(model: ClassroomModel, wanted: Callable[[Any], bool]) -> int:
    return next(step for step in range(1, last_step(model) + 1) if wanted(frame(model, step)))


def dress(page: Any, **looks: Any) -> None:
    """Let all students look like this, and say nothing."""
    page.evaluate(
        """(looks) => {
            const frame = model.get("frame");
            const students = frame.students.map((student) => ({ ...student, ...looks }));
            model.set("frame", { ...frame, sentences: [], students });
        }""",
        looks,
    )


def test_everybody_is_drawn_with_what_is_shown_of_it(draw: Open) -> None:
    model = played()
    traits = drawing(model, 8)
    page = draw(traits)
    people = page.locator(".ev-r-person:not(.ev-r-teacher)")
    assert people.count() == len(model.students)
    for student in frame(model, 8).students:
        node = person(page, student.name)
        assert node.get_attribute("data-level") == student.level
        assert node.get_attribute("data-emotion") == student.emotion
        label = node.get_attribute("aria-label")
        labels = traits["labels"]
        for part in (f"behaviour.{student.behaviour}", f"emotion.{student.emotion}", f"cognition.{student.cognition}"):
            assert labels[part] in label
        assert student.name in label
        assert node.locator(".ev-r-spark").is_visible() is student.high
    assert page.locator(".ev-r-chalk").first.text_content() == model.lesson.title
    assert page.locator(".ev-r-svg").get_attribute("aria-label") == "Classroom, seen from above"


def test_no_sign_is_a_colour_only(draw: Open) -> None:
    traits = drawing(played(), 1)
    looks = [*BEHAVIOURS[:5]]
    for student, behaviour, level in zip(traits["frame"]["students"], looks, [*LEVEL_NAMES, ""], strict=False):
        student.update(behaviour=behaviour, level=level, emotion="positive", high=False, feedback="")
    page = draw(traits)
    rings = page.locator(".ev-r-person:not(.ev-r-teacher) .ev-r-ring").evaluate_all(
        """nodes => nodes.slice(0, 5).map((node) => {
            const [ring, outer] = [getComputedStyle(node), getComputedStyle(node.nextSibling)];
            return [ring.strokeDasharray, ring.strokeWidth, outer.stroke].join();
        })"""
    )
    assert len(set(rings)) == 5
    mouths = set()
    for emotion in EMOTIONS:
        dress(page, behaviour="head_up", emotion=emotion)
        mouths.add(page.locator(".ev-r-person:not(.ev-r-teacher) .ev-r-feature").nth(1).get_attribute("d"))
    assert len(mouths) == 3


def test_each_behaviour_looks_different_without_its_colour(draw: Open) -> None:
    page = draw(drawing(played(), 1))
    shapes = {}
    for behaviour in BEHAVIOURS:
        dress(page, behaviour=behaviour, emotion="positive", level="active", hand_up=behaviour == "hand_raise")
        shapes[behaviour] = page.locator(".ev-r-person:not(.ev-r-teacher)").first.evaluate(
            "node => [...node.querySelectorAll('.ev-r-figure path, .ev-r-doing path, .ev-r-arm, .ev-r-stalk')]"
            ".filter((part) => part.getClientRects().length && getComputedStyle(part).display !== 'none')"
            ".map((part) => part.getAttribute('d') || part.getAttribute('class')).join()"
        )
    assert len(set(shapes.values())) == len(BEHAVIOURS)


def test_the_next_frame_changes_the_same_figures(draw: Open) -> None:
    model = played()
    page = draw(drawing(model, 4))
    page.evaluate("() => document.querySelectorAll('.ev-r-person, .ev-r-piece').forEach((node) => (node.mine = true))")
    for step in (5, 9, 2):
        page.evaluate("frame => model.set('frame', frame)", plain(frame(model, step)))
        assert page.locator(".ev-room").get_attribute("data-step") == str(step)
        for student in frame(model, step).students:
            assert person(page, student.name).get_attribute("data-behaviour") == student.behaviour
    assert page.evaluate("[...document.querySelectorAll('.ev-r-person, .ev-r-piece')].every((node) => node.mine)")


def test_a_frame_that_says_the_same_touches_nothing(draw: Open) -> None:
    model = played()
    page = draw(drawing(model, 6))
    changes = page.evaluate(
        """async () => {
            let count = 0;
            const watcher = new MutationObserver((list) => (count += list.length));
            const all = { subtree: true, attributes: true, childList: true, characterData: true };
            watcher.observe(document.querySelector("svg"), all);
            model.set("frame", JSON.parse(JSON.stringify(model.get("frame"))));
            await new Promise((done) => setTimeout(done, 50));
            return count;
        }"""
    )
    assert changes == 0


def test_who_moves_glides_there_unless_motion_is_not_wanted(draw: Open) -> None:
    for motion, longest in (("no-preference", 0.2), ("reduce", 0.0)):
        page = draw(drawing(played(), 4), reduced_motion=motion)
        took = page.locator(".ev-r-person").first.evaluate("node => getComputedStyle(node).transitionDuration")
        seconds = max(float(part.strip().rstrip("s")) for part in took.split(","))
        assert (seconds > 0) is (longest > 0)
        assert seconds <= longest


def test_bubbles_and_arrows_are_what_was_said_and_asked(draw: Open) -> None:
    model = played(layout="collab")
    step = step_with(model, lambda shown: {"accepted", "rejected"} <= {entry.status for entry in shown.exchanges})
    shown = frame(model, step)
    page = draw(drawing(model, step))
    teacher = page.locator('.ev-r-bubble[data-channel="teacher"] title').text_content()
    assert shown.teacher.words in teacher
    for kept, channel in (("peer", "peer"), ("class", "class")):
        texts = page.locator(f'.ev-r-bubble[data-channel="{kept}"] title').all_text_contents()
        said = {said.text for said in shown.sentences if said.channel == channel and said.role == "S"}
        assert all(any(text in bubble for text in said) for bubble in texts)
    statuses = page.locator(".ev-r-svg .ev-r-arrow").evaluate_all("nodes => nodes.map((node) => node.dataset.status)")
    assert sorted(statuses) == sorted(entry.status for entry in shown.exchanges)
    for told in ("the classmate declines", "was praised"):
        assert page.locator(f".ev-r-legend >> text={told}").count() == 1
    crossed = page.locator(".ev-r-svg .ev-r-arrow .ev-r-cross").evaluate_all(
        "n => n.filter((p) => p.getAttribute('d')).length"
    )
    assert crossed == statuses.count("rejected")
    lines = page.locator(".ev-r-svg .ev-r-arrow .ev-r-line").evaluate_all(
        "nodes => nodes.map((node) => node.parentNode.dataset.status + getComputedStyle(node).strokeDasharray)"
    )
    assert len(set(lines)) == len(set(statuses))


def test_bubbles_stay_in_the_room_and_off_each_other(draw: Open) -> None:
    for model, width in ((played(), 960), (played("mathematics_30"), 1440), (played("mathematics_30"), 400)):
        page = draw(drawing(model, 10), width=width)
        room = page.locator(".ev-r-svg").bounding_box()
        boxes = [box.bounding_box() for box in page.locator(".ev-r-bubble rect").all()]
        assert boxes
        for box in boxes:
            assert box["x"] >= room["x"] - 1
            assert box["x"] + box["width"] <= room["x"] + room["width"] + 1
            assert box["y"] >= room["y"] - 1
            assert box["y"] + box["height"] <= room["y"] + room["height"] + 1
        if width > 400:
            for place, one in enumerate(boxes):
                for other in boxes[place + 1 :]:
                    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
                    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
                    assert across <= 0 or down <= 0 or across * down < 0.2 * one["width"] * one["height"]


def test_on_a_narrow_page_only_the_teacher_and_the_chosen_one_are_heard(draw: Open) -> None:
    model = played()
    step = step_with(model, lambda shown: len({said.speaker for said in shown.sentences}) > 3)
    page = draw(drawing(model, step), width=400)
    channels = page.locator(".ev-r-bubble").evaluate_all("nodes => nodes.map((node) => node.dataset.channel)")
    assert channels == ["teacher"]
    speaker = next(said.speaker for said in frame(model, step).sentences if said.role == "S")
    page.evaluate("name => model.set('selected', name)", speaker)
    assert page.locator(".ev-r-bubble").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_chooses_and_the_floor_lets_go(draw: Open) -> None:
    page = draw(drawing(played(), 5))
    person(page, "Li Wei").locator(".ev-r-disc").click()
    assert page.evaluate("model.get('selected')") == "Li Wei"
    assert person(page, "Li Wei").get_attribute("aria-pressed") == "true"
    assert person(page, "Liu Li").get_attribute("aria-pressed") == "false"
    page.locator(".ev-r-svg").click(position={"x": 20, "y": 20})
    assert page.evaluate("sent") == [{"selected": "Li Wei"}, {"selected": ""}]


def test_the_keyboard_goes_from_figure_to_figure(draw: Open) -> None:
    page = draw(drawing(played(), 5))
    assert page.locator('.ev-r-person[tabindex="0"]').count() == 1
    page.keyboard.press("Tab")
    names = []
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        names.append(page.evaluate("document.activeElement.evName"))
    assert len(set(names)) == 3
    places = {student.name: (student.x, student.y) for student in frame(played(), 5).students}
    assert places[names[1]][0] > places[names[0]][0]
    assert places[names[2]][1] > places[names[1]][1]
    ring = page.locator(":focus .ev-r-focus").evaluate("node => getComputedStyle(node).stroke")
    assert ring != "none"
    page.keyboard.press("Enter")
    assert page.evaluate("model.get('selected')") == names[2]
    page.keyboard.press("Escape")
    assert page.evaluate("model.get('selected')") == ""


def test_overlays_show_perception_links_and_zones(draw: Open) -> None:
    model = played()
    chosen = model.students[0].name
    page = draw(drawing(model, 5, selected=chosen, overlays=["perception", "graph", "arenas"]))
    near = page.locator('.ev-r-person[data-near="yes"]').evaluate_all("nodes => nodes.map((node) => node.evName)")
    shown = frame(model, 5).student(chosen)
    assert set(near) == set(shown.perceived) & {*model.classmates, model.teacher.name}
    assert page.locator(".ev-r-link").count() == model.placing.graph.number_of_edges()
    assert float(page.locator(".ev-r-radius").get_attribute("r")) == 40 * model.students[0].perception.radius
    zones = sum(len(sector.arenas) for sector in model.layout.sectors)
    assert page.locator(".ev-r-arena").count() == zones
    assert page.locator(".ev-r-arena").first.is_visible()
    assert page.locator(".ev-r-bubble, .ev-r-svg .ev-r-arrow").count() == 0
    page.evaluate("model.set('overlays', [])")
    assert not page.locator(".ev-r-radius").is_visible()
    assert not page.locator(".ev-r-arena").first.is_visible()


def test_hostile_names_and_texts_stay_text(draw: Open) -> None:
    model = played()
    traits = drawing(model, 8)
    name = traits["frame"]["students"][0]["name"]
    blob = json.dumps([traits["frame"], traits["stage"]]).replace(json.dumps(name)[1:-1], json.dumps(HOSTILE)[1:-1])
    traits["frame"], traits["stage"] = json.loads(blob)
    traits["frame"]["title"] = HOSTILE
    for said in traits["frame"]["sentences"]:
        said["text"] = HOSTILE + "<script>alert(2)</script>" + "x" * 100_000 + "\u0301" * 1000
    for piece in traits["stage"]["pieces"]:
        piece["name"], piece["items"] = HOSTILE + piece["name"], [HOSTILE] * 3
    page = draw(traits)
    assert page.locator("#host img, #host script, #host foreignObject, #host a").count() == 0
    shown = page.locator(".ev-room").text_content()
    assert "<img src=x onerror=alert(1)>" in shown
    assert not {"\u202e", "\u2067"} & set(shown)
    assert len(shown) < 60_000
    room = page.locator(".ev-r-svg").bounding_box()
    for text in page.locator(".ev-r-svg text").all():
        box = text.bounding_box()
        if box is not None and box["width"]:
            assert box["width"] < room["width"] / 2
            assert box["height"] < 40
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_seat_shows_those_out_of_sight_as_taken_places_only(draw: Open) -> None:
    model = played("mathematics_30")
    me = model.students[0].name
    widget = RoomWidget.of(model, 9, seat=me)
    assert widget.frame == plain(seen_by(frame(model, 9), me))
    assert widget.stage == plain(stage_seen_by(stage(model), me))
    page = draw(drawing(model, 9, seat=me))
    hidden = page.locator('.ev-r-person[data-level="hidden"]')
    near = set(frame(model, 9).students[0].perceived) & set(model.classmates)
    assert hidden.count() == len(model.students) - 1 - len(near)
    assert hidden.first.locator(".ev-r-eyes").get_attribute("d") == ""
    assert page.locator("[data-me]").evaluate_all("nodes => nodes.map((node) => node.evName)") == [me]


def test_figures_never_lie_on_one_another(draw: Open) -> None:
    for scenario, layout in (("mathematics_30", "pods_4"), ("mathematics_30", None), ("first_lesson", "semicircle")):
        page = draw(drawing(played(scenario, layout), 3))
        spots = page.locator(".ev-r-person .ev-r-disc").evaluate_all(
            "nodes => nodes.map((node) => { const b = node.getBoundingClientRect(); return [b.x, b.y, b.width] })"
        )
        for place, (x, y, width) in enumerate(spots):
            for other_x, other_y, other in spots[place + 1 :]:
                assert max(abs(x - other_x), abs(y - other_y)) > 0.9 * min(width, other)


_NAMES = """() => {
    const box = (node) => { const b = node.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
    const names = [...document.querySelectorAll('.ev-r-name')];
    return {
        names: names.map((node) => [node.textContent, node.parentNode.evName, box(node)]),
        discs: [...document.querySelectorAll('.ev-r-person')]
            .map((node) => [node.evName, box(node.querySelector('.ev-r-ring'))]),
        bubbles: [...document.querySelectorAll('.ev-r-bubble rect')].map(box),
        room: box(document.querySelector('.ev-r-svg')),
    };
}"""


def shared(one: list[float], other: list[float]) -> float:
    """How much of the first lies on the second."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0) * max(down, 0) / ((one[2] - one[0]) * (one[3] - one[1]))


@pytest.mark.parametrize(
    ("scenario", "layout", "width"),
    [
        ("first_lesson", "lecture", 360),
        ("first_lesson", "semicircle", 836),
        ("mathematics_30", "rows_30", 360),
        ("mathematics_30", "pods_4", 360),
    ],
)
def test_every_name_is_whole_and_nothing_lies_on_it(draw: Open, scenario: str, layout: str, width: int) -> None:
    model = played(scenario, layout)
    page = draw(drawing(model, 1), width=width)
    for step in range(2, 11, 2):
        page.evaluate("frame => model.set('frame', frame)", plain(frame(model, step)))
        seen = page.evaluate(_NAMES)
        assert sorted(name for name, _, _ in seen["names"]) == sorted([*model.classmates, model.teacher.name])
        for name, whose, place in seen["names"]:
            assert seen["room"][0] <= place[0] + 1
            assert place[2] <= seen["room"][2] + 1
            assert all(shared(place, bubble) < 0.1 for bubble in seen["bubbles"]), (step, name)
            assert all(shared(place, disc) < 0.1 for other, disc in seen["discs"] if other != whose), (step, name)
            assert all(shared(place, other) < 0.02 for _, who, other in seen["names"] if who != whose), (step, name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_drawing_that_is_taken_away_hears_no_more(draw: Open) -> None:
    page = draw(drawing(played(), 3))
    assert page.evaluate("heard()") > 0
    page.evaluate("leave()")
    assert page.evaluate("heard()") == 0


def test_dark_and_light_differ(draw: Open) -> None:
    page = draw(drawing(played(), 3))
    colour = "getComputedStyle(document.querySelector('.ev-r-floor rect')).fill"
    light = page.evaluate(colour)
    page.evaluate("document.documentElement.className = 'theme--dark'")
    assert page.evaluate(colour) != light
