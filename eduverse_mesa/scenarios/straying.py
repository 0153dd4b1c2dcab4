"""Whether a question leaves the unit that a dialogue is about.

A tutor who asks "Are you sure?" or "Can you tell me more?" names nothing, and goes back to the question on the table.
Who names something, and nothing of it is of the unit or of what was said before, asks about another thing. It goes by
the words alone, and where a language has no list of ordinary words here, no question strays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from eduverse_mesa.marks import share_said, unspaced, words
from eduverse_mesa.scenarios.curriculum import Unit, questions_in, sentences_of

_STEM = 5
"""Letters by which a word is known again in another form."""
_ENGLISH = """
a about actually add after again agree all almost already alright also always am an and another answer answers any
anyone anything are around as ask asked at away back be because been before begin being best better between big both
but by call called came can cannot case certain chance change choose clear closely come complete completely correct
could day dear describe detail details did didn't differ difference different discuss do does doesn't doing don't
done down each easy else end enough even ever every everyone everything exactly example examples explain explanation
express fact far feel few figure find first follow for found friend from fully further gave get give given gives go
goes going good got great guess had hang happen happened happening happens hard has have haven't hear heard hello
help helped helps here hey hi hint hm hold how i i'd i'll i'm idea ideas if imagine important in instead interesting
into is isn't it it's its itself just keep kind kinds know known last later learn learned learnt least leave let
let's like likely listen little long look looked looking looks lot main make makes many matter may maybe me mean
meaning means meant mention mentioned might mind mine moment more most much must my name need needs never new next
nice no not nothing notice noticed now of off oh ok okay on once one ones only or other others our out over own part
parts people perhaps person picture piece place please point possible probably problem prove put question questions
quick quite ready real really reason reasons recall remember remind repeat rephrase right said same saw say saying
says second see seem seems seen sense sentence shall she should show simple since small so some somebody someone
something sometimes soon sort sound sounds start step still stop story such sum summarise summarize sure suppose
surprise take talk talked talking task tell than thank thanks that that's the their them then there there's these
they thing things think thinking third this those thought thoughts through time times to today together told too
topic tried true try trying turn two under understand understood until up us use used useful uses using very wait
want was way ways we well went were what what's when where whether which while who whole whom whose why will wish
with without wonder word words work worked works world would wouldn't write wrong yes yet you you'd you'll you're
you've your yours yourself
"""
_CHINESE = (
    "你我他她它们咱是的地得了吗呢吧啊呀哦嗯么什为怎能再说一二两想还有没会可以知道觉确定真不认试别多点下看请个种这那样好对错好样问题答案回话讲解释清楚明白懂记起为因所如果但而且和与或在上"
    "里来去出到把被让给用做要应该已经都也就才又很更最太只哪谁几时候东西事情意思例子举自己大家老师同学新第次些完全先后开始继续接着准备"
)
"""Signs of which ordinary words are made."""
_ORDINARY: dict[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "zh": frozenset(_CHINESE),
}


def strays(text: str, unit: Unit, earlier: Sequence[str], language: str) -> bool:
    """Whether a text asks about something that is neither of the unit nor of what was said `earlier`."""
    ordinary = _ORDINARY.get(language.replace("_", "-").split("-")[0].casefold())
    question = questions_in(text)
    if ordinary is None or not question or unit.asked_by(text, earlier) is not None:
        return False
    named = named_in(question, language)
    if not named or any(share_said(item.marks, question) for item in unit.items):
        return False
    spoken = (_named(sentence, ordinary) for one in (*earlier, text) for sentence in _stated(one))
    return named.isdisjoint(_topic(_texts(unit), ordinary)) and all(map(named.isdisjoint, spoken))


def named_in(text: str, language: str) -> frozenset[str]:
    """What a text names, without the words that belong to any talk; nothing where these are not known."""
    ordinary = _ORDINARY.get(language.replace("_", "-").split("-")[0].casefold())
    return frozenset() if ordinary is None else _named(text, ordinary)


def _stated(text: str) -> Iterator[str]:
    """The sentences that are no questions: to have been asked about a thing is not to speak of it."""
    return (sentence for sentence in sentences_of(text) if sentence[-1] not in "?？")


@lru_cache(maxsize=8192)
def _named(text: str, ordinary: frozenset[str]) -> frozenset[str]:
    """Words beside the ordinary ones, without their endings; of a script without spaces, pairs of signs. A number names
    nothing: who asks a sum with other numbers stays with it."""
    found: set[str] = set()
    for word in words(text).split():
        if unspaced(word):
            found.update(one + two for one, two in pairwise(word) if one not in ordinary and two not in ordinary)
        elif word not in ordinary and len(word) > 1 and not any(sign.isdigit() for sign in word):
            found.add(word.removesuffix("'s").removesuffix("’s").rstrip("s")[:_STEM])
    return frozenset(found)


def _texts(unit: Unit) -> tuple[str, ...]:
    said = [unit.idea, unit.because, unit.hint, unit.outcome]
    for item in unit.items:
        said += (item.ask, item.right, item.partial, item.wrong)
    return tuple(said)


@lru_cache(maxsize=1024)
def _topic(texts: tuple[str, ...], ordinary: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*(_named(text, ordinary) for text in texts))
