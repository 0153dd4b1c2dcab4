"""The uptake of a tutor's words by a learner, whoever the tutor is: read off the words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from eduverse_mesa.decisions.tutoring import Utterance
from eduverse_mesa.marks import share_said, unspaced, words
from eduverse_mesa.scenarios.curriculum import Item, Unit, strays

_PRAISE: dict[str, tuple[str, ...]] = {
    "en": ("well done|good|great|exactly|right|yes|correct|nice|super",),
    "zh": ("很好|对了|说得对|答对|正是|就是这样|不错|没错|真棒",),
}
_NEWS = 2
"""New words of a topic that make a hint: one of them may be chance."""
_SHORTEST = 4
"""Letters of a word that says something; "and", "the" and "is" do not."""
_STEM = 5
"""Letters by which a word is known again in another form."""


class Taken(NamedTuple):
    """One turn of a tutor as it reaches a learner."""

    told: float
    """Share of the core idea that was said, from 0 to 1."""
    gave_away: bool
    """The answer to the question on the table was said."""
    asked: Item | None
    """The item that is asked, in whatever words."""
    question: bool
    asked_anew: bool
    """The item was not asked before in this dialogue."""
    hinted: bool
    """Something of the topic was said that had not been said before."""
    praised: bool


def listen(text: str, unit: Unit, dialogue: Sequence[Utterance], language: str) -> Taken:
    """Take in what was just said about a unit; `dialogue` is what was said before."""
    earlier = [utterance.text for utterance in dialogue if utterance.speaker == "tutor"]
    # "Sort these things." is a question too, where it is one of the unit's.
    question = "?" in text or "？" in text or any(item.ask in text for item in unit.items)
    asked = item_asked(text, unit, dialogue, language) if question else None
    open_item = last_asked(unit, dialogue)
    return Taken(
        unit.told_in(text),
        open_item is not None and unit.gives_away(open_item, text),
        asked,
        question,
        asked is not None and not any(asked.asked_in(one) for one in earlier),
        _hinted(text, unit, earlier),
        share_said(_PRAISE.get(language, _PRAISE["en"]), text) > 0,
    )


def _hinted(text: str, unit: Unit, earlier: Sequence[str]) -> bool:
    """Return True if a text says something of the topic, beside its questions, that was not said before."""
    new = _content(" ".join(unit.beside_questions(text))) & _topic(unit.hint, unit.idea, unit.because, *_rights(unit))
    return len(new.difference(*map(_content, earlier))) >= _NEWS


def _rights(unit: Unit) -> Iterator[str]:
    return (item.right for item in unit.items)


@lru_cache(maxsize=1024)
def _topic(*texts: str) -> frozenset[str]:
    return _content(" ".join(texts))


@lru_cache(maxsize=8192)
def _content(text: str) -> frozenset[str]:
    """Return the words that a text speaks of: its longer words without their endings; of a script without spaces, pairs
    of signs."""
    found: set[str] = set()
    for word in words(text).split():
        if unspaced(word):
            found.update(first + second for first, second in pairwise(word))
        elif len(word) >= _SHORTEST:
            found.add(word[:_STEM])
    return frozenset(found)


def item_asked(text: str, unit: Unit, dialogue: Sequence[Utterance], language: str) -> Item | None:
    """Return the item that a question asks, in whatever words; one that names nothing ("Are you sure?") goes back to
    the question on the table, and one that names something else is none."""
    earlier = [utterance.text for utterance in dialogue if utterance.speaker == "tutor"]
    asked = unit.asked_by(text, earlier)
    if asked is None and not strays(text, unit, [utterance.text for utterance in dialogue], language):
        asked = last_asked(unit, dialogue)
    return asked


def answered(unit: Unit, dialogue: Sequence[Utterance], language: str) -> Item | None:
    """The item that whoever speaks next answers: the one on the table, where the last words have not left it."""
    if dialogue and dialogue[-1].speaker == "tutor":
        before = [utterance.text for utterance in dialogue[:-1]]
        if strays(dialogue[-1].text, unit, before, language):
            return None
    return last_asked(unit, dialogue)


def last_asked(unit: Unit, dialogue: Sequence[Utterance]) -> Item | None:
    """The item that was asked last."""
    said = [utterance.text for utterance in dialogue if utterance.speaker == "tutor"]
    for place in reversed(range(len(said))):
        item = unit.asked_by(said[place], said[:place])
        if item is not None:
            return item
    return None
