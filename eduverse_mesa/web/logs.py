"""Log of the server: one line for each error, and its traceback once.

Most of what goes wrong with a message of a browser is in the message, and a browser that sends one can send a thousand.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import eduverse_mesa

_OURS = str(Path(eduverse_mesa.__file__).parent)
_MESSAGES = ("Comm", "uvicorn.error", "solara.server")
"""The loggers of whoever hands a browser's messages on, and of what is below them."""
_MEASURED = (*_MESSAGES, "asyncio")
"""The loggers that somebody outside can fill: the loop's, too, which says of each connection that it cannot take it."""
_UNCAUGHT = "Uncaught exception: "
"""So Solara begins a line that goes on with the whole traceback."""
_LONGEST_LINE = 300
_LONGEST_TRACE = 12_000
_PLACES = 200
"""Places whose traceback has been written; when there are more, somebody makes them up."""
_A_MINUTE = 20
"""Lines on the same trouble with what comes from outside that are written in a minute."""


class _Spot(NamedTuple):
    """Place in the code where something went wrong."""

    kind: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(slots=True)
class _Minute:
    """Number of records of one trouble since a moment."""

    since: float
    count: int = 0


class Brief(logging.Formatter):
    """A line for each record. The traceback follows when something goes wrong in a place for the first time, and not
    because of what a browser has sent."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[_Spot] = set()

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        error = _error_of(record)
        if error is None:
            return _line(record.getMessage())
        spot = _spot(error)
        told = _line(record.getMessage()) if _is_plain(record) else "a message could not be heard"
        told += f" ({_line(f'{type(error).__name__}: {error}')}, {spot})"
        if spot in self._seen or len(self._seen) >= _PLACES:
            return told
        if record.name.startswith(_MESSAGES) and not _is_ours(error.__traceback__):
            return told
        self._seen.add(spot)
        return f"{told}\n{_trace(error)}"


class Measured(logging.Filter):
    """Lets so many lines on the same trouble with what comes from outside through in a minute, and says how many more
    there were. What goes wrong elsewhere is not lost among them."""

    def __init__(self) -> None:
        super().__init__()
        self._minutes: dict[_Spot, _Minute] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record is written."""
        if not record.name.startswith(_MEASURED):
            return True
        error, now = _error_of(record), time.monotonic()
        spot = _Spot() if error is None or len(self._minutes) >= _PLACES else _spot(error)
        minute = self._minutes.setdefault(spot, _Minute(now))
        if now - minute.since >= 60:
            left_out, minute.since, minute.count = minute.count - _A_MINUTE, now, 0
            if left_out > 0:
                record.msg = f"{left_out} lines like this were left out before. {record.msg}"
        minute.count += 1
        return minute.count <= _A_MINUTE


def write_logs() -> None:
    """Write what is logged in this process to its standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Brief())
    handler.addFilter(Measured())
    logging.getLogger().addHandler(handler)


def _is_plain(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(_UNCAUGHT)


def _error_of(record: logging.LogRecord) -> BaseException | None:
    """Return the exception that a record tells of; a record that holds the traceback as text is written while the
    exception is being handled."""
    if record.exc_info:
        return record.exc_info[1]
    return None if _is_plain(record) else sys.exc_info()[1]


def _line(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _LONGEST_LINE else f"{one[:_LONGEST_LINE]}…"


def _trace(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error)).rstrip()
    half = _LONGEST_TRACE // 2
    return text if len(text) <= _LONGEST_TRACE else f"{text[:half]}\n[…]\n{text[-half:]}"


def _spot(error: BaseException) -> _Spot:
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    last = frames[-1] if frames else None
    file, line = (last.filename, last.lineno or 0) if last is not None else ("", 0)
    return _Spot(type(error).__name__, file, line)


def _is_ours(trace: TracebackType | None) -> bool:
    return any(frame.filename.startswith(_OURS) for frame in traceback.extract_tb(trace))
