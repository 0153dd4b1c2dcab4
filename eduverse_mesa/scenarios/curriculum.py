"""The curriculum: subjects, their concepts, and learning units by grade with items to ask (SimLearner, section 1).

A subject is a document of its own, so that a teacher can put one's own beside ours; a curriculum names its subjects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from eduverse_mesa.curves import clamp
from eduverse_mesa.marks import share_said, tokens, unspaced, words
from eduverse_mesa.scenarios.base import NO_SEMICOLON, WORDED, Document, Name, Part, Sentence, Text

_SLIP = 0.6
_ALIKE = 0.75
"""The share of a question's words that makes another wording of it."""
TOLD = 0.67
"""The share of an idea's marks that tells it."""
_LEAST_TOLD = 0.34
"""A share below this is talk about the thing, and does not tell it."""
_ASKING = "?？"
_SENTENCE = re.compile(r"[^.!?。！？]*[.!?。！？]|[^.!?。！？]+$")

Grade = Annotated[int, Field(ge=0, le=13)]
Mark = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=80, pattern=WORDED)]
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80, pattern=NO_SEMICOLON)]
"""Tables list several ids in one cell."""


class Concept(Part):
    """A lasting idea of a subject, met again in several grades (c_i)."""

    id: Id
    title: Sentence
    text: Sentence = Field(description="what it is about, for whoever has never heard of it")
    marks: tuple[Mark, ...] = Field(
        min_length=2, description="beginnings of words that show that talk is about it, alternatives parted by |"
    )


class Item(Part):
    """A question on a unit, and what a right, a half right and a typically wrong answer says."""

    id: Id
    ask: Sentence
    right: Sentence = Field(description="a right answer in a child's words")
    partial: Sentence = Field(description="what a child with half an understanding says")
    wrong: Sentence = Field(description="what a child says who holds the usual misconception")
    marks: tuple[Mark, ...] = Field(
        min_length=2, description="beginnings of words that a right answer holds, alternatives parted by |"
    )
    slips: tuple[Mark, ...] = Field(
        min_length=1, description="beginnings of words that give the misconception away, alternatives parted by |"
    )

    def rate(self, answer: str) -> float:
        """How much of a right answer stands in a text, from 0 to 1; what gives the misconception away counts against
        it. It goes by the words alone, whoever says them."""
        right, slipped = share_said(self.marks, answer), share_said(self.slips, answer)
        return clamp(right - (_SLIP if right < 1.0 else _SLIP / 2) * slipped)

    def asked_in(self, text: str) -> bool:
        """Return True if a text asks this question, in these or nearly these words."""
        return _asks(self.ask, text)


