"""Small inputs that the forms of this page share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import solara


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


@solara.component
def Choice(label: str, names: Mapping[str, str], chosen: str, choose: Callable[[str], None]) -> None:
    """One of some things; `names` says what each is called, and no two are called the same."""
    shown = _told_apart(names)
    keys = {text: name for name, text in shown.items()}
    solara.Select(
        label,
        values=list(shown.values()),
        value=shown.get(chosen) or next(iter(shown.values()), None),
        on_value=lambda text: choose(keys.get(text or "", chosen)),
    )


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    shown: dict[str, str] = {}
    for name, text in names.items():
        shown[name] = text if text not in shown.values() else f"{text} ({name})"
    return shown


def whole_number(text: str, least: int, most: int) -> int | None:
    """The number that somebody has typed; None where it is none, or out of bounds."""
    stripped = text.strip()
    if not (stripped.isascii() and stripped.isdecimal()) or len(stripped) > 12:
        return None
    number = int(stripped)
    return number if least <= number <= most else None
