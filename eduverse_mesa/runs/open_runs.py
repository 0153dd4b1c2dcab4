"""The runs that this process is writing down: they are neither erased nor deleted meanwhile, whatever a clock says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

from eduverse_mesa.errors import StudyError

_DOOR = Lock()
_OPEN: Counter[tuple[str, str]] = Counter()


def note_open(study: str, run: str) -> Callable[[], None]:
    """Steps of this run are written to this study until what is returned is called; calling it twice does no harm."""
    key = _same(study), run
    left = False
    with _DOOR:
        _OPEN[key] += 1

    def leave() -> None:
        nonlocal left
        with _DOOR:
            if not left:
                left = True
                _OPEN[key] -= 1
                if not _OPEN[key]:
                    del _OPEN[key]

    return leave


@contextmanager
def noted_open(study: str, run: str) -> Iterator[None]:
    """The same for as long as something is done."""
    leave = note_open(study, run)
    try:
        yield
    finally:
        leave()


def refuse_open(study: str, runs: Iterable[str]) -> None:
    """StudyError where one of these runs is open: it has in memory what would be taken out of the study."""
    with _DOOR:
        there = next((run for run in runs if (_same(study), run) in _OPEN), None)
    if there is not None:
        raise StudyError(
            f"run {there} is open in this program, which would write to it again.",
            where=study,
            mend="End its lesson, or stop it where it is played, and try again.",
        )


def same_study(one: str, other: str) -> bool:
    """Two names of a study lead to the same one."""
    return _same(one) == _same(other)


def _same(study: str) -> str:
    return study if "://" in study else os.path.realpath(study)
