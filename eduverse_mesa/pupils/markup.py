"""Pages put together from tags; every text in them is escaped, unless it was made here."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from html import escape


class Markup(str):
    """HTML that needs no escaping any more."""

    __slots__ = ()


def text(given: object) -> Markup:
    """Return any value as markup: escaped, unless it is markup already."""
    return given if isinstance(given, Markup) else Markup(escape(str(given)))


def join(parts: Iterable[object]) -> Markup:
    """One after the other; None is nothing."""
    return Markup("".join(text(part) for part in parts if part is not None))


def initial(name: str) -> str:
    """One letter for a whole name. Chinese names are told apart by their last sign; the first is often the same.
    The browser does so too (`talk.js`)."""
    chinese = all(unicodedata.name(one, "").startswith("CJK UNIFIED") for one in name)
    return name[-1:] if chinese else name[:1]


_VOID = frozenset({"input", "link", "meta", "br"})


def tag(element: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Attributes lose a trailing underscore, and others become hyphens; True stands alone, False and None
    are left out."""
    given = []
    for key, value in attributes.items():
        if value is False or value is None:
            continue
        name_of = key.rstrip("_").replace("_", "-")
        given.append(f" {name_of}" if value is True else f' {name_of}="{escape(str(value))}"')
    opening = f"<{element}{''.join(given)}>"
    return Markup(opening if element in _VOID else f"{opening}{join(children)}</{element}>")


def page(title: str, *body: object, language: str, csrf: str = "", script: str = "") -> str:
    """A whole page."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1, interactive-widget=resizes-content"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="csrf", content=csrf) if csrf else None,
        tag("title", title),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/static/style.css"),
        tag("script", src="/static/page.js", defer=True),
        tag("script", src=f"/static/{script}", defer=True) if script else None,
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", *body), lang=language)
