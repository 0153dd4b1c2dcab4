"""Questions to a tutor, as a dialogue asks them."""

from __future__ import annotations

from eduverse_mesa.decisions.tutoring import Teach, Utterance
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.curriculum import Item, Unit

ITEMS = tuple(
    Item(
        id=one,
        ask=ask,
        right="It is light.",
        partial="So.",
        wrong="It is wet.",
        marks=("light", "cork"),
        slips=("wet",),
    )
    for one, ask in (("a", "Why does a cork float?"), ("b", "And what does a stone do?"))
)
UNIT = Unit(
    id="cork", grade=1, concept="P1", idea="What is light for its size floats.", because="a cork does",
    hint="Hold one.", outcome="Say what floats.", marks=("light", "size", "float"), items=ITEMS,
)  # fmt: skip


def teach(learner: str = "Ann", *said: str, language: str = "en") -> Teach:
    """What is said next to a learner; the tutor and the learner have taken turns so far."""
    dialogue = tuple(Utterance(("tutor", "learner")[place % 2], text) for place, text in enumerate(said))
    turn = len(said) // 2 + 1
    return Teach(Address(1, 1, turn, "tutor"), learner, 1, UNIT, (), dialogue, turn, 8, language)