class Unit(Part):
    """A learning unit: a core idea of a grade, what a learner can do with it, and items that show it (l_j)."""

    id: Id
    grade: Grade
    band: tuple[Grade, Grade] | None = Field(None, description="the grades it may be taught in, where not only one")
    concept: Id = Field(description="the concept it mostly belongs to")
    also: tuple[Id, ...] = Field((), description="other concepts that it touches")
    needs: tuple[Id, ...] = Field((), description="ids of units of this or a lower grade that it builds on")
    idea: Sentence = Field(description="the core idea as a tutor would say it to a learner of the grade")
    because: Sentence = Field(description="evidence for it, or an example from everyday life")
    hint: Sentence = Field(description="a hint or a simpler explanation that does not give the idea away")
    outcome: Sentence = Field(description="what a learner can do who has understood")
    marks: tuple[Mark, ...] = Field(
        min_length=3, description="beginnings of words that whoever tells the idea uses, alternatives parted by |"
    )
    items: tuple[Item, ...] = Field(min_length=2)

    @property
    def concepts(self) -> tuple[str, ...]:
        """All concepts it belongs to, the most important first."""
        return (self.concept, *self.also)

    def asked_by(self, text: str, earlier: Sequence[str] = ()) -> Item | None:
        """The item that a text asks: in its own words or nearly so, else the likest one, where the question speaks of
        the unit at all. Of items that are equally like it, the one that was asked least `earlier`."""
        for item in self.items:
            if item.asked_in(text):
                return item
        question = questions_in(text)
        if not question or not share_said(self.marks, question):
            return None
        said = _words_of(question)
        likeness = {item.id: _likeness(item.ask, said) for item in self.items}
        most = max(likeness.values())
        alike = [item for item in self.items if likeness[item.id] == most]
        if len(alike) == 1:
            return alike[0]
        return min(alike, key=lambda item: sum(item.asked_in(one) for one in earlier))

    def beside_questions(self, text: str) -> tuple[str, ...]:
        """The sentences of a text that do not ask one of its items."""
        return _beside_questions(tuple(item.ask for item in self.items), text)

    def told_in(self, text: str) -> float:
        """How much of the core idea a text tells, from 0 to 1. What is asked is not told, but for who asks whether it
        is so that, and then says all of it."""
        said = self.beside_questions(text)
        whole = share_said(self.marks, " ".join(said))
        if whole < TOLD:
            whole = share_said(self.marks, " ".join(one for one in said if one[-1] not in _ASKING))
        return whole if whole >= _LEAST_TOLD else 0.0

    def gives_away(self, item: Item, text: str) -> bool:
        """Return True if a text holds the answer to an item outside of the questions that it asks."""
        return share_said(item.marks, " ".join(self.beside_questions(text))) >= 1.0

    @model_validator(mode="after")
    def _band_holds_grade(self) -> Self:
        if self.band is not None and not self.band[0] <= self.grade <= self.band[1]:
            raise ValueError(f"unit '{self.id}' is of grade {self.grade}, which its band {list(self.band)} leaves out")
        _once("item", [item.id for item in self.items], f"unit '{self.id}'")
        return self


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    return tokens(text)


def _likeness(ask: str, said: frozenset[str]) -> float:
    asked = _words_of(ask)
    return len(asked & said) / len(asked)


def _asks(ask: str, text: str) -> bool:
    if ask in text:
        return True
    if not any(mark in text for mark in _ASKING):
        return False
    asked = _words_of(ask)
    return len(asked & _words_of(text)) >= _ALIKE * len(asked)


@lru_cache(maxsize=8192)
def _beside_questions(asks: tuple[str, ...], text: str) -> tuple[str, ...]:
    for ask in asks:
        text = text.replace(ask, " ")
    return tuple(one for one in map(str.strip, sentences_of(text)) if one and not any(_asks(ask, one) for ask in asks))


