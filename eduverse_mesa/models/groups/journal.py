"""The records of a dialogue: the answer log, the tidy rows that measures read, and the ledger of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.decisions.groups import Message, Sheet
from eduverse_mesa.models.classroom.journal import AnswerJournal


class MessageRow(NamedTuple):
    """One thing said in the group."""

    problem: str
    arm: str
    turn: int
    now: float
    stage: str
    speaker: str
    role: str
    """person, limited or advanced."""
    text: str
    act: str
    """One of the stage, or other; harm or private where somebody's words were about that, for the teacher to see."""
    topic: str
    stance: str
    addressed: str
    asks: bool
    lost: bool
    clear: bool
    source: str


class StageRow(NamedTuple):
    """The monitor's judgement after a message, and what came of it."""

    problem: str
    arm: str
    turn: int
    stage: str
    finished: bool
    """The monitor's answer."""
    closed: bool
    """The result by the laws of the stages."""
    reason: str
    source: str


class RevisionRow(NamedTuple):
    """A variable of a peer's schema that the peer changed their mind about."""

    problem: str
    arm: str
    turn: int
    peer: str
    variable: str
    before: str
    after: str
    right: bool
    """It is the right value now; nobody in the group is told."""
    reason: str
    by: str
    carried: str
    """Variables that changed with it, parted by ;"""


class ErrorRow(NamedTuple):
    """An event in the life of an error, seen with the solution in hand."""

    problem: str
    arm: str
    turn: int
    event: str
    """introduced, adopted, noticed, corrected, or dropped: for another wrong value, or taken back as a joke."""
    variable: str
    value: str
    of: str
    """The member whose error it is."""
    by: str
    """The member who introduced, adopted or noticed it; or who was listened to when it was corrected or dropped."""
    words: str
    """The sentence in which this was said."""


class EndRow(NamedTuple):
    """How a dialogue ended."""

    problem: str
    arm: str
    seed: int
    turns: int
    stage: str
    """The stage it has come to."""
    solved: bool
    """All stages are closed."""
    right: bool
    """The answer that the group holds in the end is right."""
    answer: str


@dataclass(slots=True)
class CollaborationJournal(AnswerJournal):
    """Rows of one dialogue, in the order in which things happened."""

    messages: list[MessageRow] = field(default_factory=list)
    stages: list[StageRow] = field(default_factory=list)
    revisions: list[RevisionRow] = field(default_factory=list)
    errors: list[ErrorRow] = field(default_factory=list)
    ends: list[EndRow] = field(default_factory=list)


CHOICE = "choice"
"""The name that stands for a variable where a choice is wrong."""


class Ledger:
    """Keeps open errors, by member and variable. For measuring only: nobody in the group sees it. A value that is not
    asserted, but asked, quoted, supposed or denied, is nobody's error, and corrects none."""

    def __init__(
        self, sheet: Sheet, arm: str, right: Mapping[str, str], choices: tuple[str, ...], rows: list[ErrorRow]
    ) -> None:
        self._sheet, self._arm = sheet, arm
        self._right, self._choices = right, choices
        self.open: dict[tuple[str, str], str] = {}
        self.noticed: set[tuple[str, str]] = set()
        self._latest: tuple[str, frozenset[str]] = ("", frozenset())
        """The member who has last said values, and of what: a bare "no" is to these."""
        self._last: dict[str, frozenset[str]] = {}
        """The variables of which each member has said values with their last message."""
        self.rows = rows

    def note(self, message: Message, listened_to: str = "") -> None:
        """Take in what a message says: errors that it makes, and those of others that it contradicts."""
        said = {claim.about: claim.value for claim in message.meaning.claims if claim.about in self._right}
        if message.meaning.chosen:
            said[CHOICE] = ",".join(message.meaning.chosen)
        if message.meaning.retracts:
            self._take_back(message)
        doubtful = {claim.about for claim in message.meaning.claims if not claim.asserted}
        for variable, value in said.items():
            if variable not in doubtful:
                self._note_value(message, variable, value, listened_to)
        doubts = message.meaning.stance == "disagrees" or bool(message.meaning.cues)
        if doubts:
            about = set(said) or {message.meaning.topic} - {""}
            for owner, variable in list(self.open):
                meant = variable in about if about else owner == self._latest[0] and variable in self._latest[1]
                if meant and owner != message.speaker:
                    self._notice(message, owner, variable)
        if said:
            self._latest = (message.speaker, frozenset(said))
        self._last[message.speaker] = frozenset(said)

    def _take_back(self, message: Message) -> None:
        """Take back what somebody has said with their last message: it does not stand any more."""
        for variable in sorted(self._last.get(message.speaker, ())):
            wrong = self.open.pop((message.speaker, variable), None)
            if wrong is not None:
                self._row(message, "dropped", variable, wrong, message.speaker, message.speaker)
                self.noticed.discard((message.speaker, variable))

    def _note_value(self, message: Message, variable: str, value: str, listened_to: str) -> None:
        speaker = message.speaker
        key = (speaker, variable)
        if self.is_right(variable, value):
            for owner, other in list(self.open):
                if other == variable and owner != speaker:
                    self._notice(message, owner, variable)
            if key in self.open:
                self._row(message, "corrected", variable, value, speaker, listened_to or speaker)
                del self.open[key]
                self.noticed.discard(key)
        elif key not in self.open or not self._same(variable, self.open[key], value):
            if key in self.open:
                self._row(message, "dropped", variable, self.open.pop(key), speaker, listened_to or speaker)
                self.noticed.discard(key)
            held = [
                owner
                for (owner, other), was in self.open.items()
                if other == variable and self._same(variable, was, value)
            ]
            self._row(message, "adopted" if held else "introduced", variable, value, speaker, speaker)
            self.open[key] = value

    def _notice(self, message: Message, owner: str, variable: str) -> None:
        if (owner, variable) in self.noticed:
            return
        self.noticed.add((owner, variable))
        self._row(message, "noticed", variable, self.open[owner, variable], owner, message.speaker)

    def _same(self, variable: str, one: str, other: str) -> bool:
        return one == other if variable == CHOICE else self._sheet.alike(variable, one, other)

    def is_right(self, variable: str, value: str) -> bool:
        """Return True if a value is the right one."""
        if variable == CHOICE:
            return set(value.split(",")) == set(self._choices)
        return self._sheet.counts_as(variable, value, self._right[variable])

    def _row(self, message: Message, event: str, variable: str, value: str, of: str, by: str) -> None:
        words = message.words_for(variable)
        self.rows.append(
            ErrorRow(
                problem=self._sheet.problem,
                arm=self._arm,
                turn=message.turn,
                event=event,
                variable=variable,
                value=value,
                of=of,
                by=by,
                words=words,
            )
        )
