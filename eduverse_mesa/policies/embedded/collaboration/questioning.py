"""What a question asks for: what a word means, what is known, what is to be found, why, how, or how much."""

from __future__ import annotations

import re
from typing import NamedTuple

from eduverse_mesa.decisions.meanings import QUESTIONS
from eduverse_mesa.policies.embedded.collaboration.hearing import Ear, pattern

_TRIM = " \t\"'.,!?:;„“”‘’《》「」"
_MOST_WORDS = 5
_PIECES = re.compile(r"(?:[^.!?]|\.(?=\d))+[.!?]*")


class Question(NamedTuple):
    """What is asked, one of QUESTIONS, and the words that are asked about."""

    kind: str
    word: str = ""


def question_of(ear: Ear, text: str, typed: str) -> Question:
    """The question in a text that can be answered in words, if there is one; a word is looked for as it was typed."""
    for kind in QUESTIONS:
        if kind == "word":
            word = _word(ear, typed)
            if word:
                return Question("word", word)
        elif kind and ear.hears(f"asks_{kind}", text):
            return Question(kind)
    return Question("")


def stated(ear: Ear, text: str) -> str:
    """A text without what only asks in it: a why gives no reason."""
    pieces = _PIECES.findall(text)
    return " ".join(one for one in pieces if not question_of(ear, one.strip().casefold(), one.strip().casefold()).kind)


def _word(ear: Ear, text: str) -> str:
    """The words whose meaning is asked for; not what somebody meant, nor how much something is."""
    for each in ear.patterns("asks_word"):
        for match in pattern(each).finditer(text):
            word = match["word"].strip(_TRIM)
            known = "terms" not in match.re.groupindex or ear.hears("terms", f" {word} ")
            if word and known and not ear.hears("no_words", word) and len(word.split()) <= _MOST_WORDS:
                return re.sub(r"\s+", " ", word)
    return ""
