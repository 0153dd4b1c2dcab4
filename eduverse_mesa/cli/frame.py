"""What every subcommand does around its own work: it tells mistakes in words of its options, and what Ctrl-C leaves."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

from eduverse_mesa.cli.interrupting import stopped, with_what_is_kept
from eduverse_mesa.errors import EduverseError, EngineGoneError

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


class Command(TyperCommand):
    """A subcommand of `eduverse`."""

    def invoke(self, ctx: Any) -> Any:
        """Do its work; a mistake is told as whoever typed the command knows it."""
        try:
            return super().invoke(ctx)
        except EngineGoneError as gone:
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
    """What is wrong with how a command was called, and where to read how it is."""
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
