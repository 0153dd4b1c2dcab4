"""Affordances: what is open when, why not, and what is done instead; every situation there is."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from eduverse_mesa.scenarios.layout import Mode
from eduverse_mesa.space import Situation, nearest_permitted, permitted, why_not
from eduverse_mesa.space.affordances import HONOURS, RULES, SUBSTITUTES
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, BEHAVIOURS, PEER_REQUESTS

ALL = [
    Situation(*values)
    for values in product(
        (False, True),
        (False, True),
        (False, True),
        get_args(Mode),
        (False, True),
        ((), ("Li",)),
        ((), ("Liu", "Zhang")),
        (None, *HONOURS),
    )
]
FREE = [now for now in ALL if not now.called and now.request_kind is None]


def test_in_every_situation_something_is_open_and_everything_has_an_answer() -> None:
    for now, behaviour in product(ALL, BEHAVIOURS):
        allowed = permitted(now)
        assert allowed, now
        assert set(allowed) <= set(BEHAVIOURS), now
        assert (why_not(behaviour, now) == "") == (behaviour in allowed), (now, behaviour)
        instead = nearest_permitted(behaviour, now)
        assert instead in allowed, (now, behaviour)
        assert (instead == behaviour) == (behaviour in allowed), (now, behaviour)


def test_tables_speak_of_known_behaviours() -> None:
    assert set(RULES) < set(BEHAVIOURS)
    assert set(SUBSTITUTES) < set(BEHAVIOURS)
    assert {instead for row in SUBSTITUTES.values() for instead in row} <= set(BEHAVIOURS)
    assert set(HONOURS) >= PEER_REQUESTS


def test_nobody_is_made_livelier_than_it_meant_to_be() -> None:
    """A refused choice does not turn into a higher level, but for what being called or one's word demands."""
    for now, behaviour in product(FREE, BEHAVIOURS):
        instead = nearest_permitted(behaviour, now)
        if behaviour not in permitted(now) and behaviour not in ("chat", "stand_answer"):
            assert BEHAVIOUR_LEVEL[instead] <= BEHAVIOUR_LEVEL[behaviour], (behaviour, instead)


def test_who_is_called_answers_or_refuses() -> None:
    for now in ALL:
        if now.called:
            assert permitted(now) == ("stand_answer", "refuse_reply")
            assert "called" in why_not("sleep", now)
    called = Situation(called=True, partners=("Li",), request_kind="chat")
    assert [nearest_permitted(code, called) for code in ("chat", "sleep", "hand_raise", "head_up")] == [
        "refuse_reply",
        "refuse_reply",
        "stand_answer",
        "stand_answer",
    ]


@pytest.mark.parametrize(("kind", "honour"), list(HONOURS.items()))
def test_an_accepted_request_is_honoured(kind: str, honour: str) -> None:
    now = Situation(request_kind=kind)
    assert permitted(now) == (honour,)
    assert nearest_permitted("sleep", now) == honour
    assert "request was accepted" in why_not("sleep", now)


def test_what_is_always_open() -> None:
    for now in FREE:
        assert {"sleep", "head_down", "head_up", "hand_raise", "ask_question"} <= set(permitted(now))


@pytest.mark.parametrize(
    ("behaviour", "closed", "opened"),
    [
        ("chat", Situation(), {"partners": ("Li",)}),
        ("side_talk", Situation(), {"partners": ("Li",)}),
        ("answer_question", Situation(), {"asked": True}),
        ("read_aloud", Situation(), {"directed_reading": True}),
        ("stand_answer", Situation(asked=True), {"called": True}),
        ("refuse_reply", Situation(asked=True), {"called": True}),
        ("note_taking", Situation(sees_board=False), {"sees_board": True}),
        ("note_taking", Situation(sees_board=False, mode="presentation"), {"directed_reading": True}),
        ("note_taking", Situation(sees_board=False), {"mode": "discussion"}),
        ("group_discussion", Situation(group_mates=("Li",)), {"mode": "discussion"}),
        ("group_discussion", Situation(mode="discussion", partners=("Li",)), {"group_mates": ("Li",)}),
    ],
)
def test_what_opens_a_behaviour(behaviour: str, closed: Situation, opened: dict[str, object]) -> None:
    assert behaviour not in permitted(closed)
    assert why_not(behaviour, closed)
    assert behaviour in permitted(closed._replace(**opened))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "instead"),
    [
        ("side_talk", "head_up"),
        ("chat", "head_down"),
        ("group_discussion", "ask_question"),
        ("answer_question", "hand_raise"),
        ("stand_answer", "hand_raise"),
        ("refuse_reply", "head_down"),
        ("read_aloud", "head_up"),
    ],
)
def test_substitutes_in_a_plain_lecture(wanted: str, instead: str) -> None:
    assert nearest_permitted(wanted, Situation()) == instead


def test_an_unknown_behaviour_is_told_so_and_replaced() -> None:
    assert why_not("fly", Situation()) == "there is no such behaviour"
    assert nearest_permitted("fly", Situation()) == "head_up"
    assert nearest_permitted("fly", Situation(called=True)) == "stand_answer"
