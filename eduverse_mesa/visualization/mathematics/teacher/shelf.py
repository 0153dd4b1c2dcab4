"""The journals of many dialogues: read from the study once, and again only when something was said in them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields
from threading import Lock
from typing import NamedTuple

from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.models.collaboration.journal import CollaborationJournal
from eduverse_mesa.runs.collaboration import read_talk
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.visualization.mathematics.hall import Hall

MOST = 1000
"""Journals that are kept at hand: a school's day."""


class Told(NamedTuple):
    """A dialogue as far as it was read."""

    journal: CollaborationJournal
    people: tuple[str, ...]
    peers: tuple[str, ...]
    solved: bool
    right: bool
    turns: int


class Shelf:
    """Journals by run. A dialogue that has gone on since is looked up where it is played, or else read anew from a
    copy: nobody who talks is disturbed, and nobody waits for them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, Told]] = OrderedDict()
        self._lock = Lock()
        self._forgotten = 0
        """How often something was forgotten: what was read before must not be put back after it."""

    def told(self, opened: OpenStudy, hall: Hall, run: str, messages: int) -> Told:
        """The journal of a run in which so many messages were said."""
        with self._lock:
            there = self._kept.get(run)
            if there is not None and there[0] == messages:
                self._kept.move_to_end(run)
                return there[1]
            forgotten = self._forgotten
        with hall.glance(run) as model:
            told = _told(model) if model is not None else None
        if told is None:
            told = _told(read_talk(opened, run, policy="embedded").model)  # nobody is asked again
        with self._lock:
            if self._forgotten == forgotten:
                self._kept[run] = told.turns, told
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return told

    def forget(self, runs: list[str]) -> None:
        """These are gone, and must not be found here."""
        with self._lock:
            self._forgotten += 1
            for run in runs:
                self._kept.pop(run, None)


def _told(model: CollaborationModel) -> Told:
    """As it stands now: what is said later does not change it."""
    lists = {one.name: list(getattr(model.journal, one.name)) for one in fields(model.journal) if one.name != "answers"}
    journal = CollaborationJournal(**lists)
    return Told(journal, model.people, model.names_of_peers, model.solved, model.is_right, len(journal.messages))
