"""Plain data that go into a widget unopened.

Reacton looks for elements in every list and dict that an element is given, and compares them piece by piece in Python:
in a transcript or a chart's rows that takes longer than all the rest of drawing a page. What is sealed it leaves alone;
the widget's trait takes it out.
"""

from __future__ import annotations

from typing import Any

import traitlets


class Sealed:
    """What is in it is the widget's business alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]


def opened(value: Any) -> Any:
    """What a trait keeps of what it was given."""
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
