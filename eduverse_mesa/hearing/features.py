"""Features of an utterance: letters, words, cues and sentence vectors, and how it lies to each candidate."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eduverse_mesa.decisions.hearing import Before, Candidate, Hear
from eduverse_mesa.hearing.cues import cues_in, has_chinese, names
from eduverse_mesa.hearing.notation import straight
from eduverse_mesa.hearing.numbers import load_numbers
from eduverse_mesa.hearing.vectors import NOTHING, Vectors
from eduverse_mesa.vocabulary import LISTENERS

Row = NDArray[np.float32]

BUCKETS = 1 << 14
"""Places for pieces of words; two pieces seldom share one that matters."""
_LONGEST = 600
"""Characters of an utterance that are read: what comes later changes nothing of what it is."""
_LONGEST_PIECE = 4
_PIECE = re.compile(r"[a-z']+|[\u3400-\u9fff]|\d+|[^\w\s]")
_CHINESE = re.compile("[\u3400-\u9fff]{2,}")
_WORD = re.compile(r"[a-z']{2,}|[\u3400-\u9fff]")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_STOP = re.compile(r"(?<=[.!?。！？…\n])\s*")
_PAUSE = re.compile(r"(?<=[.!?。！？…,，;；:：\n])\s*")
_AMOUNT = re.compile(r"(?<![\w.])-?(?:\d+ \d+/\d+|\d+/\d+|\d[\d,]*(?:\.\d+)?|\.\d+)")
_SHOWN = re.compile(
    rf"[$￥]?\s?({_AMOUNT.pattern})\s?"
    r"(?:%|percent|个百分点|[\u3400-\u9fff]{1,2}|(?!is\b|are\b|and\b|or\b|by\b)[a-z]+(?: per [a-z]+)?)?"
)
"""An amount with what stands behind it, which may be its unit."""
_CHOICE = re.compile(
    r"(?<![\w'])([A-H]|[b-h])(?![\w'])|(?:option|plan|answer|choice|number|选项?|方案|第)\s*([A-Ha-h\d一二三四五])(?![A-Za-z])"
)
"""A letter or a number that a choice goes by; a small "a" alone is an article."""
_HAN_DIGITS = {sign: str(place) for place, sign in enumerate("零一二三四五")}


TOLD_SCALE = 0.5
"""How much a score of the network counts beside the other numbers before any is weighed."""


class Evidence(NamedTuple):
    """The features of an utterance: places and weights of its pieces, a row of numbers, and what the network tells."""

    places: NDArray[np.int64]
    weights: Row
    row: Row
    told: Row
    """A score for each of TOLD; empty where there is no network."""


def pieces_of(text: str) -> Counter[str]:
    """Runs of one to four letters, words and pairs of words; every figure is the same."""
    plain = _FIGURE.sub("0", text.lower())
    framed = f" {plain} "
    found = Counter(
        framed[at : at + size] for size in range(1, _LONGEST_PIECE + 1) for at in range(len(framed) - size + 1)
    )
    said = _PIECE.findall(plain)
    found.update(f"w {word}" for word in said)
    found.update(f"b {one} {other}" for one, other in pairwise(said))
    found.update(f"f {word}" for word in said[:2])
    found.update(f"l {word}" for word in said[-2:])
    return found


def _place(piece: str) -> int:
    return zlib.crc32(piece.encode()) % BUCKETS


def _sparse(decision: Hear) -> tuple[NDArray[np.int64], Row]:
    found: Counter[int] = Counter()
    for piece, times in pieces_of(decision.text[:_LONGEST]).items():
        found[_place(piece)] += times
    found[_place(f"L {decision.listener}")] += 1
    weights = np.log1p(np.fromiter(found.values(), dtype=np.float32, count=len(found)))
    return np.fromiter(found, dtype=np.int64, count=len(found)), weights / np.sqrt(np.sum(weights * weights))


def last_of(text: str) -> str:
    """The last sentence of a text."""
    return next(reversed(sentences_in(text)), text)


def sentences_in(text: str) -> list[str]:
    """The sentences of a text."""
    return [one.strip() for one in _STOP.split(text) if one.strip()]


def first_of(text: str) -> str:
    """A text up to its first pause."""
    return next((one.strip() for one in _PAUSE.split(text) if one.strip()), text)


def _cues(text: str) -> list[float]:
    found = _cues_in(text)
    return [float(name in found) for name in names()]


@lru_cache(maxsize=4096)
def _cues_in(text: str) -> frozenset[str]:
    return cues_in(text)


def _previous(decision: Hear) -> Before | None:
    return decision.before[-1] if decision.before else None


def _measures(decision: Hear) -> list[float]:
    text, previous = decision.text, _previous(decision)
    said = _WORD.findall(text.lower())
    heard = set(_WORD.findall(previous.text.lower())) if previous is not None else set()
    figures = _FIGURE.findall(text)
    before = set(_FIGURE.findall(previous.text)) if previous is not None else set()
    return [
        *(float(decision.listener == one) for one in LISTENERS),
        float(decision.teaches),
        float(previous is not None),
        float(previous is not None and previous.teaches),
        float(previous is not None and previous.speaker == decision.speaker),
        float(text.rstrip().endswith(("?", "？"))),
        float(previous is not None and previous.text.rstrip().endswith(("?", "？"))),
        min(len(said), 40) / 40,
        float(len(said) <= 1),
        float(len(said) <= 3),
        float(len(said) <= 8),
        float(bool(figures)),
        float(len(figures) > 1),
        float(len(figures) > 2),
        float(bool(before.intersection(figures))),
        len(heard.intersection(said)) / (len(set(said)) + 1),
        float(bool(decision.on_table)),
        float(has_chinese(text)),
        float(any(name and name.lower() in text.lower() for name in _others(decision))),
        float(bool(re.match(r"\W*(?:" + "|".join(map(re.escape, _others(decision))) + ")", text, re.I)))
        if _others(decision)
        else 0.0,
    ]


def _others(decision: Hear) -> list[str]:
    named = {*decision.members, *(one.speaker for one in decision.before)} - {decision.speaker, ""}
    return sorted(named)


def _of_table(decision: Hear, lie: NDArray[np.float32]) -> NDArray[np.float32]:
    """How an utterance lies to what is on the table: whoever asks the same again urges on, whoever asks something else
    asks."""
    at = next((at for at, one in enumerate(decision.candidates) if one.id == decision.on_table), None)
    return np.zeros(len(SIDES), dtype=np.float32) if at is None else lie[at]


def evidence_of(decision: Hear, lie: NDArray[np.float32], told: Row) -> Evidence:
    """All that can be seen of an utterance; `lie` is how it lies to its candidates, a row each, and `told` comes from
    the network."""
    places, weights = _sparse(decision)
    previous = _previous(decision)
    before = previous.text[:_LONGEST] if previous is not None else NOTHING
    text = decision.text[:_LONGEST]
    last, first = last_of(text), first_of(text)
    seen = [
        *_cues(text),
        *_cues(last),
        *_cues(first),
        *_cues(before),
        *_measures(decision),
        *(lie.max(axis=0) if len(lie) else np.zeros(len(SIDES))),
        *_of_table(decision, lie),
    ]
    row = np.concatenate([np.array(seen, dtype=np.float32), TOLD_SCALE * told])
    return Evidence(places, weights, row, told)


# --- how an utterance lies to a candidate ---

SIDES = (
    "says",
    "wrong",
    "asks",
    "says_before",
    "wrong_before",
    "asks_before",
    "vector_says",
    "vector_wrong",
    "vector_asks",
    "vector_says_before",
    "vector_asks_before",
    "value",
    "amiss",
    "value_before",
    "amiss_before",
    "letter",
    "on_table",
    "of_table",
    "table_is_of",
    "idea",
    "question",
    "quantity",
    "choice",
    "mistake",
    "best_says",
    "best_asks",
    "best_wrong",
    "best_vector",
)
"""Numbers of an utterance and one candidate: how much of it says what is said of the candidate, rightly, wrongly or in
asking; the same of what was said before; the same by sentence vectors; amounts that are its own; whether it is on
the table; and whether no other candidate is nearer."""


_MEASURES = 5 + 20
WIDTH = 4 * len(names()) + _MEASURES + 2 * len(SIDES)
"""Numbers of the evidence without sentence vectors."""


class _Sheet:
    """The texts of some candidates, by their words: rare ones tell more."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = candidates
        self.groups = [(one.says, one.wrong, one.asks) for one in candidates]
        stand: Counter[str] = Counter()
        for group in self.groups:
            stand.update({piece for texts in group for text in texts for piece in _terms(text)})
        total = max(len(candidates), 1)
        self._rare = {piece: float(np.log((1 + total) / (0.5 + times))) for piece, times in stand.items()}
        self._known = [[[self._weighed(text) for text in texts] for texts in group] for group in self.groups]
        self.values = [[amounts_in(text) for text in one.values] for one in candidates]
        self.amiss = [[amounts_in(text) for text in one.amiss] for one in candidates]
        self.texts = [text for group in self.groups for texts in group for text in texts]

    def _weighed(self, text: str) -> dict[str, float]:
        found = {piece: self._rare.get(piece, 0.0) for piece in _terms(text)}
        length = sum(weight * weight for weight in found.values()) ** 0.5 or 1.0
        return {piece: weight / length for piece, weight in found.items() if weight}

    def likeness(self, text: str) -> NDArray[np.float32]:
        """How much of each candidate's sayings, wrong sayings and questions is in a text: a row each."""
        said = self._weighed(text)
        return np.array(
            [
                [
                    max(
                        (sum(weight * said.get(piece, 0.0) for piece, weight in one.items()) for one in texts),
                        default=0.0,
                    )
                    for texts in group
                ]
                for group in self._known
            ],
            dtype=np.float32,
        ).reshape(len(self._known), 3)


