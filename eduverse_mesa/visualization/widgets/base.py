"""Common parts of widgets: their own JavaScript and style sheets, and plain data that go in unopened."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import traitlets


@cache
def asset(name: str) -> str:
    """A file of this folder, as text."""
    return (files("eduverse_mesa.visualization.widgets") / name).read_text(encoding="utf-8")


def styled(name: str) -> str:
    """A widget's style sheet with the colours it needs."""
    return asset("tokens.css") + asset(name)


class Sealed:
    """A sealed value, whose content is the widget's business alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]


def opened(value: Any) -> Any:
    """Return the value that a trait keeps: the content of a sealed one."""
    return value.value if isinstance(value, Sealed) else value


class Plain(traitlets.Any):  # type: ignore[misc, unused-ignore]
    """A trait for plain data, sealed or not."""

    def validate(self, _: Any, value: Any) -> Any:
        """Take it out."""
        return opened(value)


class PlainDict(traitlets.Dict):  # type: ignore[misc, type-arg, unused-ignore]
    """A trait for a dict of plain data, sealed or not."""

    def validate(self, obj: Any, value: Any) -> Any:
        """Take it out."""
        return super().validate(obj, opened(value))
