"""Small inputs that the forms of this page share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import solara

from eduverse_mesa.visualization.widgets.form import Field


@solara.component
def Toggles(
    label: str, names: Mapping[str, str], chosen: tuple[str, ...], choose: Callable[[tuple[str, ...]], None]
) -> None:
    """Any number of things, by buttons that stay pressed; `names` says what each is called."""
    with solara.Div(classes=["ev-field"], attributes={"role": "group", "aria-label": label}):
        solara.Text(label, classes=["ev-quiet"])
        with solara.Div(classes=["ev-toggles"]):
            for name, shown in names.items():
                on = name in chosen
                others = tuple(other for other in chosen if other != name)
                solara.Button(
                    shown,
                    small=True,
                    outlined=True,
                    classes=["ev-toggle", "on"] if on else ["ev-toggle"],
                    attributes={"aria-pressed": str(on).lower()},
                    on_click=lambda name=name, on=on, others=others: choose(others if on else (*others, name)),
                )


def search_field(label: str, value: str) -> Field:
    """What is looked for while it is typed."""
    return {"id": "search", "kind": "text", "label": label, "value": value, "live": True}


def whole_number(value: Any, least: int, most: int) -> int | None:
    """The whole number that stands in a field; None where there is none, or one out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if least <= value <= most else None
