"""What a user is told who has pressed Ctrl-C: what is kept, and how to go on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from shlex import quote
from typing import Any, NamedTuple, cast

from eduverse_mesa.cli.pressing import INTERRUPTED
from eduverse_mesa.cli.watching import batches_left
from eduverse_mesa.errors import EduverseError, EngineGoneError

Given = Mapping[str, Any]


class StoppedError(EduverseError):
    """Ctrl-C, with what is kept and the way to go on."""

    exit_code = INTERRUPTED


class Left(NamedTuple):
    """What an interrupted command leaves, and how to go on."""

    kept: str
    onward: str = ""


def stopped(command: str, given: Given) -> StoppedError:
    """What to say where this command was interrupted, called with these options."""
    left = _LEFT[command](given) if command in _LEFT else _UNCHANGED
    return StoppedError(f"interrupted; {left.kept}{batches_left()}", mend=left.onward)


def _remembered() -> str:
    """That answers of a step which was broken off are not asked for again, where a model gave any."""
    connection = sys.modules.get("eduverse_mesa.policies.llm.connection")
    if connection is None or not connection.totals().requests or connection.cache_path() is None:
        return ""
    return "what the model has answered is remembered, and not asked for again; "


def with_what_is_kept(gone: EngineGoneError, command: str, given: Given) -> EngineGoneError:
    """The same with what this command leaves, where it does not say that itself."""
    if command not in _LEFT:
        return gone
    left = _LEFT[command](given)
    kept = left.kept[0].upper() + left.kept[1:]
    return EngineGoneError(f"{gone.message} {kept}", where=gone.where, mend=f"{gone.mend} {left.onward}".rstrip())


_UNCHANGED = Left("nothing was changed.")


def _run(given: Given) -> Left:
    if given.get("out") is None:
        return Left("nothing was kept.", "With --out STUDY the complete steps would be.")
    return _steps(str(given["out"]))


def _steps(study: str) -> Left:
    run = run_begun(study)
    if run is None:
        return Left(f"nothing was written to {study}.")
    onward = f"Go on: eduverse resume {quote(study)} {quote(run)}"
    return Left(f"{_remembered()}the complete steps are kept in {study}.", onward)


def run_begun(study: str) -> str | None:
    """The run that the command has begun in a study, or has gone on with; None where it has not come so far."""
    runs = sys.modules.get("eduverse_mesa.runs.open_runs")
    return None if runs is None else cast("str | None", runs.latest_written(study))


def _folder_if_given(given: Given) -> Left:
    if given.get("out") is None:
        return Left("nothing was kept.", "With --out FOLDER what is done would be.")
    return _folder(given)


def _folder(given: Given) -> Left:
    return Left(f"what is done is kept in {given['out']}.", "The same command goes on.")


def _nothing(_: Given) -> Left:
    return Left("nothing was kept, and the same command begins anew.")


def _export(_: Given) -> Left:
    return Left("the files that were being written are not complete.", "Export once more.")


def _erase(given: Given) -> Left:
    study, participant = quote(str(given["study"])), quote(str(given["participant"]))
    return Left("the erasure may be half done.", f"Finish it: eduverse erase {study} {participant}")


_LEFT: dict[str, Callable[[Given], Left]] = {
    "run": _run,
    "resume": lambda given: _steps(str(given["study"])),
    "fork": lambda given: _steps(str(given["study"])),
    "calibrate": _folder,
    "sensitivity": _folder_if_given,
    "experiment": _folder_if_given,
    "realism": _nothing,
    "seat": _nothing,
    "estimate": _nothing,
    "tutor evaluate": _nothing,
    "tutor compare": _nothing,
    "tutor estimate": _nothing,
    "bench llm": _nothing,
    "export": _export,
    "erase": _erase,
}
"""Commands that are not here change nothing, or tell it themselves."""
