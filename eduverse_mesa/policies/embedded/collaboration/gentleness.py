"""The time after somebody has told of harm: what is said to them is kind, and nothing is asked of them any more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eduverse_mesa.decisions.collaboration import Intended, PeerView
from eduverse_mesa.decisions.meanings import Meaning, Message

HARM = "harm"
_FIGURES = re.compile(r"\d|[=+×÷%$€£¥]")


def in_trouble(dialogue: Sequence[Message], people: Sequence[str]) -> frozenset[str]:
    """Return the people of a dialogue who have told of harm, however long ago."""
    return frozenset(one.speaker for one in dialogue if one.meaning.matter == HARM and one.speaker in people)


def is_about_the_problem(message: Message) -> bool:
    """Return whether a message gives something of the problem: a value, a calculation, a choice, a part of the work.
    A way to do it does not count: "three times" may be one, or how often somebody was hit."""
    meaning = message.meaning
    given = (meaning.sums, meaning.options, meaning.chosen, meaning.takes)
    return any(given) or any(one.about for one in meaning.claims)


def has_mathematics(message: Message) -> bool:
    """Return whether there is a number or a sign of arithmetic in a message, or something of the problem."""
    return is_about_the_problem(message) or _FIGURES.search(message.text) is not None


def goes_on(dialogue: Sequence[Message], name: str) -> bool:
    """Return whether somebody who has told of harm has come back to the problem since then, by themselves: a number
    alone does not say so."""
    own = [one for one in dialogue if one.speaker == name]
    told = max(place for place, one in enumerate(own) if one.meaning.matter == HARM)
    return any(is_about_the_problem(one) for one in own[told + 1 :])


def waits_quietly(dialogue: Sequence[Message], people: Sequence[str]) -> bool:
    """Return whether the next word is left to somebody who has told of harm: they were answered, and nobody goes on
    over their head."""
    return bool(in_trouble(dialogue, people)) and dialogue[-1].speaker not in people


def softened(intended: Intended, view: PeerView, troubled: frozenset[str]) -> Intended:
    """The same intent, or a kind one in its place where it would ask something of them or argue with them."""
    last = view.dialogue[-1]
    meaning = intended.meaning
    to = meaning.addressed if meaning.addressed in troubled else last.speaker if last.speaker in troubled else ""
    presses = meaning.asks or meaning.stance == "disagrees" or meaning.stuck or bool(meaning.cues)
    if not to or not presses:
        return intended
    return kind_word(to, meaning.act, "go_gently")


def kind_word(to: str, act: str, move: str = "stay_gentle") -> Intended:
    """A kind sentence that asks nothing."""
    return Intended(Meaning(act=act, addressed=to), move, f"say something kind to {to}, and ask for nothing")
