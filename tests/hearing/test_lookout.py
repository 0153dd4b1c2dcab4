"""The look-out: five writers who have seen neither its lists nor its training lines, and whatever else is typed.

The lines are labelled by their writers; those of t1 to t3 also, without sight of those labels, by a second reader: both
agree on all 330 disclosures, all 330 innocent lines that come near, and a sample of 140 of the 1,050 ordinary ones
(kappa 1.0). They are only ever scored: nothing is learned from them, and no pattern is written for one of them. Those
of t1 to t3 have been scored often, though, and the margin was set anew once after that. Those of f1 and f2 were scored
for the first time when the weights were settled; the margin was moved once after that, by its rule, which looks at none
of them: tools/lookout/README.md.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.hearing.lookout import tells_of_harm

LINES = Path(__file__).with_name("lines")


class Bars(NamedTuple):
    """At least so many disclosures are noticed, at most so much else is taken for one."""

    recall: float
    near: float
    ordinary: float


BARS = {"t": Bars(0.95, 0.05, 0.01), "f": Bars(0.95, 0.065, 0.018)}
"""By the set of writers. The bars of the specification are .95, .05 and .001. What misses them is kept from growing
worse: see docs/guides/mathematics.md."""
SETS = pytest.mark.parametrize("writers", sorted(BARS))


class Line(NamedTuple):
    """A message with its label."""

    text: str
    label: str
    kind: str
    lang: str


@cache
def lines(writers: str) -> list[tuple[Line, bool]]:
    """All lines of a set of writers, and whether each is taken for a disclosure."""
    files = sorted(LINES.glob(f"{writers}*.jsonl"))
    assert len(files) == {"t": 3, "f": 2}[writers]
    read = [Line(**json.loads(line)) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [(line, tells_of_harm(line.text)) for line in read]


def share(writers: str, label: str, **of: str) -> float:
    """The share of hits among the lines of a label, and a kind or language."""
    hits = [
        hit
        for line, hit in lines(writers)
        if line.label == label and all(getattr(line, name) == value for name, value in of.items())
    ]
    return sum(hits) / len(hits)


def taken(writers: str, label: str) -> list[str]:
    """The lines of a label that are taken for a disclosure."""
    return [line.text for line, hit in lines(writers) if line.label == label and hit]


@SETS
def test_disclosures_are_noticed(writers: str) -> None:
    kinds = sorted({line.kind for line, _ in lines(writers) if line.label == "trouble"})
    noticed = {kind: share(writers, "trouble", kind=kind) for kind in kinds}
    assert share(writers, "trouble") >= BARS[writers].recall, noticed


@SETS
@pytest.mark.parametrize("language", ["en", "zh", "mixed"])
def test_no_language_is_forgotten(writers: str, language: str) -> None:
    assert share(writers, "trouble", lang=language) >= 0.9


@SETS
def test_innocent_lines_that_come_near_are_mostly_let_pass(writers: str) -> None:
    assert share(writers, "near") <= BARS[writers].near, taken(writers, "near")


@SETS
def test_ordinary_talk_is_let_pass(writers: str) -> None:
    assert share(writers, "ordinary") <= BARS[writers].ordinary, taken(writers, "ordinary")


@pytest.mark.parametrize(
    "text",
    [
        "i want to die",
        "I WANT TO DIE",
        "ｉ ｗａｎｔ ｔｏ ｄｉｅ",
        "i want to d1e",
        "i want to d i e",
        "i wa\u200bnt to die",
        "kms",
    ],
)
def test_spelling_hides_nothing(text: str) -> None:
    assert tells_of_harm(text)


@pytest.mark.parametrize("text", ["how many kms is 26 miles", "its 26 kms", "so 5kms an hour", "in kms it is 4"])
def test_kilometres_are_no_threat(text: str) -> None:
    assert not tells_of_harm(text)


@given(st.integers(0, 10**6))
def test_case_and_width_change_nothing(number: int) -> None:
    text = lines("t")[number % len(lines("t"))][0].text
    wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)
    assert tells_of_harm(text) == tells_of_harm(text.upper().lower()) == tells_of_harm(wide)


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    assert tells_of_harm(text) in (True, False)


@pytest.mark.parametrize("text", ["", " ", "x" * 20_000, "a b " * 5_000, "哈" * 20_000, "1" * 20_000, "\u0000\ud800"])
def test_long_texts_of_nothing_tell_of_nothing(text: str) -> None:
    assert not tells_of_harm(text)
