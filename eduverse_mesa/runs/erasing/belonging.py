"""Which words are a person's own: those it wrote, less those that are everybody's; and where they stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.erasing.redacting import strings_of, texts_of
from eduverse_mesa.runs.erasing.seats import Seat, seats_of, wrote
from eduverse_mesa.runs.erasing.tutoring import lesson_text
from eduverse_mesa.runs.erasing.words import (
    MIN_LABEL,
    MIN_WIDTH,
    Name,
    Phrase,
    Redactor,
    folded,
    form_words,
    own_texts,
    parts_of,
    pieces,
    rows_of_words,
    width,
)
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import MessageRow, ParticipantRow, Study
from eduverse_mesa.store.alerts import alerts_of
from eduverse_mesa.store.messages import messages_of
from eduverse_mesa.store.rewriting import KeptRun, read_run, schema_texts

_SAYING = 3
"""So many agents that have never met the person say the very same: then it is a common saying."""


_THOUGHT = "monitor"


class _Person(msgspec.Struct):
    name: str = ""


class _Class(msgspec.Struct):
    teacher: _Person | None = None
    students: list[_Person] = []


class _Cohort(msgspec.Struct):
    learners: list[_Person] = []


class _Tutoring(msgspec.Struct):
    cohort: _Cohort = msgspec.field(default_factory=_Cohort)


class _Scenario(msgspec.Struct):
    """As much of a scenario as says who is in it."""

    roll: _Class = msgspec.field(name="class", default_factory=_Class)
    tutoring: _Tutoring = msgspec.field(default_factory=_Tutoring)


@dataclass(slots=True)
class Belongings:
    """What a participant has left in a study."""

    participant: ParticipantRow
    seats: dict[str, list[Seat]]
    texts: list[str] = field(default_factory=list)
    """All that the person wrote, once each."""
    phrases: list[Phrase] = field(default_factory=list)
    """Of these and their sentences, what is looked for everywhere."""
    unsearched: Counter[str] = field(default_factory=Counter)
    """What is not looked for, by the reason."""
    agents: set[str] = field(default_factory=set)
    """Names of all agents of the study."""
    label_is_shared: bool = False
    thoughts: set[str] = field(default_factory=set)
    """What it thought of itself, which nobody heard. Where it said nothing of that, another policy has put it in words:
    what others think word for word the same was not the person's."""
    parts: list[Phrase] = field(default_factory=list)
    """Parts of its name that nobody else bears and no lesson knows as a word."""
    put_by_others: set[str] = field(default_factory=set)
    rows: set[tuple[str, ...]] = field(default_factory=set)
    """Five words in a row that the person wrote and that the lessons do not hold."""

    def redactor(self, alias: str) -> Redactor:
        """What takes the person's words out of texts, and calls it by this name."""
        return Redactor(self.phrases, self._name(alias))

    def _name(self, alias: str) -> Name | None:
        label = self.participant.label.strip()
        if not label or self.label_is_shared or label.lower() in form_words():
            return None
        phrase = Phrase.of(label)
        others = [agent for agent in self.agents if agent != label]
        within = width(label) >= MIN_LABEL and not any(phrase.stands_in(agent) for agent in others)
        if not within and label not in self.agents:
            return None
        return Name(phrase, alias, within, tuple(self.parts) if within else ())


def gather(opened: OpenStudy, participant: str) -> Belongings:
    """What a participant has written, and what it is called."""
    study = opened.study
    person, rows = study.participant(participant), study.runs()
    found = Belongings(person, seats_of(rows, study.sittings(participant=participant)))
    label = folded(person.label)
    found.label_is_shared = any(folded(one.label) == label for one in study.participants() if one.id != participant)
    lesson_words: list[str] = []
    known: list[str] = []
    for row in rows:
        found.agents |= _people(row.scenario)
        of_lesson = strings_of(lesson_text(row))
        known += of_lesson
        if seats := found.seats.get(row.id):
            lesson_words += of_lesson
            if row.kind == "collaboration":
                found.texts += [message.text for message in said_in(study, row.id, seats)]
            for answer in study.answers(row.id):
                if wrote(answer, seats):
                    found.texts += own_texts(answer.content)
                    if answer.kind == _THOUGHT:
                        found.thoughts |= {folded(text) for text in own_texts(answer.content)}
    found.texts += [one.text for one in alerts_of(study, participant)]
    found.texts = list(dict.fromkeys(found.texts))
    _choose(found, folded("\n".join(lesson_words)))
    others = [one.label for one in study.participants() if one.id != participant]
    _choose_parts(found, [*others, *found.agents, *dict.fromkeys(known), *schema_texts(study)])
    found.rows = {row for text in found.texts for row in rows_of_words(text)}
    found.rows -= {row for text in lesson_words for row in rows_of_words(text)}
    return found


