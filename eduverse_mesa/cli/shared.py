"""Options that come together: written down once as a dataclass, taken by several subcommands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, get_type_hints

Result = TypeVar("Result")


def taking(kind: type[Any], name: str) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """A subcommand whose parameter `name` is a dataclass of options: each field becomes an option in its place.

    Typer reads the options of a function off its signature, and has no other way to share them.
    """
    hints = get_type_hints(kind, include_extras=True)

    def spread(command: Callable[..., Result]) -> Callable[..., Result]:
        own = inspect.signature(command, eval_str=True)
        shared = [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
            )
            for field in fields(kind)
        ]

        @wraps(command)
        def spread_out(**given: Any) -> Result:
            taken = kind(**{one.name: given.pop(one.name) for one in shared})
            return command(**given, **{name: taken})

        parameters: list[inspect.Parameter] = []
        for one in own.parameters.values():
            parameters += shared if one.name == name else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        spread_out.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        spread_out.__annotations__ = {one.name: one.annotation for one in parameters}
        return spread_out

    return spread