@lru_cache(maxsize=1024)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, each with what closes it."""
    return tuple(_SENTENCE.findall(text))


def questions_in(text: str) -> str:
    """The sentences of a text that are questions."""
    return "".join(sentence for sentence in sentences_of(text) if sentence[-1] in _ASKING)


class Subject(Document):
    """One subject: its concepts, and its units from the lowest grade to the highest."""

    kind: Literal["subject"] = "subject"
    id: Id
    language: Name = "en"
    concepts: tuple[Concept, ...] = Field(min_length=1)
    units: tuple[Unit, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _concepts_are_known(self) -> Self:
        known = _once("concept", [concept.id for concept in self.concepts], f"subject '{self.id}'")
        _once("unit", [unit.id for unit in self.units], f"subject '{self.id}'")
        for unit in self.units:
            if unit.concept not in known:
                raise ValueError(
                    f"unit '{unit.id}' belongs to concept '{unit.concept}', which subject '{self.id}' does not have; "
                    f"known: {', '.join(sorted(known))}"
                )
        return self


class Curriculum(Document):
    """Subjects that are taught together."""

    kind: Literal["curriculum"] = "curriculum"
    description: Text = ""
    source: Text = Field("", description="where the standard comes from, and what was changed")
    subjects: tuple[Subject, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        _once("subject", [subject.id for subject in self.subjects], "the curriculum")
        concepts = _once("concept", [concept.id for concept in self.all_concepts()], "the curriculum")
        _once("unit", [unit.id for unit in self.all_units()], "the curriculum")
        grades = {unit.id: unit.grade for unit in self.all_units()}
        for unit in self.all_units():
            _check_unit(unit, concepts, grades)
        _refuse_circles({unit.id: unit.needs for unit in self.all_units()})
        return self

    def all_concepts(self) -> Iterator[Concept]:
        """The concepts of all subjects, in their order."""
        return (concept for subject in self.subjects for concept in subject.concepts)

    def all_units(self) -> Iterator[Unit]:
        """The units of all subjects, in their order."""
        return (unit for subject in self.subjects for unit in subject.units)

    @property
    def language(self) -> str:
        """The language that it is written in: that of its first subject."""
        return self.subjects[0].language

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Units by id."""
        return {unit.id: unit for unit in self.all_units()}

    @cached_property
    def concepts(self) -> dict[str, Concept]:
        """Concepts by id."""
        return {concept.id: concept for concept in self.all_concepts()}

    @cached_property
    def subject_of(self) -> dict[str, str]:
        """The id of the subject of each concept."""
        return {concept.id: subject.id for subject in self.subjects for concept in subject.concepts}

    @cached_property
    def grades(self) -> tuple[int, ...]:
        """The grades it has units for, lowest first."""
        return tuple(sorted({unit.grade for unit in self.all_units()}))

    def units_of(self, grade: int) -> tuple[Unit, ...]:
        """The units of one grade."""
        return tuple(unit for unit in self.all_units() if unit.grade == grade)

    def expected(self, grade: int) -> tuple[str, ...]:
        """The concepts that the standard has taught by the end of a grade."""
        taught = {unit.concept for unit in self.all_units() if unit.grade <= grade}
        return tuple(concept.id for concept in self.all_concepts() if concept.id in taught)


def _check_unit(unit: Unit, concepts: set[str], grades: dict[str, int]) -> None:
    for concept in unit.also:
        if concept not in concepts:
            raise ValueError(f"unit '{unit.id}' touches concept '{concept}', which does not exist; remove or add it")
    for need in unit.needs:
        if need not in grades:
            raise ValueError(f"unit '{unit.id}' needs unit '{need}', which does not exist; remove or add it")
        if grades[need] > unit.grade:
            raise ValueError(
                f"unit '{unit.id}' of grade {unit.grade} needs '{need}' of grade {grades[need]}; "
                "what is built on is taught in the same grade or before"
            )


def _refuse_circles(needs: dict[str, tuple[str, ...]]) -> None:
    settled: set[str] = set()
    while left := [unit for unit in needs if unit not in settled]:
        free = [unit for unit in left if settled.issuperset(needs[unit])]
        if not free:
            raise ValueError(
                f"units need each other in a circle: {', '.join(map(repr, left[:6]))}; break it at one of them"
            )
        settled.update(free)


def _once(what: str, ids: Sequence[str], where: str) -> set[str]:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"two {what}s of {where} have the id '{one}'; rename one")
        seen.add(one)
    return seen


def in_order(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Units so that each stands after what it builds on; otherwise lower grades first, and as they are listed."""
    left = sorted(units, key=lambda unit: unit.grade)
    names = {unit.id for unit in left}
    placed: list[Unit] = []
    done: set[str] = set()
    while left:
        following = next(unit for unit in left if done.issuperset(names.intersection(unit.needs)))
        left.remove(following)
        placed.append(following)
        done.add(following.id)
    return tuple(placed)


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
    """Return True if a text asks about something that is neither of the unit nor of what was said `earlier`."""
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
    """Return the things that a text names, without the words that belong to any talk; empty if these are not known."""
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
