"""Tools: functions through which an agent may look something up before it answers.

A tool is offered in the form of the answer: the model either calls it or answers. So every server can do it that can
fill in a form, and its calls are checked, mended and asked for again as answers are.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from pydantic import create_model

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.policies.cleaning import defuse, lines_of
from eduverse_mesa.policies.llm.shape import Choice, Either, Record

F = TypeVar("F", bound=Callable[..., Any])

TOOL, GIVEN = "tool", "arguments"
NEXT = "next"
"""The field in which a model with tools says what it does next."""
_MARK = "__eduverse_tool__"
_LONGEST_RESULT = 2000


class ToolError(Exception):
    """A tool cannot do what it is asked, in words for the model: it may call it in another way."""


@dataclass(frozen=True)
class Tool:
    """A function, what it is for, and the form of its arguments."""

    name: str
    purpose: str
    function: Callable[..., Any]
    form: Form | None
    """None where it takes none."""

    def call(self, agent: Any, filled: Any) -> str:
        """The result as text, for this agent."""
        given = {} if self.form is None else dict(self.form.value(filled))
        try:
            result = self.function(agent, **given)
        except ToolError as error:
            result = f"error: {error}"
        text = defuse(lines_of(str(result)))
        return text if len(text) <= _LONGEST_RESULT else text[: _LONGEST_RESULT - 1] + "…"


@dataclass(frozen=True)
class Wish:
    """A tool that a model wants to call."""

    tool: Tool
    filled: Any


def tool(function: F) -> F:
    """Offer a function to models. Its first parameter is the agent who asks; the others need types, and its docstring
    tells what it is for. It must only look: agents ask at the same time, and a replay calls no tool."""
    setattr(function, _MARK, _described(function))
    return function


def _described(function: Callable[..., Any]) -> Tool:
    name = function.__name__
    purpose = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    if not purpose:
        raise PolicyError(
            "a tool needs a docstring: a model reads it.", where=name, mend="Say in a line what it tells."
        )
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise PolicyError("a tool takes the agent who asks.", where=name, mend=f"Write def {name}(agent, ...).")
    hints = _hints(function)
    fields: dict[str, Any] = {}
    for parameter in parameters[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise PolicyError(f"{parameter} cannot be filled in.", where=name, mend="Name each parameter.")
        if parameter.name not in hints:
            raise PolicyError(f"{parameter.name} has no type.", where=name, mend=f"Write {parameter.name}: int.")
        fields[parameter.name] = (hints[parameter.name], ...)
    form: Form | None = Form.of(create_model(name, **fields)) if fields else None
    return Tool(name, purpose, function, form)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:  # a name that stands below the tool, or in a function around it
        raise PolicyError(
            f"a type is not known here: {error}.", where=function.__name__, mend="Define it before the tool."
        ) from None


def find_tools(functions: Sequence[Callable[..., Any]]) -> tuple[Tool, ...]:
    """The tools that these functions are."""
    found = []
    for function in functions:
        mark = getattr(function, _MARK, None)
        if not isinstance(mark, Tool):
            raise PolicyError(
                f"{getattr(function, '__name__', function)} is no tool.", where="tools", mend="Write @tool above it."
            )
        found.append(mark)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise PolicyError(f"two tools are called {name}.", where="tools", mend="Rename one.")
    return tuple(found)


def with_tools(form: Form, tools: Sequence[Tool]) -> Record:
    """The form of an answer that may be a call of a tool instead."""
    calls = [
        Record({TOOL: Choice((one.name,)), **({} if one.form is None else {GIVEN: one.form.shape})}) for one in tools
    ]
    return Record({NEXT: Either((*calls, Record({form.name: form.shape})))})


def wished(filled: Any, tools: Sequence[Tool], form: Form) -> Wish | Any:
    """The call of a tool that a form with tools holds, or the answer that stands in it."""
    said = filled[NEXT]
    if TOOL not in said:
        return said[form.name]
    [wanted] = [one for one in tools if one.name == said[TOOL]]
    arguments = said.get(GIVEN, {})
    if wanted.form is not None:
        wanted.form.value(arguments)  # what the types themselves have against it is said now
    return Wish(wanted, arguments)
