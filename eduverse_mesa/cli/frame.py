"""The frame around the work of every subcommand: it tells mistakes in words of its options, and what Ctrl-C leaves."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Mapping
from shlex import quote
from threading import Timer, current_thread, get_ident, main_thread
from types import FrameType
from typing import Any, NamedTuple, Self, TypeVar, cast

import typer
from typer.core import TyperCommand

from eduverse_mesa.cli.output import batches_left
from eduverse_mesa.errors import BudgetError, EduverseError, EngineGoneError

INTERRUPTED = 130
"""The exit code, as shells have it."""

_SOON = 0.01
"""Seconds; where the callback has not returned by then, it is tried again."""


class CtrlC:
    """Hears Ctrl-C for as long as it is entered. `stays`: and after that until the process has ended."""

    def __init__(self, *, stays: bool) -> None:
        self._stays = stays
        self._hears = False
        self._over = False
        self._presses = 0
        self._again = False

    def __enter__(self) -> Self:
        # Others decide about Ctrl-C where we are not the main thread, or a shell has put us into the background.
        if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            self._hears = True
            self._thread = get_ident()
            self._hook, self._handler = sys.unraisablehook, signal.signal(signal.SIGINT, self._hear)
            sys.unraisablehook = self._forgotten
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        if self._hears and not self._stays:
            signal.signal(signal.SIGINT, self._handler)
            sys.unraisablehook = self._hook

    def end(self) -> None:
        """All is done and told: a press changes nothing any more, and a second one ends the process at once."""
        self._over = True

    def _hear(self, _: int, frame: FrameType | None) -> None:
        if self._again:
            self._again = False
        else:
            self._presses += 1
        if self._over:
            if self._presses > 1:
                os._exit(INTERRUPTED)
            return
        if _inside(frame, self._forgotten.__code__):
            self._press_again()
            return
        raise KeyboardInterrupt

    def _forgotten(self, what: Any) -> None:
        """In place of `sys.unraisablehook`: hears of what a callback has raised."""
        if isinstance(what.exc_value, KeyboardInterrupt) and not self._over:
            self._press_again()
        else:
            self._hook(what)

    def _press_again(self) -> None:
        later = Timer(_SOON, self._press)
        later.daemon = True
        later.start()

    def _press(self) -> None:
        self._again = True
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._thread, signal.SIGINT)  # also ends what the thread waits for
        else:
            import _thread

            _thread.interrupt_main()


def _inside(frame: FrameType | None, code: Any) -> bool:
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


Given = Mapping[str, Any]


class StoppedError(EduverseError):
    """Ctrl-C, with what is kept and the way to go on."""

    exit_code = INTERRUPTED


class Left(NamedTuple):
    """The things that an interrupted command leaves, and the way to go on."""

    kept: str
    onward: str = ""


def stopped(command: str, given: Given) -> StoppedError:
    """Return the error that tells how this command, called with these options, was interrupted."""
    left = _LEFT[command](given) if command in _LEFT else _UNCHANGED
    return StoppedError(f"interrupted; {left.kept}{batches_left()}", mend=left.onward)


def _remembered() -> str:
    """That answers of a step which was broken off are not asked for again, where a model gave any."""
    connection = sys.modules.get("eduverse_mesa.policies.llm.connection")
    if connection is None or not connection.totals().requests or connection.cache_path() is None:
        return ""
    return "what the model has answered is remembered, and not asked for again; "


Ended = TypeVar("Ended", bound=EduverseError)


def with_what_is_kept(gone: Ended, command: str, given: Given) -> Ended:
    """The same with what this command leaves, where it does not say that itself."""
    mend = _BOUND.sub(lambda found: f"--budget-{found[1]}" if f"budget_{found[1]}" in given else found[0], gone.mend)
    if command not in _LEFT:
        return type(gone)(gone.message, where=gone.where, mend=mend)
    left = _LEFT[command](given)
    kept = left.kept[0].upper() + left.kept[1:]
    return type(gone)(f"{gone.message} {kept}", where=gone.where, mend=f"{mend} {left.onward}".rstrip())


_BOUND = re.compile(r"\bllm\.budget\.(\w+)")


_UNCHANGED = Left("nothing was changed.")


def _run(given: Given) -> Left:
    if given.get("out") is None:
        remembered = _remembered()
        kept = f"{remembered}nothing else was kept." if remembered else "nothing was kept."
        return Left(kept, "With --out STUDY the complete steps would be.")
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
    "learner teach": _run,
    "mathvc play": _run,
    "tutor evaluate": _nothing,
    "tutor compare": _nothing,
    "tutor estimate": _nothing,
    "bench llm": _nothing,
    "export": _export,
    "erase": _erase,
}
"""Commands that are not here change nothing, or tell it themselves."""


# How rooms below speak of what was given: `layout=moon`, `settings gate.threshold=7`, `seeds`, `members, lessons`.
_GIVEN = re.compile(r"(?P<start>^(?:- )?)(?P<names>[a-z_]+(?:, [a-z_]+)*)(?P<value>=| (?=\S+=)|$|(?=: ))", re.MULTILINE)

_NUMBERS = {
    "int_parsing": "is no whole number.",
    "int_from_float": "is no whole number.",
    "float_parsing": "is no number.",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "is too small: {} is the least."),
    "less_than_equal": ("le", "is too much: {} is the most."),
}


FORMATS_HERE = "<formats>"
"""In the help of an option: stands for the export formats, which are listed when the help is asked for."""


class Command(TyperCommand):
    """A subcommand of `eduverse`."""

    def get_help(self, ctx: Any) -> str:
        """Return the help, with its lists filled in: what makes them is too slow to be loaded with every command."""
        for parameter in self.params:
            said = getattr(parameter, "help", None) or ""
            if FORMATS_HERE in said:
                from eduverse_mesa.runs.exports import FORMATS

                parameter.help = said.replace(FORMATS_HERE, ", ".join(FORMATS))  # type: ignore[attr-defined]
        return super().get_help(ctx)

    def invoke(self, ctx: Any) -> Any:
        """Do the command's work; a mistake is told in the words of the person who typed the command."""
        try:
            return super().invoke(ctx)
        except (EngineGoneError, BudgetError) as gone:
            raise with_what_is_kept(gone, " ".join(_path(ctx)), ctx.params) from gone
        except EduverseError as error:
            options = {
                parameter.name: parameter.opts[0] for parameter in self.params if parameter.opts[0].startswith("--")
            }
            error.where = _in_options(error.where, options)
            error.message = _in_lines(error.message, options)
            raise
        except KeyboardInterrupt:
            raise stopped(" ".join(_path(ctx)), ctx.params) from None


