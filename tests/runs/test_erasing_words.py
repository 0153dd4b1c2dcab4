"""What takes words out of texts, and what looks whether they are gone."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import DECISIONS
from eduverse_mesa.runs.erasure.participant import Needle, forms, search_files
from eduverse_mesa.runs.erasure.words import (
    ERASED,
    FREE,
    Name,
    Phrase,
    Redactor,
    blank,
    folded,
    own_texts,
    pieces,
    rows_of_words,
    width,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
LETTERS = string.ascii_letters + "  %_\\'\"([.*王小明é"
PHRASE = st.text(LETTERS, min_size=1, max_size=30).filter(lambda text: text.split() and folded(text) not in ERASED)


@given(before=TEXT, phrase=PHRASE, after=TEXT)
def test_a_phrase_is_gone_wherever_it_stands(before: str, phrase: str, after: str) -> None:
    redactor = Redactor([Phrase.of(phrase)])
    for text in (
        f"{before} {phrase} {after}",
        f"“{phrase.upper()}”",
        f"{before}\n{phrase.replace(' ', '  ')}\n{after}",
    ):
        if phrase.upper().lower() == phrase.lower():
            assert redactor.holds(text)
            assert not redactor.holds(redactor.change(text))


@given(text=TEXT, phrase=PHRASE)
def test_a_text_without_it_stays_as_it_is(text: str, phrase: str) -> None:
    redactor = Redactor([Phrase.of(phrase)])
    if folded(phrase) not in folded(text):
        assert redactor.change(text) == text
        assert redactor.among([text]) is None


@given(text=TEXT)
def test_pieces_are_parts_of_their_text(text: str) -> None:
    for piece in pieces(text):
        assert folded(piece) in folded(text)
        assert piece == piece.strip()


def test_pieces_are_the_whole_and_its_sentences() -> None:
    assert list(pieces(" “One, two.”  Three? ")) == ["One, two.”  Three".replace("  ", " "), "One, two", "Three"]
    assert list(pieces("我累了。你呢？")) == ["我累了。你呢", "我累了", "你呢"]
    assert list(pieces("...")) == []


def test_widths_are_those_that_are_seen() -> None:
    assert [width(text) for text in ("", "yes", "王小明", "é")] == [0, 3, 6, 1]


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Anna", "P1"),
        ("Anna, go on. anna's turn", "P1, go on. P1's turn"),
        ("Annabel and Joanna", "Annabel and Joanna"),
        ("ANNA说", "P1说"),
    ],
)
def test_a_name_is_a_word_of_its_own(text: str, changed: str) -> None:
    assert Redactor(name=Name(Phrase.of("Anna"), "P1", True)).change(text, own=False) == changed


def test_a_name_that_is_not_looked_for_in_texts_is_changed_where_it_is_all() -> None:
    redactor = Redactor(name=Name(Phrase.of("Tao"), "P1", False))
    assert [redactor.change(text) for text in ("Tao", "Zhang Tao", "Tao!")] == ["P1", "Zhang Tao", "Tao!"]


def test_only_words_of_somebodys_own_are_blanked() -> None:
    assert [blank(text, True) for text in ("", "Why?", "为什么？", "So.")] == ["", f"{ERASED}?", f"{ERASED}？", ERASED]
    assert blank("head_up", False) == "head_up"
    outcome = {"sentences": [{"text": "Hm.", "move": "claim"}], "called": ["Ann"], "act": "praising", "reason": "r"}
    assert own_texts(json.dumps(outcome)) == ["Hm.", "r"]


CODES = {
    *("behaviour", "partner", "emotion", "cognition", "strategy", "category", "act", "tone", "called", "addressed"),
    *("move", "phases", "name", "activities", "scores", "weights", "student", "polarity", "took_up", "rating"),
    *("sentences", "items"),
    *("kind", "hedged", "confidence", "unit", "done", "mastery", "level", "score"),
    *("by", "changes", "chosen", "finished", "meaning", "names", "understood"),
    *("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"),
    *("acts", "about", "how", "right", "value", "reason_for", "to", "trouble"),
}


def test_every_field_of_every_outcome_is_known_as_words_or_as_none() -> None:
    """A new field has to be put on one of the two lists, or a person's words could stay in it."""
    names = set()
    waiting = [decision.outcome for decision in DECISIONS.values()]
    while waiting:
        struct = waiting.pop()
        names |= set(struct.__struct_fields__)
        for kind in struct.__annotations__.values():
            waiting += [one for one in _structs() if one.__name__ in str(kind)]
    assert names - FREE - CODES == set()
    assert not FREE & CODES
    assert names >= {"text", "move", "student", "rating", "activities"}


def _structs() -> list[type]:
    from eduverse_mesa.decisions import Evaluation, FeedbackItem, PlannedPhase, Said

    return [Evaluation, FeedbackItem, PlannedPhase, Said]


def test_rows_of_words_are_what_a_part_of_a_quotation_shares() -> None:
    said = rows_of_words("My dog Rex ate the whole cake.")
    assert said & rows_of_words("you said: dog rex ATE the whole... what?")
    assert not said & rows_of_words("My dog Rex ate a cake.")
    assert rows_of_words("我家的狗叫雷克斯") & rows_of_words("你说你家的狗叫雷克")


@pytest.mark.parametrize("text", ["plain words", 'a "quoted" \\ line\nbreak', "小院子里", "👩🏽‍🎓 é"])
def test_every_way_of_writing_is_found(text: str, tmp_path: Path) -> None:
    for number, form in enumerate(forms(text)):
        path = tmp_path / f"file-{number}"
        path.write_bytes(b"\x00\xff" * 999 + form + b"\x00")
        searched, found = search_files([path], [Needle("something else", False), Needle(text, False)])
        assert [tuple(one) for one in searched] == [(path.name, path.stat().st_size)]
        assert [tuple(one) for one in found] == [(path.name, 1)]
    path.write_bytes(text[:-1].encode())
    assert search_files([path], [Needle(text, False)])[1] == []


def test_a_name_is_found_as_a_word_only(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content, there in ((b"Annabel", False), (b"xAnna", False), (b"\x07Anna\x00", True), (b"Anna", True)):
        path.write_bytes(content)
        assert bool(search_files([path], [Needle("Anna", True)])[1]) == there


def test_what_lies_across_two_pieces_of_a_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eduverse_mesa.runs.erasure.participant._CHUNK", 64)
    path = tmp_path / "a"
    for start in range(100):
        path.write_bytes(b"." * start + b"a sentence of some length" + b"." * 50)
        (searched,), found = search_files([path], [Needle("a sentence of some length", False)])
        assert searched.bytes == start + 75
        assert len(found) == 1


def test_a_long_text_is_found_though_pages_cut_it(tmp_path: Path) -> None:
    long = " ".join(str(number) for number in range(3000))
    path = tmp_path / "a"
    content = long.encode()
    path.write_bytes(b"\x00page".join(content[start : start + 4000] for start in range(0, len(content), 4000)))
    assert len(search_files([path], [Needle(long, False)])[1]) == 1
