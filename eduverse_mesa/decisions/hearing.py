"""The decision of hearing: what somebody meant by what they said.

One decision for all listeners. It carries what the listener may know: the words, what was said before, what is on the
table, and the candidates that the words may be about, with their texts. Nothing says which of them is meant.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from eduverse_mesa.decisions.seam import Decision, Outcome


class Before(msgspec.Struct, frozen=True, gc=False):
    """One thing that was said before."""

    speaker: str
    text: str
    teaches: bool = False
    """It was a teacher or a tutor who said it."""


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One thing that an utterance may be about: an idea, a question, a quantity, a choice or a usual mistake."""

    id: str
    kind: str
    """idea, question, quantity, choice or mistake."""
    says: tuple[str, ...] = ()
    """Sentences that are right about it."""
    wrong: tuple[str, ...] = ()
    """Sentences that are wrong about it."""
    asks: tuple[str, ...] = ()
    """How one asks for it."""
    values: tuple[str, ...] = ()
    """How much it is, in figures; the letter of a choice."""
    amiss: tuple[str, ...] = ()
    """How much it is taken to be by mistake."""
    of: str = ""
    """The candidate it belongs to: the idea of a question, the quantity that a mistake is about."""
    right: bool = True
    """It is right to take this choice."""


class Meant(Outcome, frozen=True, gc=False):
    """The meaning of an utterance, as far as it was heard."""

    acts: tuple[str, ...]
    """SPEECH_ACTS, the most certain first."""
    move: str = "none"
    """A talk move of the measures."""
    about: str = ""
    """The id of a candidate; empty where it is about none."""
    how: str = "asserted"
    """One of MANNERS."""
    right: bool | None = None
    """The claim agrees with the matter; None where nothing is claimed."""
    value: str = ""
    """The amount or choice that is spoken of."""
    reason: bool = False
    """A reason is given."""
    reason_for: str = ""
    """The candidate for or against which."""
    to: str = ""
    """A name, `all`, or empty."""
    trouble: bool = False
    """The speaker, or another child, may be in danger."""
    confidence: float = 0.0
    """The chance that a careful listener would take it so, from 0 to 1."""


class Hear(Decision, gc=False):
    """Ask what somebody meant."""

    kind: ClassVar[str] = "hear"
    outcome: ClassVar[type[Outcome]] = Meant

    listener: str
    """One of LISTENERS."""
    speaker: str
    text: str
    teaches: bool
    """The speaker is a teacher or a tutor."""
    before: tuple[Before, ...] = ()
    """The last lines, oldest first."""
    on_table: str = ""
    """The id of the question or quantity that is spoken of now."""
    candidates: tuple[Candidate, ...] = ()
    members: tuple[str, ...] = ()
    """Names of whoever may be spoken to."""
    matter: str = ""
    """The unit, problem or lesson in a sentence."""
    language: str = "en"
