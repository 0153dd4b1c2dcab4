"""The journals of many dialogues: read from the study once, and again only when something was said in them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields, replace
from threading import Lock
from typing import Any, Literal, NamedTuple

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.models.groups.journal import CollaborationJournal
from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.runs.groups import read_talk
from eduverse_mesa.runs.studies import OpenStudy

MOST = 1000
"""Journals that are kept at hand: a school's day."""


Outcome = Literal["done", "wrong", "ended"]
"""How a dialogue came to its end: solved, agreed on an answer that is not right, or without agreement."""


class Told(NamedTuple):
    """A dialogue as far as it was read."""

    journal: CollaborationJournal
    people: tuple[str, ...]
    peers: tuple[str, ...]
    solved: bool
    right: bool
    turns: int
    stage: str

    @property
    def outcome(self) -> Outcome:
        """How it ended, if it is over."""
        return "ended" if not self.solved else "done" if self.right else "wrong"


class JournalCache:
    """Journals by run. A dialogue that has gone on since is looked up where it is played, or else read anew from a
    copy: nobody who talks is disturbed, and nobody waits for them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, Told]] = OrderedDict()
        self._outcomes: dict[str, Outcome] = {}
        """Of those that are over: they do not change."""
        self._lock = Lock()
        self._forgotten = 0
        """How often something was forgotten: what was read before must not be put back after it."""

    def told(self, opened: OpenStudy, dialogues: Dialogues, run: str, messages: int) -> Told:
        """The journal of a run in which so many messages were said."""
        with self._lock:
            there = self._kept.get(run)
            if there is not None and there[0] == messages:
                self._kept.move_to_end(run)
                return there[1]
            forgotten = self._forgotten
        with dialogues.glance(run) as model:
            told = _told(model) if model is not None else None
        if told is None:
            told = _told(read_talk(opened, run, policy="embedded").model)  # nobody is asked again
        with self._lock:
            if self._forgotten == forgotten:
                self._kept[run] = told.turns, told
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return told

    def outcome(self, opened: OpenStudy, dialogues: Dialogues, run: str) -> Outcome:
        """How a dialogue that is over ended. What another version has recorded and this one cannot follow is taken for
        ended: nobody is told that they were right who may not have been."""
        there = self._outcomes.get(run)
        if there is not None:
            return there
        with self._lock:
            forgotten = self._forgotten
            kept = self._kept.get(run)
        try:
            found = kept[1].outcome if kept and kept[1].journal.ends else self.told(opened, dialogues, run, -1).outcome
        except EduverseError:
            found = "ended"
        with self._lock:
            if self._forgotten == forgotten:
                self._outcomes[run] = found
        return found

    def forget(self, runs: list[str]) -> None:
        """These are gone, and must not be found here."""
        with self._lock:
            self._forgotten += 1
            for run in runs:
                self._kept.pop(run, None)
                self._outcomes.pop(run, None)


def _told(model: CollaborationModel) -> Told:
    """Return a dialogue as it stands now: what is said later does not change it."""
    rows = {one.name: getattr(model.journal, one.name) for one in fields(model.journal) if one.name != "answers"}
    copies: dict[str, Any] = {name: list(kept) for name, kept in rows.items() if isinstance(kept, list)}
    journal = replace(model.journal, answers=[], **copies)
    return Told(
        journal, model.people, model.names_of_peers, model.solved, model.is_right, len(journal.messages), model.stage
    )
