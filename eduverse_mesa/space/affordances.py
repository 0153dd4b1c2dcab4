"""Affordances: what somebody may do, given where they are and what the lesson is doing now (C.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from eduverse_mesa.vocabulary import BEHAVIOURS

HONOURS: dict[str, str] = {
    "side_talk": "side_talk",
    "chat": "chat",
    "ask_question": "answer_question",
    "group_discussion": "group_discussion",
}
"""Behaviour that keeps one's word, by the kind of the request that was accepted (Algorithm A.1)."""

_ON_CALL = ("stand_answer", "refuse_reply")


class Situation(NamedTuple):
    """All that the permission of a behaviour depends on."""

    called: bool = False
    """The teacher named this student."""
    asked: bool = False
    """A question to the class is open."""
    directed_reading: bool = False
    """The class is to read, or to follow directions, with the text at hand."""
    mode: str = "lecture"
    sees_board: bool = True
    partners: tuple[str, ...] = ()
    """Linked peers."""
    group_mates: tuple[str, ...] = ()
    """Peers with whom the student would discuss: the student's group, in a shared arena."""
    request_kind: str | None = None
    """Kind of a peer's request that the student has accepted, and so must honour."""


class Facts(NamedTuple):
    """A situation without names: the same for very many students, so that its answer can be kept."""

    called: bool
    asked: bool
    directed_reading: bool
    mode: str
    sees_board: bool
    has_partner: bool
    has_group: bool
    request_kind: str | None


class Rule(NamedTuple):
    """Condition under which a behaviour is open to somebody who is neither called nor has promised a peer anything."""

    holds: Callable[[Facts], bool]
    reason: str


RULES: dict[str, Rule] = {
    "chat": Rule(lambda now: now.has_partner, "nobody to chat with sits within reach"),
    "side_talk": Rule(lambda now: now.has_partner, "nobody to talk to sits within reach"),
    "note_taking": Rule(
        lambda now: now.sees_board or now.directed_reading or now.mode == "discussion",
        "the board cannot be seen from here, and there is neither a text to work on nor a discussion to write down",
    ),
    "read_aloud": Rule(lambda now: now.directed_reading, "nothing is being read now"),
    "stand_answer": Rule(lambda now: now.called, "the teacher has not called this student"),
    "refuse_reply": Rule(
        lambda now: now.called, "the teacher has not called this student, so there is nothing to refuse"
    ),
    "answer_question": Rule(lambda now: now.asked, "no question is open"),
    "group_discussion": Rule(
        lambda now: now.mode == "discussion" and now.has_group,
        "the lesson is not in discussion, or nobody of the group is in the same place",
    ),
}
"""Rules of behaviours. All others are always open: sleep, head_down, head_up, hand_raise, and ask_question (there is
the teacher)."""

_USUAL = ("stand_answer", "head_up")
SUBSTITUTES: dict[str, tuple[str, ...]] = {
    "sleep": ("refuse_reply",),
    "chat": ("refuse_reply", "head_down"),  # its own level holds only sleep, and a refusal puts nobody to sleep
    "head_down": ("refuse_reply",),
    "side_talk": ("refuse_reply", "head_up"),
    "refuse_reply": ("head_down",),
    "stand_answer": ("answer_question", "hand_raise"),
    "answer_question": ("stand_answer", "hand_raise"),
    "ask_question": ("stand_answer", "hand_raise"),
    "group_discussion": ("stand_answer", "ask_question", "head_up"),
}
"""Substitutes of a behaviour, of which the first permitted one is done: the same intent, at the same level (Table A6)
or the next below; all others have the usual ones.

Students who are called and wanted to be left alone refuse to reply; otherwise they stand up to answer.
"""


def permitted(situation: Situation) -> tuple[str, ...]:
    """The behaviours open in a situation, in the order of the codes; never none."""
    called, asked, reading, mode, sees_board, partners, mates, request = situation
    facts = called, asked, reading, mode, sees_board, bool(partners), bool(mates), request
    return _permitted(facts)


@lru_cache(maxsize=2048)  # more than there are: five yes or no, three modes, five states of a request
def _permitted(facts: tuple[bool, bool, bool, str, bool, bool, bool, str | None]) -> tuple[str, ...]:
    now = Facts(*facts)
    if now.called:
        return _ON_CALL
    if now.request_kind is not None:
        return (HONOURS[now.request_kind],)
    return tuple(code for code in BEHAVIOURS if code not in RULES or RULES[code].holds(now))


def why_not(behaviour: str, situation: Situation) -> str:
    """The reason in words why a behaviour is not permitted; empty if it is."""
    if behaviour in permitted(situation):
        return ""
    if behaviour not in BEHAVIOURS:
        return "there is no such behaviour"
    if situation.called:
        return "the teacher has called this student, who can answer or refuse"
    if situation.request_kind is not None:
        honour = HONOURS[situation.request_kind].replace("_", " ")
        return f"a classmate's request was accepted and comes first ({honour})"
    return RULES[behaviour].reason


def nearest_permitted(behaviour: str, situation: Situation) -> str:
    """Return the behaviour that is done instead of one that is not permitted: always the same in the same situation."""
    allowed = permitted(situation)
    if behaviour in allowed:
        return behaviour
    for instead in SUBSTITUTES.get(behaviour, _USUAL):
        if instead in allowed:
            return instead
    return allowed[0]
