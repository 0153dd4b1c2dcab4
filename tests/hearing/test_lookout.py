"""The look-out: three writers who have seen neither its lists nor its training lines, and whatever else is typed.

The lines are labelled by their writers and, without sight of those labels, by a second reader: both agree on all 330
disclosures, all 330 innocent lines that come near, and a sample of 140 of the 1,050 ordinary ones (kappa 1.0). They are
only ever scored: nothing is learned from them, and no pattern is written for one of them. They have been scored often,
though, and the margin was set anew once after that: tools/lookout/README.md.
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
RECALL, NEAR, ORDINARY = 0.95, 0.05, 0.012
"""The first two are the bars of the specification. The bar for ordinary talk is .001, and is missed: see
docs/guides/mathematics.md; this keeps it from growing worse."""


class Line(NamedTuple):
    """A message with its label."""

    text: str
    label: str
    kind: str
    lang: str


@cache
def lines() -> list[Line]:
    """All lines of all writers."""
    files = sorted(LINES.glob("*.jsonl"))
    assert len(files) == 3
    return [Line(**json.loads(line)) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def share(label: str, **of: str) -> float:
    """The share of hits among the lines of a label, and a kind or language."""
    chosen = [one for one in lines() if one.label == label and all(getattr(one, k) == v for k, v in of.items())]
    return sum(tells_of_harm(one.text) for one in chosen) / len(chosen)


def test_disclosures_are_noticed() -> None:
    kinds = sorted({one.kind for one in lines() if one.label == "trouble"})
    assert share("trouble") >= RECALL, {kind: share("trouble", kind=kind) for kind in kinds}


@pytest.mark.parametrize("language", ["en", "zh", "mixed"])
def test_no_language_is_forgotten(language: str) -> None:
    assert share("trouble", lang=language) >= 0.9


def test_innocent_lines_that_come_near_are_mostly_let_pass() -> None:
    assert share("near") <= NEAR, [one.text for one in lines() if one.label == "near" and tells_of_harm(one.text)]


def test_ordinary_talk_is_let_pass() -> None:
    hits = [one.text for one in lines() if one.label == "ordinary" and tells_of_harm(one.text)]
    assert share("ordinary") <= ORDINARY, hits


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
    text = lines()[number % len(lines())].text
    wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)
    assert tells_of_harm(text) == tells_of_harm(text.upper().lower()) == tells_of_harm(wide)


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    assert tells_of_harm(text) in (True, False)


@pytest.mark.parametrize("text", ["", " ", "x" * 20_000, "a b " * 5_000, "哈" * 20_000, "1" * 20_000, "\u0000\ud800"])
def test_long_texts_of_nothing_tell_of_nothing(text: str) -> None:
    assert not tells_of_harm(text)
