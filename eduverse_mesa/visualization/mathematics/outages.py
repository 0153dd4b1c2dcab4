"""What of the peers' troubles comes into the server's log: each outage once, and nobody's words."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from traceback import extract_tb

from eduverse_mesa.errors import EduverseError

QUIET = 60.0
"""Seconds without a trouble of its kind after which the next one is a new outage, and worth a line in the log."""
_CAUSES = 4
_log = logging.getLogger(__name__)


class Outages:
    """The troubles of all dialogues: where a language model is gone, it is gone for all of them."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def note(self, error: Exception) -> None:
        """Say what kind of trouble it is, once an outage. The error's own words are left out: they may hold what
        students wrote, or the run of somebody who was erased."""
        kind, now = kind_of(error), time.monotonic()
        before = self._last.get(kind)
        self._last[kind] = now
        if before is None or now - before > QUIET:
            level = logging.WARNING if isinstance(error, EduverseError) else logging.ERROR
            _log.log(level, "the peers of a dialogue could not answer, and will try again: %s", kind)


def kind_of(error: BaseException) -> str:
    """What went wrong where, and because of what, without anybody's words."""
    kinds = [_place(error)]
    while (cause := error.__cause__ or error.__context__) is not None and len(kinds) < _CAUSES:
        error = cause
        kinds.append(_place(error))
    return ", after ".join(kinds)


def _place(error: BaseException) -> str:
    where = extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" ({Path(one.filename).name}:{one.lineno})" for one in where)
