"""Errors in a dialogue, seen with the solution in hand: who made which, who noticed, and who was listened to."""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.decisions.collaboration import Sheet
from eduverse_mesa.decisions.meanings import Message
from eduverse_mesa.models.collaboration.journal import ErrorRow

CHOICE = "choice"
"""What stands for a variable where a choice is wrong."""


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
        """Who has last said values, and of what: a bare "no" is to these."""
        self._last: dict[str, frozenset[str]] = {}
        """Of what each member has said values with their last message."""
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
        """What somebody has said with their last message does not stand any more."""
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
        """Whether a value is the right one."""
        if variable == CHOICE:
            return set(value.split(",")) == set(self._choices)
        return self._sheet.counts_as(variable, value, self._right[variable])

    def _row(self, message: Message, event: str, variable: str, value: str, of: str, by: str) -> None:
        words = message.words_for(variable)
        self.rows.append(ErrorRow(self._sheet.problem, self._arm, message.turn, event, variable, value, of, by, words))
