"""What the design page says of a draft that is wrong: validators speak English, the page does not have to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from eduverse_mesa.dashboard.pages.design.fields import _PATTERNS, place, say
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.drafts import Draft, EditError
from eduverse_mesa.scenarios.drafts.documents import put
from eduverse_mesa.visualization.words import load_words
from tests.scenarios.documents import inline

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def wrong(*changes: tuple[tuple[Any, ...], Any]) -> Draft:
    draft = Draft.of_scenario(load_scenario(inline()))
    document = draft.document
    for trail, value in changes:
        document = put(document, trail, value)
    return Draft(document)


ideas, phases = ("lessons", 0, "ideas", 0), ("lessons", 0, "phases")
MISTAKES: dict[str, tuple[tuple[tuple[Any, ...], Any], ...]] = {
    "empty": (((*ideas, "because"), ""),),
    "too_long": (((*ideas, "because"), "x" * 601),),
    "missing": ((ideas, {"id": "moon", "goal": "cause"}),),
    "range": ((("class", "students", 0, "motivation"), 1.5),),
    "seats": ((("class", "students"), [{"name": name} for name in "abcd"]),),
    "off_grid": ((("layout", "seats", 0, "at"), [20, 3]),),
    "cell_taken": ((("layout", "seats", 0, "at"), [4, 3]),),
    "same_name": ((("class", "students", 0, "name"), "bob"),),
    "same_id": ((("layout", "seats", 0, "id"), "b"),),
    "lost_seat": ((("class", "students", 0, "seat"), "z"),),
    "lost_student": ((("seating",), {"Zoe": "b"}),),
    "one_seat": ((("seating",), {"Ann": "b", "Bob": "b"}),),
    "furniture": ((("seating",), {"Ann": [4, 0]}),),
    "no_seats": ((("layout", "seats"), []), (("layout", "seat_graph"), [])),
    "lost_group": ((("layout", "seat_graph"), [{"rule": "same_group", "groups": ["north"]}]),),
    "lost_opposite": ((("layout", "seats", 0, "opposite"), "z"),),
    "first_rule": ((("layout", "seat_graph"), [{"rule": "distance", "do": "keep"}]),),
    "pairs_rule": ((("layout", "seat_graph"), [{"rule": "pairs"}]),),
    "outside_area": ((("layout", "sectors", 0, "arenas", 0, "objects", 0, "at"), [4, 5]),),
    "area": ((("layout", "sectors", 0, "arenas", 0, "area"), [0, 0, 9, 1]),),
    "same_lesson": ((("lessons", 1), inline()["lessons"][0]),),
    "lost_need": ((("lessons", 0, "goals", 0, "needs"), ["stars"]),),
    "circle": ((("lessons", 0, "goals", 0, "needs"), ["cause"]),),
    "same_phase": (((*phases, 0, "share"), 0.5), ((*phases, 1), {**inline()["lessons"][0]["phases"][0], "share": 0.5})),
    "shares": (((*phases, 0, "share"), 0.5),),
    "lost_part": (((*ideas, "goal"), "stars"),),
    "no_question": (((*phases, 0, "activities"), [{"do": "ask"}]),),
    "no_idea": (((*phases, 0, "activities"), [{"do": "explain"}]),),
    "unconfirmed": ((("lessons", 0, "unconfirmed"), ["moon.because"]),),
    "no_class": ((("class", "students"), []),),
}


def test_every_sentence_has_its_mistake() -> None:
    assert set(MISTAKES) == set(_PATTERNS)


@pytest.mark.parametrize("key", MISTAKES)
def test_a_mistake_is_said_in_both_languages(key: str) -> None:
    """So that a validator that finds other words for it is noticed."""
    draft = wrong(*MISTAKES[key])
    assert draft.problems
    english, chinese = load_words("en"), load_words("zh")
    matching = [found for found in draft.problems if _PATTERNS[key].match(f"{found.message}. {found.mend}")]
    assert matching, draft.problems
    for found in matching:
        assert CHINESE.search(say(chinese, found))
        assert "{" not in say(english, found)


def test_what_the_page_has_no_words_for_is_said_in_the_words_of_files() -> None:
    draft = wrong((("settings",), {"gaet": 1}))
    assert say(load_words("en"), draft.problems[0]).startswith("Unknown key 'gaet'. Did you mean 'gate'?")
    assert say(load_words("zh"), draft.problems[0]).startswith("没有 'gaet' 这个键。是不是想写“gate”？")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ((("class", "students", 1, "traits"), {"openness": 2}), "Bob · Openness"),
        (((*ideas, "because"), ""), "Idea 1 · The reason for it"),
        (((*phases, 0, "activities", 0, "do"), "dance"), "Introduction · Activity 1"),
        ((("layout", "seats", 0, "at"), [20, 3]), "Seat a"),
        ((("layout", "seat_graph"), [{"rule": "pairs"}]), "Rule 1"),
        ((("settings",), {"gate": {"threshold": 7}}), "Social gate"),
        ((("seating",), {"Zoe": "b"}), "Zoe"),
    ],
)
def test_a_place_is_said_as_a_person_would(change: tuple[tuple[Any, ...], Any], where: str) -> None:
    draft = wrong(change)
    assert place(load_words("en"), draft, draft.problems[0].trail) == where


@pytest.mark.parametrize(
    "act",
    [
        lambda draft: draft.room.move("student", "Ann", [99, 0]),
        lambda draft: draft.room.move("student", "Ann", [4, 0]),
        lambda draft: draft.people.rename(0, "bob"),
        lambda draft: draft.people.group_evenly(0),
        lambda draft: draft.lessons.remove(0),
        lambda draft: draft.room.add_table(seats=40),
        lambda draft: draft.rules.link("Ann", "Ann"),
    ],
    ids=["outside", "object", "name", "groups", "lesson", "table", "pair"],
)
def test_a_refusal_is_said_in_chinese(act: Callable[[Draft], None]) -> None:
    with pytest.raises(EditError) as caught:
        act(wrong())
    assert CHINESE.search(say(load_words("zh"), caught.value))
