"""A study that is looked at again and again: kept open, and read only when something was written to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from eduverse_mesa.runs.managing import Plan, RunCard, run_cards
from eduverse_mesa.runs.open_runs import study_key
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import ParticipantRow, SittingRow, Study


@dataclass(eq=False)
class _Lock:
    """A study's turn, remembered as long as somebody wants it."""

    turn: Lock = field(default_factory=Lock)


_LOCKS: WeakValueDictionary[str, _Lock] = WeakValueDictionary()
_DOOR = Lock()


@contextmanager
def while_reading(path: str) -> Iterator[None]:
    """Held by whoever reads a study for a page: erasing a person needs its file for itself. Who reads another study
    does not wait for that."""
    key = study_key(path)
    with _DOOR:
        lock = _LOCKS.get(key)
        if lock is None:
            lock = _LOCKS[key] = _Lock()
    with lock.turn:
        yield


@dataclass(frozen=True, slots=True)
class Seen:
    """What a study held when it was last read."""

    cards: tuple[RunCard, ...] = ()
    people: tuple[ParticipantRow, ...] = ()
    sittings: tuple[SittingRow, ...] = ()
    there: bool = False
    """There is a study; none is no mistake, it only has no run yet."""


class StudyReader:
    """Reads one study. Opening checks a whole file, so it is done once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen = Seen()
        self._study: Study | None = None
        self._file: int | None = None
        self._version: str | None = None
        self._closed = False

    def look(self) -> Seen:
        """What the study holds now; StudyError where it cannot be read. Whoever looks when it was closed, as a thread
        may that was about to, opens nothing that nobody would close: it sees what was seen last."""
        with while_reading(self.path):
            if self._closed:
                return self.seen
            file = _number_of(self.path)
            if file != self._file:  # it is another file than before, or none
                self._shut()
            if file is None:
                self.seen = Seen()
                return self.seen
            if self._study is None:
                self._study, self._file = Study.open(self.path, read_only=True), file
            version = self._study.standing()
            if version != self._version:
                self.seen = _read(self._study, {card.id: card.plan for card in self.seen.cards})
                self._version = version  # as it was before: what was written meanwhile is read the next time
            return self.seen

    def _shut(self) -> None:
        if self._study is not None:
            self._study.close()
        self._study = self._file = self._version = None

    def close(self) -> None:
        """Let go of the file, for good."""
        with while_reading(self.path):
            self._closed = True
            self._shut()


def _read(study: Study, known: Mapping[str, Plan]) -> Seen:
    return Seen(tuple(run_cards(OpenStudy(study), known)), tuple(study.participants()), tuple(study.sittings()), True)


def _number_of(path: str) -> int | None:
    """Which file it is; None where there is none, 0 for a database on a server."""
    if "://" in path:
        return 0
    try:
        state = Path(path).stat()
    except (OSError, ValueError):  # the latter for a path that no file can have
        return None
    return state.st_ino if state.st_size else None