@lru_cache(maxsize=64)
def sheet_of(candidates: tuple[Candidate, ...]) -> _Sheet:
    """The candidates' texts, worked out once."""
    return _Sheet(candidates)


@lru_cache(maxsize=8192)
def _terms(text: str) -> frozenset[str]:
    """Words by their beginnings, pairs of Chinese signs, and figures."""
    small = text.lower()
    found = {word[:6] for word in re.findall(r"[a-z]{3,}", small)}
    found |= {
        small[at : at + 2] for at in range(len(small) - 1) if has_chinese(small[at]) and has_chinese(small[at + 1])
    }
    found |= set(_FIGURE.findall(small))
    return frozenset(found)


@lru_cache(maxsize=8192)
def amounts_in(text: str) -> frozenset[Fraction]:
    """The amounts that stand in a text, in figures or words."""
    plain = straight(text[:_LONGEST])
    plain = load_numbers(chinese=has_chinese(plain)).digits(plain.lower())
    return frozenset(filter(None, map(_fraction, _AMOUNT.findall(plain))))


def _fraction(text: str) -> Fraction | None:
    try:
        return sum((Fraction(part.replace(",", "")) for part in text.split(" ")), Fraction(0))
    except (ValueError, ZeroDivisionError):
        return None


def shown_amounts(text: str) -> list[tuple[Fraction, str]]:
    """The amounts of a text in their order, each with its words up to the unit that stands behind it."""
    plain = straight(text[:_LONGEST])
    plain = load_numbers(chinese=has_chinese(plain)).digits(plain.lower())
    found = ((_fraction(match[1]), match[0].strip()) for match in _SHOWN.finditer(plain))
    return [(amount, text) for amount, text in found if amount is not None]


