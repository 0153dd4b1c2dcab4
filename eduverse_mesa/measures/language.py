"""Properties of words, language by language: how they count, ask, evaluate and carry content. Data and small functions;
nothing assumes English only.

A user's own language is one more `Language`, given to the measures as `language=`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN_RUN: Final = re.compile(f"[{_HAN}]+")
_SPACED_WORD: Final = re.compile(r"\S*[^\W_]\S*")
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’./,\-][^\W_]+)*")
_QUESTION: Final = re.compile("[?？؟]")
# Characters per word of spoken Chinese: 46.8 million over 33.5 million in film subtitles (Cai & Brysbaert 2010,
# SUBTLEX-CH).
HAN_PER_WORD: Final = 46.8 / 33.5
# Words of fewer letters seldom carry content; numbers do, in mathematics above all.
CONTENT_LETTERS: Final = 4
# "Opening words": with more, evaluations of something else creep in; with one, "oh, good" and "that's right" are lost.
OPENING_WORDS: Final = 2


@dataclass(frozen=True)
class Language:
    """How a language evaluates, and which of its words carry no content.

    `evaluating` are opening words of praise, assent or refusal, with `fillers` before them or not. `function_words`
    carry no content. In a language without spaces the former are opening strings and the latter characters, and the
    characters `alone` evaluate when nothing else stands before the next mark.
    """

    name: str
    evaluating: frozenset[str]
    function_words: frozenset[str]
    fillers: frozenset[str] = frozenset()
    spaced: bool = True
    alone: frozenset[str] = frozenset()

    def evaluates(self, text: str) -> bool:
        """Return True if the opening words of a turn evaluate what was said before."""
        if self.spaced:
            words = [token for token in tokens_of(text) if token not in self.fillers][:OPENING_WORDS]
            return any(word in self.evaluating for word in words)
        runs = (run.strip("".join(self.fillers)) for run in _HAN_RUN.findall(text))
        opening = next(filter(None, runs), "")
        return opening.startswith(tuple(self.evaluating)) or (opening != "" and self.alone.issuperset(opening))

    def content(self, text: str) -> frozenset[str]:
        """The content words of a text: numbers and words of some length; of Han characters, pairs of neighbours."""
        words = {
            token
            for token in tokens_of(text)
            if (token[0].isdigit() or len(token) >= CONTENT_LETTERS) and token not in self.function_words
        }
        for run in _HAN_RUN.findall(text):
            words.update(pair for pair in map("".join, pairwise(run)) if not self.function_words & set(pair))
        return frozenset(words)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH: Final = Language(
    name="en",
    evaluating=_words(
        """yes yeah yep yup no nope okay ok right alright correct exactly true good great nice nicely perfect excellent
        awesome wonderful fantastic fabulous amazing super beautiful brilliant lovely absolutely sure cool wow mm-hmm
        uh-huh"""
    ),
    function_words=_words(
        """a about after all also am an and any are as at be because been before but by can can't could did didn't do
        does doesn't doing don't for from get go going got had has have he her here him his how i i'm i've if in into
        is isn't it it's its just let let's like me more my no not now of off oh ok okay on one only or other our out
        over so some something than that that's the their them then there there's these they they're thing things
        think this those through to too um up us very want was we we're well were what what's when where which while
        who why will with would yeah yes you you're your yours"""
    ),
    fillers=frozenset({"oh", "um", "uh", "ah", "er", "so", "and", "well"}),
)
CHINESE: Final = Language(
    name="zh",
    evaluating=_words(
        """很好 非常好 真好 太好 不对 很对 对的 好的 是的 是啊 没错 不错 真不错 正确 完全正确 不是 不太 真棒 很棒 太棒
        准确 精彩 有道理 同意 说得 讲得 读得 答得 回答得 你说得 你讲得 你读得 你回答得 这位同学说得"""
    ),
    function_words=frozenset(
        "的了是我你他她它们这那有在和与就都也不没很吗呢吧啊呀嗯哦哪什么怎为个一来去到说要会能请把被给让上下"
    ),
    fillers=frozenset("嗯哦啊噢哎呀吧了那"),
    spaced=False,
    alone=frozenset("好对是行棒可以"),  # at the head of a longer phrase they mean something else: 好像, 对于, 行为
)
LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({"en": ENGLISH, "zh": CHINESE})
# Below these shares a text is in neither: about half of spoken English is function words, and next to nothing of other
# languages in Latin letters is; a Chinese lesson may quote English, and an English one a Chinese name.
HAN_SHARE: Final = 0.3
FUNCTION_WORD_SHARE: Final = 0.15


def tokens_of(text: str) -> list[str]:
    """Words and numbers between spaces, in lower case, without punctuation around them; Han characters are left
    aside."""
    return [token.replace("’", "'") for token in _TOKEN.findall(_HAN_RUN.sub(" ", text).lower())]


def count_words(text: str) -> float:
    """Words of a text: what stands between spaces and holds a letter or a digit; Han characters by their mean per
    word."""
    han = sum(map(len, _HAN_RUN.findall(text)))
    if not han:
        return float(len(_SPACED_WORD.findall(text)))
    return len(_SPACED_WORD.findall(_HAN_RUN.sub(" ", text))) + han / HAN_PER_WORD


def is_question(text: str) -> bool:
    """Return True if the text holds a question mark, narrow, wide or Arabic."""
    return _QUESTION.search(text) is not None


def detect_language(text: str) -> Language | None:
    """The language of a lesson, or None: then what needs evaluating words cannot be measured, and is not."""
    han = sum(map(len, _HAN_RUN.findall(text)))
    tokens = tokens_of(text)
    letters = sum(map(len, tokens)) + han
    if letters and han / letters >= HAN_SHARE:
        return CHINESE
    words = [token for token in tokens if not token[0].isdigit()]
    known = sum(token in ENGLISH.function_words or token in ENGLISH.evaluating for token in words)
    return ENGLISH if words and known / len(words) >= FUNCTION_WORD_SHARE else None
