"""What several of the teacher's pages show."""

from __future__ import annotations

import re
from collections.abc import Collection

from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, tag

NOTHING = "–"
"""In a cell of which there is nothing to tell."""


def table(heads: list[str], rows: list[list[object]], **attributes: object) -> Markup:
    """A table with a head. On a phone each row becomes a list, unless its class is `ev-grid`."""
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") if one else tag("td") for one in heads)))
    lines = [
        tag(
            "tr",
            *(
                tag("td", cell, data_label=head or None, class_="ev-none" if cell == NOTHING else None)
                for head, cell in zip(heads, row, strict=True)
            ),
        )
        for row in rows
    ]
    body = tag("tbody", *lines)
    return tag("div", tag("table", head, body, **attributes), class_="ev-scroll", tabindex="0")


def navigation(ask: Ask) -> Markup:
    """The teacher's pages."""
    pages = {name: ask.say(f"teach.{name}") for name in ("class", "sets", "problems")}
    pages |= {"alerts": ask.t("alerts.title"), "data": ask.say("data.title")}
    here = ask.request.url.path.split("/")[1]
    links = [
        tag("a", said, href=f"/{name}", aria_current="page" if name == here else None) for name, said in pages.items()
    ]
    return tag("nav", *links, aria_label=ask.say("teach.pages"))


def boxes(name: str, choices: list[tuple[str, str]], legend: str, ticked: Collection[str] = ()) -> Markup:
    """Boxes to tick."""
    ticks = [
        tag("label", tag("input", type="checkbox", name=name, value=value, checked=value in ticked), f" {said}")
        for value, said in choices
    ]
    return tag("fieldset", tag("legend", legend), tag("div", *ticks, class_="ev-columns"))


def choice(name: str, choices: list[tuple[str, str]], chosen: str, **attributes: object) -> Markup:
    """A list to choose one from."""
    given = [tag("option", said, value=value, selected=value == chosen) for value, said in choices]
    return tag("select", *given, name=name, **attributes)


def whole(text: str, least: int, most: int) -> int | None:
    """The whole number that was typed, if it lies between these; with however many zeros before it."""
    found = re.fullmatch(r"0*(\d{1,9})", text.strip(), re.ASCII)
    return int(found[1]) if found and least <= int(found[1]) <= most else None


def sure(ask: Ask, action: str, question: str, button: str, back: str, **attributes: object) -> Markup:
    """Asked once more, with a way back."""
    return ask.form_tag(
        action,
        tag("input", type="hidden", name="sure", value="yes"),
        tag("p", question),
        tag("div", tag("button", button, **attributes), tag("a", ask.teach("cancel"), href=back), class_="ev-doings"),
        class_="ev-card",
    )