def said_in(study: Study, run: str, seats: Iterable[Seat]) -> list[MessageRow]:
    """What the person of these seats said in a group, where no answer holds its words."""
    agents = {seat.agent for seat in seats}
    return [message for message in messages_of(study, run) if message.speaker in agents]


def _people(scenario: str) -> set[str]:
    try:
        read = msgspec.json.decode(scenario, type=_Scenario)
    except msgspec.DecodeError:
        return set()  # what cannot be read is said when the run is played
    people = (read.roll.teacher, *read.roll.students, *read.tutoring.cohort.learners)
    return {person.name for person in people if person is not None and person.name}


def _choose(found: Belongings, lesson: str) -> None:
    chosen: dict[str, Phrase] = {}
    for piece in dict.fromkeys(part for text in found.texts for part in pieces(text)):
        phrase = Phrase.of(piece)
        if width(piece) < MIN_WIDTH or phrase.folded in form_words():
            found.unsearched["short"] += 1
        elif phrase.folded in lesson:
            found.unsearched["words of the lesson"] += 1
        else:
            chosen.setdefault(phrase.folded, phrase)
    found.phrases = sorted(chosen.values(), key=lambda phrase: -len(phrase.folded))


def _choose_parts(found: Belongings, known: list[str]) -> None:
    """Parts of the name, as they were given and in capitals: those that stand
    nowhere in the names of others, in what lessons say, and in what the file itself is made of."""
    label = found.participant.label.strip()
    whole = Phrase.of(label) if label else None
    rest = folded("\n".join(whole.pattern.sub("", text) if whole else text for text in known))
    for part in parts_of(label):
        ways = dict.fromkeys((part, part.upper()))
        if Phrase.of(part).pattern.search(rest):
            found.unsearched["parts of the name that are other words, too"] += 1
        else:
            found.parts += [Phrase.exactly(way) for way in ways]


def find_runs(opened: OpenStudy, found: Belongings) -> list[str]:
    """The runs that hold something of the person: those in which it sat, and those that repeat it."""
    said: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    elsewhere: dict[str, Redactor] = {}
    rows = opened.study.runs()
    for row in rows:
        kept = read_run(opened.study, row.id)
        _note_thoughts(kept, found)
        if row.id in found.seats:
            continue
        held = found.redactor("").among(texts_of(kept))
        if held is not None:
            elsewhere[row.id] = held
            _note_sayings(kept, held.phrases, said)
    sayings = {phrase for phrase, agents in said.items() if len(agents) >= _SAYING}
    before = len(found.phrases)
    found.phrases = [phrase for phrase in found.phrases if phrase.folded not in sayings | found.put_by_others]
    found.unsearched["common sayings"] += before - len(found.phrases)
    phrases = {phrase.folded for phrase in found.phrases}
    left = [run for run, held in elsewhere.items() if held.name or phrases & {one.folded for one in held.phrases}]
    return [row.id for row in rows if row.id in found.seats or row.id in left]


def _note_thoughts(kept: KeptRun, found: Belongings) -> None:
    """Others think the same, in words that the policy has given them."""
    for answer in kept.answers if found.thoughts else ():
        if answer.kind == _THOUGHT and answer.source != SOURCE:
            for text in own_texts(answer.content):
                if folded(text) in found.thoughts:
                    found.put_by_others |= {folded(piece) for piece in pieces(text)}


def _note_sayings(kept: KeptRun, phrases: Iterable[Phrase], said: dict[str, set[tuple[str, str]]]) -> None:
    """Who says one of the phrases, word for word and as a sentence of its own."""
    wanted = {phrase.folded for phrase in phrases}
    for answer in kept.answers if wanted else ():
        for text in own_texts(answer.content):
            for piece in pieces(text):
                if folded(piece) in wanted:
                    said[folded(piece)].add((kept.row.id, answer.agent))