def choices_in(text: str) -> frozenset[str]:
    """The letters by which a text names choices."""
    found = (one or other for one, other in _CHOICE.findall(text))
    return frozenset(_HAN_DIGITS.get(one, one).upper() for one in found)


def _holds(said: frozenset[Fraction], wanted: Iterable[frozenset[Fraction]]) -> float:
    return float(any(amounts and amounts <= said for amounts in wanted))


def lie_of(decision: Hear, vectors: Vectors | None) -> NDArray[np.float32]:
    """How an utterance lies to each of its candidates: a row each, a column for each of SIDES."""
    if not decision.candidates:
        return np.zeros((0, len(SIDES)), dtype=np.float32)
    sheet = sheet_of(decision.candidates)
    previous = _previous(decision)
    text, before = decision.text[:_LONGEST], previous.text[:_LONGEST] if previous is not None else ""
    near, near_before = sheet.likeness(text), sheet.likeness(before)
    if vectors is None:
        close, close_before = np.zeros_like(near), np.zeros_like(near)
    else:
        close = np.maximum(_closeness(sheet, text, vectors), _closeness(sheet, last_of(text), vectors))
        close_before = _closeness(sheet, before, vectors) if before else np.zeros_like(near)
    said, said_before = amounts_in(text), amounts_in(before)
    letters = choices_in(text)
    table = next((one for one in decision.candidates if one.id == decision.on_table), None)
    rest = np.array(
        [
            [
                _holds(said, sheet.values[at]) if one.kind != "choice" else 0.0,
                _holds(said, sheet.amiss[at]),
                _holds(said_before, sheet.values[at]) if one.kind != "choice" else 0.0,
                _holds(said_before, sheet.amiss[at]),
                float(one.kind == "choice" and one.id.upper() in letters),
                float(one is table),
                float(table is not None and bool(table.of) and one.id == table.of),
                float(table is not None and one.of == table.id),
                *(float(one.kind == kind) for kind in ("idea", "question", "quantity", "choice", "mistake")),
            ]
            for at, one in enumerate(decision.candidates)
        ],
        dtype=np.float32,
    )
    both = np.maximum(near[:, 0], near[:, 1])
    best = np.stack(
        [
            _is_best(near[:, 0]),
            _is_best(near[:, 2]),
            _is_best(near[:, 1]),
            _is_best(close.max(axis=1) if vectors is not None else both),
        ],
        axis=1,
    )
    return np.concatenate([near, near_before, close, close_before[:, [0, 2]], rest, best], axis=1).astype(np.float32)


def _is_best(column: NDArray[np.float32]) -> NDArray[np.float32]:
    most = column.max()
    found: NDArray[np.float32] = ((column == most) & (most > 0)).astype(np.float32)
    return found


_MIDDLE, _SPREAD = 0.83, 0.07
"""Of the cosine of two sentences on one matter: chosen by sight, since those of this encoder lie close together. What
follows is weighed, so that they only set the scale."""


def _closeness(sheet: _Sheet, text: str, vectors: Vectors) -> NDArray[np.float32]:
    """How near a text lies to each candidate's sayings, wrong sayings and questions, by vectors: a row each."""
    cosines = (vectors.of(sheet.texts) @ vectors.of([text])[0] - _MIDDLE) / _SPREAD
    found, at = np.full((len(sheet.groups), 3), -1.0, dtype=np.float32), 0
    for row, group in enumerate(sheet.groups):
        for column, texts in enumerate(group):
            if texts:
                found[row, column] = cosines[at : at + len(texts)].max()
                at += len(texts)
    return np.clip(found, -1.5, 2.5)
