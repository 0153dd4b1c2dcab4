"""How the teacher judges what a student said: by the words, against the lesson. It cannot look into the student."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from eduverse_mesa.decisions import Said
from eduverse_mesa.scenarios.lesson import Idea, Question

_CJK_START, _CJK_END = "\u3400", "\u9fff"
_ENOUGH = 0.5
"""Share of an expected sentence's words that has to turn up before it counts as said."""


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Words of four letters and more, or pairs of Chinese characters: what carries the content in either script."""
    words: set[str] = set()
    word = ""
    previous = ""
    for character in f"{text.lower()} ":
        if _CJK_START <= character <= _CJK_END:
            if previous:
                words.add(previous + character)
            previous = character
            continue
        previous = ""
        if character.isalnum():
            word += character
        else:
            if len(word) > 3 or word.isdigit():
                words.add(word)
            word = ""
    return frozenset(words)


def judge(sentences: Sequence[Said], idea: Idea | None, question: Question | None) -> str:
    """right, partial, wrong, or none when nothing on the matter was said."""
    if idea is None or not sentences:
        return "none"
    said: set[str] = set()
    for sentence in sentences:
        said |= content_words(sentence.text)
    if not said:
        return _judge_short(sentences, question)
    right = max(_overlap(said, idea.text), _overlap(said, idea.because))
    if question is not None:
        right = max(right, _overlap(said, question.answer))
    scores = {"right": right, "wrong": _overlap(said, idea.misconception), "partial": _overlap(said, idea.partial)}
    verdict = max(scores, key=scores.__getitem__)
    if scores[verdict] >= _ENOUGH:
        return verdict
    short = _judge_short(sentences, question)
    if short != "none":
        return short
    return "partial" if any(keyword.lower() in said for keyword in idea.keywords) else "none"


def _judge_short(sentences: Sequence[Said], question: Question | None) -> str:
    if question is None:
        return "none"
    wanted = question.short_answer.casefold().strip(" .!?。！？")
    return "right" if any(wanted in sentence.text.casefold() for sentence in sentences) else "none"


def _overlap(said: set[str], expected: str) -> float:
    words = content_words(expected)
    return len(said & words) / len(words) if words else 0.0
