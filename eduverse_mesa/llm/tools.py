"""Tools: functions through which an agent may look something up before it answers.

A server with function calling of its own is asked in its own way. Any other one is offered tools in the form of the
answer: the model either calls one or answers. Calls are checked, mended and asked for again as answers are.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, get_type_hints

from pydantic import create_model

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.policies.llm.calls import Offer
from eduverse_mesa.policies.llm.offers import GIVEN, NEXT, TOOL
from eduverse_mesa.policies.llm.shape import Choice, Either, Record, UnusableError
from eduverse_mesa.policies.safe_text import clean, defuse, lines_of

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__eduverse_tool__"
_LONGEST_RESULT = 2000
_LONGEST_NAME = 60
_LONGEST_MISTAKE = 200
_NO_ARGUMENTS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class ToolError(Exception):
    """A tool cannot do what it is asked, in words for the model: it may call it in another way."""


class Lookup(NamedTuple):
    """A call of a tool."""

    tool: str
    arguments: Any
    result: str
    mistake: str = ""
    """Error that the tool itself has raised, other than ToolError."""
    defect: str = ""
    """What was wrong with the call, so that nothing was called; the result tells it to the model."""


@dataclass(frozen=True)
class Tool:
    """A function, what it is for, and the form of its arguments."""

    name: str
    purpose: str
    function: Callable[..., Any]
    form: Form | None
    """None where it takes none."""

    @property
    def offer(self) -> Offer:
        """Description of the tool for a server with function calling."""
        return Offer(self.name, self.purpose, _NO_ARGUMENTS if self.form is None else self.form.shape.schema)

    def call(self, agent: Any, filled: Any) -> Lookup:
        """The result as text, for this agent. An error of the tool is told to the model, too, and is no result."""
        given = {} if self.form is None else dict(self.form.value(filled))
        mistake = ""
        try:
            result = str(self.function(agent, **given))
        except ToolError as error:
            result = f"error: {error}"
        except Exception as error:  # a tool may raise anything, and must not end the step of all others
            mistake = f"{type(error).__name__}: {error}".removesuffix(": ")
            result = f"error: this tool has failed ({mistake})"
        text = defuse(lines_of(result))
        text = text if len(text) <= _LONGEST_RESULT else text[: _LONGEST_RESULT - 1] + "…"
        return Lookup(self.name, filled, text, clean(mistake)[:_LONGEST_MISTAKE])


@dataclass(frozen=True)
class Wish:
    """A call that a model wants: of a tool, unless something is wrong with it."""

    name: str
    filled: Any
    tool: Tool | None
    defect: str = ""

    def grant(self, agent: Any, wrong: str) -> Lookup:
        """Call the tool for this agent, or return the call with `wrong` for its result, which tells the defect."""
        if self.tool is None:
            return Lookup(self.name, self.filled, defuse(lines_of(wrong.format(defect=self.defect))), "", self.defect)
        return self.tool.call(agent, self.filled)


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
    if inspect.iscoroutinefunction(function):
        raise PolicyError("a tool is a plain function.", where=name, mend="Write def in the place of async def.")
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


_TOOLS_MEND = "Name functions with @tool above them, e.g. tools=[price_of]; without any leave it out."


def find_tools(functions: Callable[..., Any] | Iterable[Callable[..., Any]]) -> tuple[Tool, ...]:
    """The tools that these functions are, or this one is."""
    given = (
        [functions]
        if isinstance(functions, str) or callable(functions) or not isinstance(functions, Iterable)
        else functions
    )
    found = []
    for function in given:
        mark = getattr(function, _MARK, None)
        if not isinstance(mark, Tool):
            raise PolicyError(
                f"{getattr(function, '__name__', repr(function))} is no tool.",
                where="tools",
                mend="Write @tool above it." if callable(function) else _TOOLS_MEND,
            )
        found.append(mark)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise PolicyError(f"two tools are called {name}.", where="tools", mend="Rename one.")
    return tuple(found)


class Turn(Record):
    """The form of a turn with tools: a call of one, or the answer. Several calls, and an answer that stands alone, are
    read as well: servers with function calling send such. What is wrong with a call is read with it: it is the call's
    result, and no fault of the answer."""

    __slots__ = ("_answer", "_tools")

    def __init__(self, form: Form, tools: Sequence[Tool]) -> None:
        calls = [
            Record({TOOL: Choice((one.name,)), **({} if one.form is None else {GIVEN: one.form.shape})})
            for one in tools
        ]
        super().__init__({NEXT: Either((*calls, Record({form.name: form.shape})))})
        self._answer = form
        self._tools = {one.name: one for one in tools}

    def read(self, value: Any, place: str) -> dict[str, Any]:
        """The calls as a list, or the answer under its name."""
        answer = self._answer
        said = value.get(NEXT) if isinstance(value, dict) and NEXT in value else value
        if isinstance(said, list) and said:
            return {NEXT: [self._call(one) for one in said]}
        alone = isinstance(said, dict) and said.keys() >= set(answer.shape.schema["required"])
        if isinstance(said, dict) and not alone:
            if TOOL in said or {_NAME, GIVEN} <= said.keys():
                return {NEXT: [self._call(said)]}
            said = said.get(answer.name, said)
        return {NEXT: {answer.name: answer.shape.read(said, place)}}

    def _call(self, said: Any) -> Wish:
        name = said.get(TOOL, said.get(_NAME)) if isinstance(said, dict) else None
        if not isinstance(name, str):
            raise UnusableError(f"a call needs a tool; there are: {', '.join(self._tools)}")
        given = said.get(GIVEN, {})
        if name not in self._tools:
            shown = clean(name)[:_LONGEST_NAME]
            return Wish(shown, _kept(given), None, f"there is no tool {shown}; there are: {', '.join(self._tools)}")
        tool = self._tools[name]
        try:
            filled = {} if tool.form is None else tool.form.shape.read(given, name)
            if tool.form is not None:
                tool.form.value(filled, name)  # what the types have against it is said now
        except UnusableError as error:
            return Wish(name, _kept(given), None, str(error)[:_LONGEST_MISTAKE])
        return Wish(name, filled, tool)


def _kept(given: Any) -> Any:
    """Arguments that do not fit, so that they can be kept and told again, whatever a model has put in them."""
    text = defuse(clean(json.dumps(given, ensure_ascii=False)))
    if len(text) <= _LONGEST_RESULT:
        with suppress(ValueError):
            return json.loads(text)
    return text[:_LONGEST_RESULT]


_NAME = "name"
"""So many models call the tool in a call that they write themselves."""
