"""The runs that this process is writing down: they are neither erased nor deleted meanwhile, whatever a clock says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs.holding import Held, HeldElsewhereError, check, hold
from eduverse_mesa.store.holding import ServerHold
from eduverse_mesa.store.opening import shown

_DOOR = Lock()
_OPEN: Counter[tuple[str, str]] = Counter()
_LATEST: dict[str, str] = {}
"""The run that this process began to write down last, by study."""
_HELD: dict[tuple[str, str], Held | ServerHold] = {}
"""The signs by which other programs see it."""


def note_open(study: str, run: str) -> Callable[[], None]:
    """Steps of this run are written to this study until what is returned is called; calling it twice does no harm.

    StudyError where another living program writes it.
    """
    key = study_key(study), run
    left = False
    with _DOOR:
        if not _OPEN[key]:
            _hold(study, key)
        _OPEN[key] += 1
        _LATEST[key[0]] = run

    def leave() -> None:
        nonlocal left
        with _DOOR:
            if not left:
                left = True
                _OPEN[key] -= 1
                if not _OPEN[key]:
                    del _OPEN[key]
                    held = _HELD.pop(key, None)
                    if held is not None:
                        held.leave()

    return leave


def latest_written(study: str) -> str | None:
    """The run that this process began to write down last in this study, or goes on with; None where there was none."""
    with _DOOR:
        return _LATEST.get(study_key(study))


def _hold(study: str, key: tuple[str, str]) -> None:
    try:
        held = hold(*key)
    except HeldElsewhereError as other:
        del _OPEN[key]
        raise _played_elsewhere(study, key[1], other) from None
    if held is not None:
        _HELD[key] = held


def refuse_held(study: str, run: str) -> None:
    """StudyError where another living program is writing this run down."""
    with _DOOR:
        if (study_key(study), run) in _OPEN:
            return
        try:
            check(study_key(study), run)
        except HeldElsewhereError as other:
            raise _played_elsewhere(study, run, other) from None


def is_held(study: str, run: str) -> bool:
    """This program or another living one is writing the run down."""
    try:
        refuse_held(study, run)
    except StudyError:
        return True
    with _DOOR:
        return (study_key(study), run) in _OPEN


def _played_elsewhere(study: str, run: str, other: HeldElsewhereError) -> StudyError:
    process = f" (process {other})" if str(other) else ""
    return StudyError(
        f"run {run} is being played by another program{process}.",
        where=study,
        mend="Only one program can go on with a run: end it there, or wait until it has ended. Nothing was doubled.",
    )


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
        there = next((run for run in runs if (study_key(study), run) in _OPEN), None)
    if there is not None:
        raise StudyError(
            f"run {there} is open in this program, which would write to it again.",
            where=study,
            mend="End its lesson, or stop it where it is played, and try again.",
        )


def same_study(one: str, other: str) -> bool:
    """Two names of a study lead to the same one."""
    return study_key(one) == study_key(other)


def study_key(study: str) -> str:
    """What is the same for all names of a study."""
    place = shown(study)
    return place if "://" in place else os.path.realpath(place)
