"""A study that is looked at again and again: kept open, and read only when something was written to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from eduverse_mesa.runs.managing import RunCard, run_cards
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import ParticipantRow, SittingRow, Study

READING = Lock()
"""Held by whoever reads a study for a page: erasing a person needs its file for itself."""

_Stamp: TypeAlias = tuple[tuple[int, int, int], ...]


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
        self._stamp: _Stamp | None = None

    def look(self) -> Seen:
        """What the study holds now; StudyError where it cannot be read."""
        with READING:
            stamp = self._stamp_of_file()
            if stamp is not None and stamp == self._stamp:
                return self.seen
            if stamp is not None and (not stamp or self._stamp is None or stamp[0][:1] != self._stamp[0][:1]):
                self._shut()
            if stamp == ():
                self.seen = Seen()
            else:
                self.seen = self._read()
            self._stamp = stamp
            return self.seen

    def _read(self) -> Seen:
        if self._study is None:
            self._study = Study.open(self.path, read_only=True)
        study = self._study
        return Seen(tuple(run_cards(OpenStudy(study))), tuple(study.participants()), tuple(study.sittings()), True)

    def _stamp_of_file(self) -> _Stamp | None:
        """Which file, how long, when it was written; () where there is none, None where it is no file."""
        if "://" in self.path:
            return None
        found = []
        for side in ("", "-wal"):
            try:
                state = Path(f"{self.path}{side}").stat()
            except (OSError, ValueError):  # the latter for a path that no file can have
                continue
            found.append((state.st_ino, state.st_size, state.st_mtime_ns))
        return tuple(found)

    def _shut(self) -> None:
        if self._study is not None:
            self._study.close()
        self._study, self._stamp = None, None

    def close(self) -> None:
        """Let go of the file."""
        with READING:
            self._shut()
