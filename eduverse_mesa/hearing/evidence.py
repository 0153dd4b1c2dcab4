"""Evidence in a message for trouble or against it: its words and concepts, alone, in pairs and in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eduverse_mesa.hearing.lexicon import CJK, Item, Lexicon

Evidence = dict[str, float]

HINT, WORD, CONCEPT, TOGETHER, NEAR, ORDER, LETTERS = 1.2, 0.6, 1.0, 0.4, 0.5, 0.4, 0.2
"""How much a kind of evidence counts beside the others before any is weighed; found by cross-validation."""

_SELF = frozenset(("i", "me", "my", "myself", "im", "ive", "us", "our", "we", "我"))
_REACH_OF_SELF, _REACH = 4, 6
_LETTERS_FROM, _LETTERS = 4, 4
_POLICE = frozenset(("999", "911", "110", "120", "112"))
_CALLED = frozenset(
    [
        "call",
        "called",
        "calling",
        "calls",
        "phone",
        "phoned",
        "ring",
        "rang",
        "dial",
        "dialled",
        "dialed",
        "text",
        "need",
        "打",
        "拨",
        "叫",
        "报",
        "call",
    ]
)
"""Before a number of the police or of an ambulance."""
_AFTER = frozenset(
    [
        "because",
        "cos",
        "cuz",
        "bc",
        "now",
        "please",
        "pls",
        "and",
        "or",
        "but",
        "if",
        "when",
        "i",
        "he",
        "she",
        "my",
        "we",
        "they",
        "so",
        "on",
        "for",
        "to",
        "报",
        "吧",
        "了",
        "来",
        "救",
    ]
)
"""Behind it. Before anything else it counts something: 120 gallons."""
_AGES = ((7, "#few"), (18, "#age"), (61, "#years"))


def evidence_in(words: Sequence[str], lexicon: Lexicon) -> Evidence:
    """The evidence in some words, as a vector of length 1: each name with its share."""
    found: Evidence = {}
    items = lexicon.items(list(words))
    for name, share in (*_all(words, items), *((f"H {hint}", HINT) for hint in lexicon.hints_in(words))):
        if share > found.get(name, 0.0):
            found[name] = share
    length = sum(share * share for share in found.values()) ** 0.5 or 1.0
    return {name: share / length for name, share in found.items()}


def _all(words: Sequence[str], items: Sequence[Item]) -> Iterator[tuple[str, float]]:
    yield from _of_words(["^", *_numbers(words), "$"])
    yield from _of_letters(words)
    yield from _of_concepts(words, items)
    yield from _of_order(items)


def _of_words(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    for at, word in enumerate(words):
        if 0 < at < len(words) - 1:
            yield f"w {word}", WORD
        if at + 1 < len(words):
            yield f"b {word} {words[at + 1]}", WORD
        if at + 2 < len(words):
            if _chinese(word):
                yield f"t {word} {words[at + 1]} {words[at + 2]}", WORD
            else:
                yield f"s {word} {words[at + 2]}", WORD / 2


def _of_letters(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    for word in words:
        if len(word) >= _LETTERS_FROM and word.isascii() and word.isalpha():
            framed = f"^{word}$"
            for at in range(len(framed) - _LETTERS + 1):
                yield f"l {framed[at : at + _LETTERS]}", LETTERS


def _of_concepts(words: Sequence[str], items: Sequence[Item]) -> Iterator[tuple[str, float]]:
    placed = [(concept, item.at) for item in items for concept in item.concepts]
    names = sorted({concept for concept, _ in placed})
    for at, name in enumerate(names):
        yield f"C {name}", CONCEPT
        for other in names[at + 1 :]:
            yield f"P {name} {other}", TOGETHER
    selves = [at for at, word in enumerate(words) if word in _SELF]
    for at, (name, place) in enumerate(placed):
        for self in selves:
            if 0 < abs(place - self) <= _REACH_OF_SELF:
                yield f"{'M' if self < place else 'N'} {name}", NEAR
        for other, later in placed[at + 1 :]:
            if place < later <= place + _REACH:
                yield f"O {name} {other}", NEAR


def _of_order(items: Sequence[Item]) -> Iterator[tuple[str, float]]:
    """Yield pairs of neighbours in order, with concepts for their words."""
    texts = _numbers([item.text for item in items])
    choices = [("^",), *((text, *item.concepts) for text, item in zip(texts, items, strict=True)), ("$",)]
    for at in range(len(choices) - 1):
        for one in choices[at]:
            for other in choices[at + 1]:
                yield f"F {one} {other}", ORDER


def _numbers(words: Sequence[str]) -> list[str]:
    """The words with their numbers by what they may be; one that the police has stays where it is called."""
    return [word if word in _POLICE and _is_called(words, at) else _number(word) for at, word in enumerate(words)]


def _is_called(words: Sequence[str], at: int) -> bool:
    before, behind = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    return before in _CALLED or not behind or behind in _AFTER


def _number(word: str) -> str:
    """A number by what it may be: a count, a child's age, a grown-up's, or something else; other words as they are."""
    if not word[0].isdecimal():
        return word
    if "." in word or len(word) > 3 or not word.isdecimal():
        return "#"
    return next((name for limit, name in _AGES if int(word) < limit), "#")


def _chinese(word: str) -> bool:
    return CJK[0] <= word[0] <= CJK[1]
