"""How an act is usually done, for one that somebody else has chosen: a language model says what a peer does, and may
then have no words for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eduverse_mesa.decisions.collaboration import Intended
from eduverse_mesa.policies.embedded.collaboration.standing import CHOICE

_TO_SOMEBODY: Mapping[str, str] = MappingProxyType(
    {
        "agree_understanding": "agree_understanding",
        "divide_work": "divide_other",
        "invite_teammate": "agree_plan",
        "clarify_plan": "plan_differs",
        "agree_plan": "agree_plan",
        "clarify_result": "notice",
        "agree_result": "agree_result",
    }
)
"""What is said to somebody who is called by name."""

_USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "present_understanding": ("present",),
        "clarify_understanding": ("ask_sense", "present"),
        "answer_understanding": ("answer_sense", "second_understanding"),
        "second_understanding": ("second_understanding",),
        "agree_understanding": ("settle_understanding",),
        "divide_work": ("volunteer",),
        "volunteer": ("volunteer",),
        "second_roles": ("second_roles",),
        "agree_roles": ("second_roles",),
        "invite_teammate": ("plan", "second_plan"),
        "state_plan": ("plan", "second_plan"),
        "clarify_plan": ("plan", "see_both"),
        "answer_plan": ("plan", "see_both"),
        "second_plan": ("second_plan",),
        "agree_plan": ("second_plan",),
        "state_result": ("result", "explain_own", "second_result"),
        "clarify_result": ("explain_own", "stuck"),
        "answer_result": ("explain_own", "stuck"),
        "second_result": ("second_result",),
        "agree_result": ("second_result",),
        "reflect": ("means", "agree_check", "agree_end"),
        "summarise": ("sum_up", "agree_end"),
    }
)
_OF_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"state_result": ("choose",), "summarise": ("sum_up_choice",)}
)
_DISAGREES = ("stuck",)


def moves_of(intended: Intended) -> tuple[str, ...]:
    """The ways in which an act may be done, the best first."""
    meaning = intended.meaning
    if intended.move:
        name, _, _ = intended.move.partition(":")
        return ("reason_choice",) if name == "reason" and meaning.topic == CHOICE else (name,)
    called = (_TO_SOMEBODY[meaning.act],) if meaning.addressed and meaning.act in _TO_SOMEBODY else ()
    chosen = _OF_CHOICES.get(meaning.act, ()) if meaning.chosen else ()
    usual = _DISAGREES if meaning.act == "reflect" and meaning.stance == "disagrees" else _USUAL.get(meaning.act, ())
    return (*called, *chosen, *usual)
