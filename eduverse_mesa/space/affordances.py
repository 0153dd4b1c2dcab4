"""What is permitted where and when: the rules of a classroom as a table (C.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, BEHAVIOURS


class Situation(NamedTuple):
    """Where a student is, and what is going on."""

    called: bool = False
    asked: bool = False
    directed_reading: bool = False
    mode: str = "lecture"
    sees_board: bool = True
    partners: tuple[str, ...] = ()
    group_mates: tuple[str, ...] = ()
    request_kind: str | None = None


class Rule(NamedTuple):
    """When a behaviour is permitted, and what is said when it is not."""

    holds: Callable[[_Key], bool]
    reason: str


class _Key(NamedTuple):
    """What of a situation matters: everything but the names."""

    called: bool
    asked: bool
    directed_reading: bool
    mode: str
    sees_board: bool
    has_partner: bool
    has_mate: bool
    request_kind: str | None


ANSWERED_BY = {
    "side_talk": "side_talk",
    "chat": "chat",
    "ask_question": "answer_question",
    "group_discussion": "group_discussion",
}
"""The behaviour that takes up a classmate's request."""

_WHEN_CALLED = frozenset({"stand_answer", "refuse_reply"})


def _always(key: _Key) -> bool:
    return True


RULES: dict[str, Rule] = {
    "sleep": Rule(_always, ""),
    "chat": Rule(lambda key: key.has_partner, "nobody is within talking distance"),
    "head_down": Rule(_always, ""),
    "note_taking": Rule(lambda key: key.sees_board or key.mode != "presentation", "the board cannot be seen from here"),
    "hand_raise": Rule(_always, ""),
    "head_up": Rule(_always, ""),
    "read_aloud": Rule(lambda key: key.directed_reading, "the teacher has not asked for reading"),
    "stand_answer": Rule(lambda key: key.called, "the teacher has not called on this student"),
    "side_talk": Rule(lambda key: key.has_partner, "nobody is within talking distance"),
    "refuse_reply": Rule(lambda key: key.called, "the teacher has not called on this student"),
    "answer_question": Rule(lambda key: key.asked, "nothing has been asked"),
    "ask_question": Rule(_always, ""),
    "group_discussion": Rule(
        lambda key: key.mode == "discussion" and key.has_mate, "no discussion is open, or nobody shares the table"
    ),
}


def permitted(situation: Situation) -> tuple[str, ...]:
    """The behaviours that are permitted."""
    return _permitted(_key(situation))


def why_not(behaviour: str, situation: Situation) -> str:
    """Why a behaviour is not permitted, in words; '' when it is."""
    if behaviour in permitted(situation):
        return ""
    if behaviour not in RULES:
        return f"'{behaviour}' is no behaviour of the classroom"
    if situation.called:
        return "the teacher has called on this student, who may answer or refuse"
    if situation.request_kind is not None:
        return "the student has just taken up a classmate's request"
    return RULES[behaviour].reason


def nearest_permitted(behaviour: str, situation: Situation) -> str:
    """What is done instead: the permitted behaviour of the nearest level, quietest first (head_up is always one)."""
    choices = permitted(situation)
    level = BEHAVIOUR_LEVEL.get(behaviour, BEHAVIOUR_LEVEL["head_up"])
    return min(choices, key=lambda other: (abs(BEHAVIOUR_LEVEL[other] - level), _LOUDNESS[other]))


_QUIETEST_FIRST = (
    "head_up",
    "note_taking",
    "head_down",
    "hand_raise",
    "refuse_reply",
    "read_aloud",
    "ask_question",
    "group_discussion",
    "side_talk",
    "answer_question",
    "stand_answer",
    "sleep",
    "chat",
)
_LOUDNESS = {behaviour: place for place, behaviour in enumerate(_QUIETEST_FIRST)}


def _key(situation: Situation) -> _Key:
    return _Key(
        situation.called,
        situation.asked,
        situation.directed_reading,
        situation.mode,
        situation.sees_board,
        bool(situation.partners),
        bool(situation.group_mates),
        situation.request_kind,
    )


@lru_cache(maxsize=1024)  # at most a few hundred situations differ in what matters
def _permitted(key: _Key) -> tuple[str, ...]:
    if key.called:
        return tuple(behaviour for behaviour in BEHAVIOURS if behaviour in _WHEN_CALLED)
    if key.request_kind is not None:
        return (ANSWERED_BY[key.request_kind],)
    return tuple(behaviour for behaviour in BEHAVIOURS if RULES[behaviour].holds(key))
