"""The words of a person: what they wrote, the phrases and names that can be looked for elsewhere, and what takes their
place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from eduverse_mesa.decisions import DECISIONS, STRATEGIES
from eduverse_mesa.decisions.tutoring import ANSWER_KINDS, LONGEST, MOVES, TRAITS
from eduverse_mesa.models.tutoring import Saved
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.policies.safe_text import clean
from eduverse_mesa.scenarios import schema
from eduverse_mesa.store import AnswerRow, RunRow, SittingRow
from eduverse_mesa.store.rows import Place
from eduverse_mesa.vocabulary import ACT_CATEGORY, BEHAVIOURS, BLOOM, EMOTIONS, LEVEL_NAMES, TONES

Change: TypeAlias = Callable[[str, bool], str]
"""(a text, whether it is in words of somebody's own) -> the text that takes its place."""

ERASED = "[…]"
"""The text that takes the place of words: a mark of omission in any language, in which no measure finds a word."""

FREE = frozenset(
    {
        *("text", "sentence", "summary", "portrait", "regulation", "evaluation", "reason", "reasons"),
        *("insights", "understanding", "forethought", "performance", "reflection", "intent"),
    }
)
"""Fields of outcomes and records that hold words of somebody's own; what else there is are codes, names and numbers."""

MIN_WIDTH = 8
"""Shorter words are everybody's: "yes", "I think". A Chinese character counts twice."""
MIN_LABEL = 3

_SENTENCE_ENDS = re.compile(r"(?<=[.!?;。！？；…])|\n")
_AROUND = " \t\n.,;:!?…。，；：！？、\"'“”‘’«»()[]（）《》-–—"
_CHINESE_NAME = re.compile(r"[\u3400-\u9fff]{3,4}")
_LATIN = "A-Za-z0-9_\u00c0-\u024f"


def change_texts(document: Any, change: Change, key: str = "") -> Any:
    """A document with every text of it changed; keys of a mapping are texts, too. What a field of free words holds is
    free words, also where it is a mapping: its keys then say only of what (`understanding`, by concept)."""
    if isinstance(document, str):
        return change(document, key in FREE)
    if isinstance(document, dict):
        return {
            change(name, False): change_texts(part, change, key if key in FREE else name)
            for name, part in document.items()
        }
    if isinstance(document, list):
        return [change_texts(part, change, key) for part in document]
    return document


def own_texts(content: str) -> list[str]:
    """The texts of an outcome in JSON that are words of whoever answered; of what is no JSON any more, all."""
    return [text for text, own in _texts(content) if own and text]


def strings_of(document: str) -> list[str]:
    """Every text of a document in JSON; what is none is one text."""
    return [text for text, _ in _texts(document)]


def _texts(content: str) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []

    def note(text: str, own: bool) -> str:
        found.append((text, own))
        return text

    try:
        change_texts(msgspec.json.decode(content), note)
    except msgspec.DecodeError:
        return [(content, True)]
    return found


def blank(text: str, own: bool) -> str:
    """The words taken out. What was a question still ends like one: that is how the class heard it."""
    if not own or not text:
        return text
    return f"{ERASED}{text[-1]}" if text.endswith(("?", "？")) else ERASED


def pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be quoted: all of it, and each of its sentences, without what stands around a
    quotation."""
    for part in (text, *_SENTENCE_ENDS.split(text)):
        if bare := " ".join(part.split()).strip(_AROUND):
            yield bare


_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_IN_A_ROW = 5


def rows_of_words(text: str) -> set[tuple[str, ...]]:
    """Every five words in a row, or Chinese characters: what two texts share when one quotes a part of the other."""
    words = _UNIT.findall(text.lower())
    return {tuple(words[start : start + _IN_A_ROW]) for start in range(len(words) - _IN_A_ROW + 1)}


def width(text: str) -> int:
    """How long a text looks."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def folded(text: str) -> str:
    """A text as it is compared: without its capitals, and with one space where there are several."""
    return " ".join(text.split()).lower()


@cache
def form_words() -> frozenset[str]:
    """Words that the form of a study is made of: codes, and the names of fields. To replace them would break it."""
    words = {*ACT_CATEGORY, *ACT_CATEGORY.values(), *BEHAVIOURS, *BLOOM, *EMOTIONS, *LEVEL_NAMES, *TONES, *STRATEGIES}
    words |= {*DECISIONS, *(name for one in DECISIONS.values() for name in one.outcome.__struct_fields__)}
    words |= {"human", "embedded", "llm", "local", "teacher", "student", "class", "group", "peer", "right", "partial"}
    words |= {*MOVES, *ANSWER_KINDS, *TRAITS, "tutor", "learner", "judge", "talk", "exam", "pause", "agenda", "began"}
    waiting: list[Any] = [schema("scenario"), schema("tutoring"), msgspec.json.schema(Saved)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            words |= set(part)
            words |= {value for key in ("const", "enum") for value in _listed(part.get(key)) if isinstance(value, str)}
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return frozenset(word.lower() for word in words)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def parts_of(name: str) -> list[str]:
    """Return the short names of somebody of this name: each word of it, and of a Chinese name the given name."""
    if _CHINESE_NAME.fullmatch(name.strip()):
        return [name.strip()[-2:]]
    words = name.split()
    parts = [word.strip(_AROUND) for word in words] if len(words) > 1 else []
    return list(dict.fromkeys(part for part in parts if _is_name(part)))


def _is_name(part: str) -> bool:
    """It is written like a name: not as "the" in "Ann the first"."""
    return width(part) >= MIN_LABEL and not part[0].islower() and part[0].isalpha() and part.lower() not in form_words()


def _pattern(text: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """Wherever the text stands as words of its own, whatever its capitals and spaces."""
    inside = r"\s+".join(re.escape(word) for word in text.split())
    before = f"(?<![{_LATIN}])" if re.match(f"[{_LATIN}]", text) else ""
    after = f"(?![{_LATIN}])" if re.search(f"[{_LATIN}]$", text) else ""
    return re.compile(f"{before}{inside}{after}", flags)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words to look for."""

    text: str
    folded: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, text: str) -> Phrase:
        """These words."""
        return cls(text, folded(text), _pattern(text))

    @classmethod
    def exactly(cls, text: str) -> Phrase:
        """These words, with these capitals: a name that is a word of the language, too, has none as such."""
        return cls(text, folded(text), _pattern(text, re.NOFLAG))

    def stands_in(self, text: str) -> bool:
        """The words stand in this text."""
        return self.folded in folded(text) and self.pattern.search(text) is not None


@dataclass(frozen=True, slots=True)
class Name:
    """The former name of a participant, and the present one."""

    phrase: Phrase
    alias: str
    in_texts: bool
    """It is looked for within texts; otherwise only what is this name and nothing else is changed."""
    parts: tuple[Phrase, ...] = ()
    """Short forms of it, which are looked for in words of somebody's own."""

    def change(self, text: str, own: bool = False) -> str:
        """The text with the name that is used now; parts of the name only where it is words of somebody's own."""
        if text == self.phrase.text:
            return self.alias
        alias = self.alias.replace("\\", r"\\")
        if self.in_texts and self.phrase.stands_in(text):
            text = self.phrase.pattern.sub(alias, text)
        for part in self.parts if own else ():
            if part.text in text:
                text = part.pattern.sub(alias, text)
        return text

    def may_stand_in(self, folded_text: str) -> bool:
        """Return True if the name or a part of it can stand there at all."""
        return any(one.folded in folded_text for one in (self.phrase, *self.parts))


@dataclass(slots=True)
class Redactor:
    """Takes a person's words out of texts."""

    phrases: list[Phrase] = field(default_factory=list)
    """The longest first, so that a sentence goes before a part of it."""
    name: Name | None = None

    def among(self, texts: Iterable[str]) -> Redactor | None:
        """Return the part of it that these texts need; None where they hold nothing."""
        whole = folded("\n".join(texts))
        phrases = [phrase for phrase in self.phrases if phrase.folded in whole]
        name = self.name if self.name is not None and self.name.may_stand_in(whole) else None
        return Redactor(phrases, name) if phrases or name else None

    def change(self, text: str, own: bool = True) -> str:
        """The text without the person's words; in what is no free text only the name is changed."""
        for phrase in self.phrases if own else ():
            if phrase.stands_in(text):
                text = phrase.pattern.sub(ERASED, text)
        return text if self.name is None else self.name.change(text, own)

    def change_all(self, text: str, _own: bool = True) -> str:
        """The same, wherever the text stands."""
        return self.change(text)

    def holds(self, text: str) -> bool:
        """Something of it stands in the text."""
        plain = folded(text)
        if any(phrase.folded in plain and phrase.pattern.search(text) for phrase in self.phrases):
            return True
        return self.name is not None and self.name.change(text, True) != text

    def count(self, texts: Sequence[str]) -> int:
        """In how many of the texts something of it stands."""
        needed = self.among(texts)
        return 0 if needed is None else sum(needed.holds(text) for text in texts)


_END: Place = (10**9, 0)
_NEVER: Place = (0, 0)


class TakenSeat(NamedTuple):
    """The agent for whom a person answered, from one step to another."""

    agent: str
    since: Place
    until: Place


def seats_of(runs: Iterable[RunRow], sittings: Iterable[SittingRow]) -> dict[str, list[TakenSeat]]:
    """By run: where the person of these sittings sat. Runs come oldest first, so a fork after its parent."""
    found: dict[str, list[TakenSeat]] = {}
    for sitting in sittings:
        found.setdefault(sitting.run, []).append(TakenSeat(sitting.agent, sitting.since, sitting.until or _END))
    for run in runs:
        if run.parent is None or run.forked_at is None:
            continue
        inherited = [
            seat._replace(until=min(seat.until, run.forked_at))
            for seat in found.get(run.parent, ())
            if seat.since <= run.forked_at
        ]
        if run.kind == "tutoring":  # it holds no answer of the run that its learners come from, only their memory
            inherited = [TakenSeat(seat.agent, _NEVER, _NEVER) for seat in inherited]
        if inherited:
            found.setdefault(run.id, []).extend(inherited)
    return found


def wrote(row: AnswerRow, seats: Iterable[TakenSeat]) -> bool:
    """The person of these seats gave this answer, and nobody in their place."""
    if row.source != SOURCE:
        return False
    place = (row.lesson, max(1, row.step))  # what is asked before the first step belongs to it
    return any(row.agent == seat.agent and seat.since <= place <= seat.until for seat in seats)


_BEGAN = "began"
_ROLES = ("tutor of ", "judge of ")
"""Words before a learner's name: the others at the learner's desk."""


def at_desk_of(agent: str) -> str:
    """The learner at whose desk somebody is; anybody else is just the one."""
    return next((agent.removeprefix(role) for role in _ROLES if agent.startswith(role)), agent)


def renamed(agent: str, change: Callable[[str], str]) -> str:
    """The agent by the new name; a tutor goes by the name of the learner."""
    learner = at_desk_of(agent)
    return f"{agent.removesuffix(learner)}{change(learner)}"


def lesson_text(row: RunRow) -> str:
    """Return the text that a run was made from, without what its learners had in memory: that holds what people have
    said to them."""
    if row.kind != "tutoring":
        return row.scenario
    try:
        document = msgspec.json.decode(row.scenario)
    except msgspec.DecodeError:
        return row.scenario
    return msgspec.json.encode({key: part for key, part in document.items() if key != _BEGAN}).decode()


def began_with(row: RunRow) -> dict[str, Any]:
    """Return the memory that the learners of a run began with, by name."""
    if row.kind != "tutoring":
        return {}
    try:
        learners: dict[str, Any] = msgspec.json.decode(row.scenario).get(_BEGAN, {})
    except msgspec.DecodeError:
        return {}
    return learners


def forget_said(document: str, said: Collection[str]) -> str:
    """Return a document in which the learners come without what a person has said to them, however short it was."""
    try:
        read: Any = msgspec.json.decode(document)
    except msgspec.DecodeError:
        return document
    heard = {*said, *(clean(text)[:LONGEST] for text in said)}

    def change(text: str, own: bool) -> str:
        return blank(text, own) if text in heard else text

    after = {**read, _BEGAN: change_texts(read.get(_BEGAN, {}), change)}
    return document if after == read else msgspec.json.encode(after).decode()
