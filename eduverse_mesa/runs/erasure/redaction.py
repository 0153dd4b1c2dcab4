"""A participant's belongings in a study, and a kept run without their words: its texts changed, then played again,
since a class judges what it hears."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from pydantic import ValidationError

from eduverse_mesa.decisions import DECISIONS, Answer, Bill, Decision
from eduverse_mesa.errors import EduverseError, PolicyError
from eduverse_mesa.policies.human.policy import SOURCE
from eduverse_mesa.runs.classroom import COURSES, Courses
from eduverse_mesa.runs.erasure.words import (
    ERASED,
    MIN_LABEL,
    MIN_WIDTH,
    Change,
    Name,
    Phrase,
    Redactor,
    TakenSeat,
    blank,
    change_texts,
    folded,
    forget_said,
    form_words,
    lesson_text,
    own_texts,
    parts_of,
    pieces,
    renamed,
    rows_of_words,
    seats_of,
    strings_of,
    width,
    wrote,
)
from eduverse_mesa.runs.kernel import Played, drive_step
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.runs.tutoring import TAUGHT, Taught
from eduverse_mesa.store import AnswerRow, MemoryRow, MessageRow, ParticipantRow, PlayedStep, Study, SummaryRow
from eduverse_mesa.store.alerts import alerts_of
from eduverse_mesa.store.dialogues import messages_of
from eduverse_mesa.store.rewrite import KeptRun, read_run, schema_texts

LOST = "erased"
"""The source of an answer that was lost since the lesson goes another way without the words."""

_NOTHING = Redactor()
_encode = msgspec.json.Encoder().encode


def texts_of(run: KeptRun) -> Iterator[str]:
    """Every text that is kept of a run, as somebody who searches it needs them."""
    row = run.row
    yield from (row.name, row.title, row.policy)
    for document in (row.scenario, row.changes, *(entry.record for _, entry in run.summaries)):
        yield plain_text(document)
    for answer in run.answers:
        yield from (answer.agent, answer.reason, plain_text(answer.content))
    for _, entry in (*run.students, *run.teacher):
        yield from (entry.who, entry.content)
    yield from (entry.student for _, entry in run.summaries)


def plain_text(document: str) -> str:
    """A document in JSON as it can be searched: only where something is written as an escape it has to be read."""
    return "\n".join((document, *strings_of(document))) if "\\" in document else document


class Redacted(NamedTuple):
    """A run without the words."""

    run: KeptRun
    changed: dict[str, int]
    """Rows by table."""
    lost: int
    """Answers that are not asked for any more, or that nobody has given."""
    replayed: bool
    """It can be played again; otherwise it could not be, before either, and only its texts were changed."""


def redact(
    run: KeptRun, seats: Sequence[TakenSeat], redactor: Redactor | None, said: Collection[str] = frozenset()
) -> Redacted:
    """Take the words out of a run. `said`: all that the person wrote, for learners who remember it from another run."""
    plain = _redact_texts(run, seats, redactor or _NOTHING)
    if run.row.kind == "tutoring":
        plain = plain._replace(row=plain.row._replace(scenario=forget_said(plain.row.scenario, said)))
    if (plain.answers, plain.row.scenario, plain.row.changes) == (run.answers, run.row.scenario, run.row.changes):
        return Redacted(plain, _differences(run, plain), 0, True)  # a title, say: the lesson is the same
    # A run that this version cannot reproduce would be spoilt by being played: only its texts are changed.
    if not _reproduces(run):
        return Redacted(plain, _differences(run, plain), 0, False)
    again, lost = _play_again(plain)
    again = again._replace(row=again.row._replace(rules=RULES[again.row.kind]))
    return Redacted(again, _differences(run, again), lost, True)


def _reproduces(run: KeptRun) -> bool:
    try:
        again, lost = _play_again(run)
    except (EduverseError, ValidationError, msgspec.DecodeError, KeyError):
        return False
    return not lost and (again.digests, again.answers) == (run.digests, run.answers)


def _redact_texts(run: KeptRun, seats: Sequence[TakenSeat], redactor: Redactor) -> KeptRun:
    row, change = run.row, redactor.change
    scenario, changes = (_changed(text, redactor.change_all) for text in (row.scenario, row.changes))
    policy = redactor.name.change(row.policy) if redactor.name is not None else row.policy
    own = {text for one in run.answers if wrote(one, seats) for text in own_texts(one.content)}
    agents = {seat.agent for seat in seats}

    def recall(text: str, free: bool = True) -> str:
        return ERASED if free and text in own else change(text, free)

    return run._replace(
        row=row._replace(
            name=change(row.name), title=change(row.title), policy=policy, scenario=scenario, changes=changes
        ),
        answers=[_redact_answer(answer, seats, redactor) for answer in run.answers],
        students=[
            (lesson, _redact_memory(entry, redactor, recall if entry.who in agents else change))
            for lesson, entry in run.students
        ],
        teacher=[(lesson, _redact_memory(entry, redactor, recall)) for lesson, entry in run.teacher],
        summaries=[
            (lesson, SummaryRow(change(entry.student, False), _changed(entry.record, recall)))
            for lesson, entry in run.summaries
        ],
    )


def _redact_answer(row: AnswerRow, seats: Sequence[TakenSeat], redactor: Redactor) -> AnswerRow:
    own = wrote(row, seats)
    content = _changed(row.content, blank) if own else row.content
    reason = blank(row.reason, True) if own else redactor.change(row.reason)
    agent = renamed(row.agent, lambda name: redactor.change(name, False))
    return row._replace(agent=agent, content=_changed(content, redactor.change), reason=reason)


def _redact_memory(entry: MemoryRow, redactor: Redactor, recall: Change) -> MemoryRow:
    """The teacher's reasons stand behind what was done: "lecturing; stay: reason"."""
    done, colon, reason = entry.content.partition(": ")
    content = recall(f"{done}: {recall(reason, True)}" if colon else entry.content, True)
    return entry._replace(who=redactor.change(entry.who, False), content=content)


