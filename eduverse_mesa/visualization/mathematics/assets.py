"""The style sheet, scripts and picture of these pages, with the house's colours."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from eduverse_mesa.visualization.widgets.asset import asset

_DARK = re.compile(r"\.theme--dark[^{]*\{([^}]*)\}")


def assets() -> list[tuple[str, str, str]]:
    """Each file's name, text and kind: one style sheet, of all that lie here, and every script."""
    own, app = (files(f"eduverse_mesa.visualization.{room}") for room in ("mathematics.static", "app"))
    sheets = "".join(file.read_text("utf-8") for file in _ending(own, ".css"))
    return [
        ("style.css", colours() + sheets, "text/css"),
        *((file.name, file.read_text("utf-8"), "text/javascript") for file in _ending(own, ".js")),
        ("icon.svg", (app / "icon.svg").read_text("utf-8"), "image/svg+xml"),
    ]


def _ending(folder: Traversable, end: str) -> list[Traversable]:
    """Its files with this ending, by their names."""
    return sorted((file for file in folder.iterdir() if file.name.endswith(end)), key=lambda file: file.name)


def colours() -> str:
    """The house's colours; the dark ones where the system is dark, since no script sets a class on these pages."""
    tokens = asset("tokens.css")
    dark = _DARK.search(tokens)
    assert dark is not None
    return f"{tokens}@media (prefers-color-scheme: dark) {{ :root {{{dark[1]}}} }}\n"
