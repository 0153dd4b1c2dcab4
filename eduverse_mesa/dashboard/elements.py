"""Elements of all pages: the desk and the words of a page, cards, panels and what opens them, titles, trees to read,
forms, pictures, notes and messages of errors."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import solara
import solara.lab

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.sessions import COOKIE, OFFICE
from eduverse_mesa.errors import EduverseError, NoModelError
from eduverse_mesa.visualization.widgets.base import Sealed
from eduverse_mesa.visualization.widgets.chart import SERVED, ChartWidget
from eduverse_mesa.visualization.widgets.form import LONGEST, Field, FormWidget
from eduverse_mesa.visualization.widgets.sheet import Sheet, Tree
from eduverse_mesa.visualization.words import Words, load_words, preferred
from eduverse_mesa.visualization.words.errors import error_text

_log = logging.getLogger(__name__)
_words: Any = solara.create_context(load_words())


def use_desk() -> Desk:
    """The desk of the browser that looks at this page."""
    cookies = solara.lab.cookies.value or {}
    return OFFICE.desk(cookies.get(COOKIE, "nobody"))


def use_words() -> Words:
    """Return the words of the interface in the language of this page."""
    words: Words = solara.use_context(_words)
    return words


def chart_words(t: Words) -> Mapping[str, str]:
    """Return the words of charts."""
    return t.under("codes", "charts")


def speak(desk: Desk) -> Words:
    """The words for everything below, in the desk's language, else the browser's."""
    accepted = (solara.lab.headers.value or {}).get("accept-language", [""])
    words = load_words(desk.language or preferred(accepted[0]))
    desk.spoken = words.language
    _words.provide(words)
    return words


@solara.component
def Card(
    title: str = "",
    children: list[Any] = [],
    actions: list[Any] | None = None,
    classes: list[str] | None = None,
) -> None:
    """A part of a page under a heading; `actions` stand beside the heading."""
    with solara.Div(classes=["ev-card", *(classes or [])]):
        if title or actions:
            with solara.Div(classes=["ev-card-head"]):
                if title:
                    solara.v.Html(tag="h2", class_="ev-h2", children=[title])
                if actions:
                    solara.Div(classes=["ev-actions"], children=actions)
        solara.Div(classes=["ev-card-body"], children=children)


def Opener(
    label: str,
    panel: str,
    opened: bool,
    turn: Callable[[bool], None],
    *,
    text: bool = False,
    danger: bool = False,
    disabled: bool = False,
) -> Any:
    """A button that opens a `Panel` and closes it again, as Escape does (openers.js). Its words stay the same, so that
    nothing moves and a second click hits it again."""
    return solara.Button(
        label,
        outlined=not text,
        text=text,
        disabled=disabled,
        classes=["ev-opener", *(["ev-danger"] if danger else [])],
        attributes={"aria-expanded": str(opened).lower(), "aria-controls": panel},
        on_click=lambda: turn(not opened),
    )


@solara.component
def Panel(name: str, children: list[Any] = [], classes: list[str] = []) -> None:
    """Panel that an `Opener` opens; it is there only while it is open."""
    solara.Div(children=children, classes=classes, attributes={"id": name})


@solara.component
def Titles(title: str, below: str) -> None:
    """Title of a page, and a line about it in smaller letters; buttons stand beside."""
    with solara.Div(classes=["ev-titles"]):
        solara.v.Html(tag="h1", class_="ev-h1", children=[title])
        solara.Text(below, classes=["ev-quiet"])


def Reading(tree: Tree, on_event: Callable[[Any], None] | None = None) -> Any:
    """A sheet of text."""
    return Sheet.element(tree=Sealed(tree), on_event=on_event)


@solara.component
def Form(
    fields: list[Field],
    hear: Callable[[str, Any], None],
    label: str = "",
    look: str = "",
    shortcuts: dict[str, Any] = {},
) -> None:
    """A form of the browser's own inputs; `hear` is told (id, value) of what was changed."""
    t = use_words()

    def too_long(letters: int) -> str:
        return t("app.too_long", n=f"{letters:,}", most=f"{LONGEST:,}")

    FormWidget.element(fields=fields, on_event=hear, label=label, look=look, shortcuts=shortcuts, too_long=too_long)


@solara.component
def Choice(
    label: str, names: Mapping[str, str], chosen: str, choose: Callable[[str], None], help_text: str = ""
) -> None:
    """One of some things; `names` says what each is called."""
    options = [[name, text] for name, text in names.items()]
    field = {"id": "choice", "kind": "select", "label": label, "options": options, "value": chosen, "help": help_text}
    FormWidget.element(fields=[field], on_event=lambda _, value: choose(value))


def Picture(
    spec: dict[str, Any],
    label: str,
    signals: dict[str, Any] | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Any:
    """A chart of `charts`, as its `spec` gives it. `label` says in words what it shows, for who cannot see it."""
    return ChartWidget.element(spec=Sealed(spec), label=label, signals=signals or {}, source=SERVED, on_event=on_event)


@solara.component
def Note(text: str, kind: str = "info") -> None:
    """A short message; `kind` is info, ok, warn or bad."""
    role = "alert" if kind == "bad" else "status"
    Sheet.element(tree=["p", {"class": f"ev-note is-{kind}", "role": role}, text])


@solara.component
def Trouble(error: EduverseError) -> None:
    """Message of an error: what went wrong, where, and how to mend it here, not on the command line."""
    t = use_words()
    if isinstance(error, NoModelError):
        Note(t("app.no_model"), kind="bad")
        with solara.Link("/settings"):
            solara.Button(t("app.to_settings"), outlined=True)
        return
    text = error_text(error, t)
    # Behind a place the message goes on; without one it is a sentence of its own.
    Note(text if error.where else text[:1].upper() + text[1:], kind="bad")


@solara.component
def Sheltered(children: list[Any] = []) -> None:
    """Keeps what goes wrong in here from the rest of the page, and a traceback from whoever reads it."""
    error, clear = solara.use_exception()
    t = use_words()
    mark = solara.use_memo(lambda: secrets.token_hex(3), [error])
    solara.use_effect(lambda: _note(error, mark), [error])
    if error is None:
        solara.Div(children=children)
    elif isinstance(error, EduverseError):
        with Card(t("app.error.title")):
            Trouble(error)
            solara.Button(t("app.error.again"), on_click=clear)
    else:
        with Card(t("app.error.title")):
            Note(t("app.error.text", mark=mark), kind="bad")
            solara.Button(t("app.error.again"), on_click=clear)


def _note(error: BaseException | None, mark: str) -> None:
    if error is not None and not isinstance(error, EduverseError):
        _log.error("a page could not be shown (%s)", mark, exc_info=error)