def _changed(document: str, change: Change) -> str:
    """The document; the same bytes where nothing in it changes."""
    try:
        before = msgspec.json.decode(document)
    except msgspec.DecodeError:
        return change(document, True)
    after = change_texts(before, change)
    return document if after == before else _encode(after).decode()


# --- playing again ---


class _Forgiving:
    """Gives the rows of a recording; what nobody has answered is lost, and said to be."""

    name = "replay"

    def __init__(self, rows: Iterable[AnswerRow]) -> None:
        self._waiting: dict[tuple[int, str, str], list[AnswerRow]] = {}
        for row in rows:
            self._waiting.setdefault((row.step, row.agent, row.kind), []).append(row)
        self.given: list[AnswerRow] = []
        self.missing = 0

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer each, in their order, which is the order of the journal."""
        answers = []
        for decision in decisions:
            at = decision.at
            rows = self._waiting.get((at.step, at.agent, decision.kind))
            if rows:
                self.given.append(rows.pop(0))
            else:
                self.missing += 1
                self.given.append(_lost(decision))
            answers.append(_answer(self.given[-1]))
        return answers

    @property
    def left(self) -> int:
        """Rows that nobody has asked for."""
        return sum(len(rows) for rows in self._waiting.values())


def _lost(decision: Decision) -> AnswerRow:
    at = decision.at
    reason = "the answer was lost when a participant was erased"
    return AnswerRow(
        lesson=at.lesson,
        step=at.step,
        seq=0,
        round="",
        agent=at.agent,
        kind=decision.kind,
        content="null",
        source=LOST,
        status="failed",
        reason=reason,
    )


def _answer(row: AnswerRow) -> Answer:
    if row.status == "failed":
        return Answer.failed(row.source, row.reason, row.attempts)
    outcome: Any = msgspec.json.decode(row.content, type=DECISIONS[row.kind].outcome)
    return Answer(outcome, row.source, row.status, row.reason, row.attempts)  # type: ignore[arg-type]


def _play_again(run: KeptRun) -> tuple[KeptRun, int]:
    """The run as it goes with these answers, its digests, and what its parts leave in memory; and how many answers were
    lost."""
    row = run.row
    kind: Courses | Taught = TAUGHT if row.kind == "tutoring" else COURSES
    played: Played[Any, Any] = kind.make(row.id, kind.read(row), None, Bill())  # type: ignore[arg-type]
    again, lost = run._replace(answers=[], digests={}, students=[], teacher=[], summaries=[]), 0
    for number in dict.fromkeys(number for number, _ in run.digests):
        policy = _Forgiving(one for one in run.answers if one.lesson == number)
        part = played.begin(number, None)
        while part.goes_on and (number, part.steps + 1) in run.digests:
            drive_step(part, policy)
            _remember(again, part.kept(part.steps), policy.given)
        lost += policy.missing + policy.left
    if set(again.digests) != set(run.digests):
        raise PolicyError("the run ends at another step.")
    return again, lost


def _remember(run: KeptRun, done: PlayedStep, given: Sequence[AnswerRow]) -> None:
    """Note a step, with the answers as they were given: what they took and how they came stays known."""
    run.digests[done.lesson, done.step] = done.digest
    logged = zip(done.answers, given[len(given) - len(done.answers) :], strict=True)
    run.answers.extend(row._replace(lesson=done.lesson, seq=now.seq, round=now.round) for now, row in logged)
    run.students.extend((done.lesson, entry) for entry in done.student_events)
    run.teacher.extend((done.lesson, entry) for entry in done.teacher_events)
    run.summaries.extend((done.lesson, entry) for entry in done.summaries)


def _differences(before: KeptRun, after: KeptRun) -> dict[str, int]:
    tables: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        "runs": ([before.row], [after.row]),
        "answers": (before.answers, after.answers),
        "steps": (list(before.digests.items()), list(after.digests.items())),
        "student_memory": (before.students, after.students),
        "teacher_memory": (before.teacher, after.teacher),
        "summaries": (sorted(before.summaries), sorted(after.summaries)),
    }
    return {name: len(set(was) - set(now)) for name, (was, now) in tables.items()}


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
    """The part of a scenario that says who is in it."""

    roll: _Class = msgspec.field(name="class", default_factory=_Class)
    tutoring: _Tutoring = msgspec.field(default_factory=_Tutoring)


@dataclass(slots=True)
class Belongings:
    """Everything that a participant has left in a study."""

    participant: ParticipantRow
    seats: dict[str, list[TakenSeat]]
    texts: list[str] = field(default_factory=list)
    """All that the person wrote, once each."""
    phrases: list[Phrase] = field(default_factory=list)
    """Those of them, and of their sentences, that are looked for everywhere."""
    unsearched: Counter[str] = field(default_factory=Counter)
    """Number of those that are not looked for, by the reason."""
    agents: set[str] = field(default_factory=set)
    """Names of all agents of the study."""
    label_is_shared: bool = False
    thoughts: set[str] = field(default_factory=set)
    """Thoughts of the person about themselves, which nobody heard. Where they said nothing of that, another policy has
    put it in words: what others think word for word the same was not the person's."""
    parts: list[Phrase] = field(default_factory=list)
    """Parts of the person's name that nobody else bears and no lesson knows as a word."""
    put_by_others: set[str] = field(default_factory=set)
    rows: set[tuple[str, ...]] = field(default_factory=set)
    """Five words in a row that the person wrote and that the lessons do not hold."""

    def redactor(self, alias: str) -> Redactor:
        """Return the redactor that takes the person's words out of texts, and calls them by this name."""
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
    """Return everything that a participant has written, and the names of the participant."""
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


def said_in(study: Study, run: str, seats: Iterable[TakenSeat]) -> list[MessageRow]:
    """Return the messages that the person of these seats wrote in a group, where no answer holds their words."""
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
    """The runs that hold something of the person: those in which the person sat, and those that repeat it."""
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
    """Note the runs and agents that say one of the phrases, word for word and as a sentence of its own."""
    wanted = {phrase.folded for phrase in phrases}
    for answer in kept.answers if wanted else ():
        for text in own_texts(answer.content):
            for piece in pieces(text):
                if folded(piece) in wanted:
                    said[folded(piece)].add((kept.row.id, answer.agent))
