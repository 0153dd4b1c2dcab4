"""The widgets' own JavaScript and style sheets."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """A file of this folder, as text."""
    return (files("eduverse_mesa.visualization.widgets") / name).read_text(encoding="utf-8")


def styled(name: str) -> str:
    """A widget's style sheet with the colours it needs."""
    return asset("tokens.css") + asset(name)