def _in_options(text: str, options: dict[str, str]) -> str:
    """The place of a mistake, with arguments called by their options."""

    def call(found: re.Match[str]) -> str:
        names = found["names"].split(", ")
        if not all(name in options for name in names):
            return found[0]
        return f"{found['start']}{', '.join(options[name] for name in names)}{' ' if found['value'] else ''}"

    return _GIVEN.sub(call, text)


def _in_lines(message: str, options: dict[str, str]) -> str:
    """A list of mistakes, each with its place at the beginning of a line; a message of one line is left alone."""
    first, *lines = message.split("\n")
    return "\n".join([first, *(_in_options(line, options) if line.startswith("- ") else line for line in lines)])


def called_for_help(error: Any) -> str:
    """The help of a group that was called without a command; empty for a mistake."""
    context = getattr(error, "ctx", None)
    return str(context.get_help()) if context is not None and type(error).__name__ == "NoArgsIsHelpError" else ""


def usage_mistake(error: Any) -> str:
    """Return what is wrong with the way a command was called, and where to read how to call it."""
    context = getattr(error, "ctx", None)
    names = _path(context)
    told = _value_mistake(error) or error.format_message()
    told = told.rstrip()
    stop = "" if told.endswith((".", "?", "!")) else "."
    return f"{told}{stop} See eduverse {' '.join([*names, '--help'])}."


def _path(context: Any) -> list[str]:
    """The subcommand's words after `eduverse`."""
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return names


def _value_mistake(error: Any) -> str:
    """A value of the wrong kind in words of our own; empty for any other mistake."""
    parameter, cause = getattr(error, "param", None), error.__cause__
    if parameter is None or not hasattr(cause, "errors"):
        return ""
    finding = cause.errors()[0]
    place = f"{parameter.opts[0]} {str(finding['input'])[:40]}"
    if finding["type"] in _NUMBERS:
        return f"{place}: {_NUMBERS[finding['type']]}"
    if finding["type"] in _BOUNDS:
        key, words = _BOUNDS[finding["type"]]
        return f"{place}: {words.format(finding['ctx'][key])}"
    return ""


def add(commands: typer.Typer, name: str, function: Any) -> None:
    """Give a group of commands one more."""
    commands.command(name, cls=Command)(function)
