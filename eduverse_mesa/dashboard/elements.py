"""Elements of all pages: the desk and the words of a page, its style sheet and headline, cards, panels and what opens
them, titles, tabs, trees and tables to read, forms, pictures, bars of work, notes and messages of errors."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import solara
import solara.lab

from eduverse_mesa.dashboard.background import Progress, Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.sessions import COOKIE, OFFICE
from eduverse_mesa.errors import EduverseError, NoModelError
from eduverse_mesa.visualization.widgets.base import Sealed
from eduverse_mesa.visualization.widgets.chart import SERVED, ChartWidget
from eduverse_mesa.visualization.widgets.fields import select
from eduverse_mesa.visualization.widgets.form import LONGEST, Field, FormWidget
from eduverse_mesa.visualization.widgets.sheet import Sheet, Tree
from eduverse_mesa.visualization.widgets.transport import Transport
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


def StyleSheet(file: str) -> Any:
    """The style sheet of a page: a file of `dashboard/pages`."""
    return solara.Style(_style(file))


@cache
def _style(file: str) -> str:
    return (files("eduverse_mesa.dashboard.pages") / file).read_text(encoding="utf-8")


@solara.component
def Headline(title: str, below: str = "", children: list[Any] = [], classes: list[str] = []) -> None:
    """Top of a page: its title, a line about it, which `classes` are for, and at the end buttons."""
    heading = solara.v.Html(tag="h1", class_="ev-h1", children=[title])
    about = [solara.Text(below, classes=["ev-quiet", *classes])] if below else []
    end = [solara.v.Spacer(), *children] if children else []
    solara.Div(classes=["ev-row", "ev-headline"], children=[heading, *about, *end])


def Idle() -> Any:
    """Nothing, where something may come: a part of a page that is always there."""
    return solara.Div(classes=["ev-idle"])


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


@solara.component
def Tabs(label: str, names: Mapping[str, Sequence[Tree]], chosen: str, choose: Callable[[str], None]) -> None:
    """Parts of a page, of which one is shown; `names` says what stands on each tab."""

    def tab(name: str) -> Tree:
        here = {"role": "tab", "aria-selected": str(name == chosen).lower(), "class": "ev-tab"}
        return ["button", {"key": name, "on": name, **here}, *names[name]]

    tree = ["div", {"class": "ev-tabs", "role": "tablist", "aria-label": label}, *map(tab, names)]
    Reading(tree, on_event=lambda name: choose(name) if name in names else None)


def Reading(tree: Tree, on_event: Callable[[Any], None] | None = None) -> Any:
    """A sheet of text."""
    return Sheet.element(tree=Sealed(tree), on_event=on_event)


def table_tree(
    columns: Sequence[Tree], rows: Iterable[Tree], label: str, *, numbers: Collection[int] = (), look: str = ""
) -> Tree:
    """Rows under the heads of columns, in a box that scrolls by itself; `numbers` are the places of columns of them."""
    heads = [
        ["th", {"scope": "col", **({"class": "ev-num"} if place in numbers else {})}, name]
        for place, name in enumerate(columns)
    ]
    box = {"class": f"ev-scroll {look}".strip(), "tabindex": "0", "role": "region", "aria-label": label}
    table = ["table", {"aria-label": label}, ["thead", {}, ["tr", {}, *heads]], ["tbody", {}, *rows]]
    return ["div", box, table]


def facts_tree(facts: Iterable[tuple[str, Tree]]) -> Tree:
    """Facts, each with its name."""
    rows = (["div", {}, ["dt", {}, name], ["dd", {"dir": "auto"}, value]] for name, value in facts)
    return ["dl", {"class": "ev-facts"}, *rows]


def chip(text: str, look: str = "") -> Tree:
    """A short word in a box; `look` is is-ok, is-warn or is-bad."""
    return ["span", {"class": f"ev-chip {look}".strip()}, text]


def pick_tree(on: Any, here: bool, *inside: Tree, bad: bool = False) -> Tree:
    """A line of a list that can be picked; `on` is what comes back, `bad`: something is wrong there."""
    look = " ".join(["ev-pick", *(["here"] if here else []), *(["bad"] if bad else [])])
    return ["button", {"on": on, "class": look, "aria-pressed": str(here).lower()}, *inside]


def Toggle(label: str, on: bool, turn: Callable[..., Any], *, small: bool = True, language: str = "") -> Any:
    """A button that stays pressed while something is on; `language` is that of its label, where it is another one."""
    return solara.Button(
        label,
        small=small,
        outlined=True,
        classes=["ev-toggle", "on"] if on else ["ev-toggle"],
        attributes={"aria-pressed": str(on).lower(), **({"lang": language} if language else {})},
        on_click=turn,
    )


def turned(chosen: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The same choice with something in it that was not, or without it."""
    return tuple(one for one in chosen if one != name) if name in chosen else (*chosen, name)


class Player(Protocol):
    """Something that is played back, and can be looked at step by step."""

    @property
    def at(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def playing(self) -> bool: ...
    def seek(self, to: int, /) -> None: ...


def PlayBar(
    player: Player, names: list[str], phases: list[list[Any]], *, over: bool, plays: bool = True, scrub: str = ""
) -> Any:
    """The bar that plays something: `names` of its places, `phases` as `stretches` gives them. `over`: nothing more
    comes; `plays`: it can go on by itself; `scrub` says what the slider moves through."""
    t = use_words()
    labels = {name: t(f"classroom.transport.{name}") for name in ("play", "pause", "step", "back", "first", "scrub")}

    def hear(event: Any) -> None:
        what = event.get("do") if isinstance(event, dict) else None
        if what in ("seek", "glance") and type(event.get("to")) is int:
            getattr(player, what, player.seek)(event["to"])
        elif what in ("play", "pause", "step", "rest") and hasattr(player, what):
            getattr(player, what)()

    return Transport.element(
        at=min(player.at, player.last),
        last=player.last,
        playing=player.playing,
        over=over,
        plays=plays,
        names=names,
        phases=phases,
        labels=labels | ({"scrub": scrub} if scrub else {}),
        on_event=hear,
    )


def stretches(kinds: Sequence[Any], name: Callable[[Any], str]) -> list[list[Any]]:
    """Stretches of places of one kind, under the slider: [name, from, to, kind]; a place of no kind is in none."""
    found: list[list[Any]] = []
    for place, kind in enumerate(kinds):
        if not kind:
            continue
        if found and found[-1][2:] == [place - 1, kind]:
            found[-1][2] = place
        else:
            found.append([name(kind), place - 1, place, kind])
    return found


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
    fields = [select("choice", label, names, chosen, help=help_text)]
    FormWidget.element(fields=fields, on_event=lambda _, value: choose(value))


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
def TaskBar(worker: Worker, told: Callable[[Progress], str], elsewhere: str = "") -> None:
    """How far a worker is, with a way to stop it; then how it ended. `told` says how far, and `elsewhere` is the place
    whose errors stand somewhere else now."""
    t = use_words()
    use_live(worker.told, rest=0.2)
    use_live(worker.changed)
    now = worker.progress
    if not worker.busy:
        TaskEnd(worker, elsewhere)
        return
    said = t("app.task.stopping") if worker.stopping else told(now) if now else t("app.task.working")
    with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
        solara.v.ProgressLinear(
            value=100 * now.share if now else 0,
            height=6,
            rounded=True,
            indeterminate=now is None or worker.stopping,
            attributes={"aria-label": t("app.task.working")},
        )
        solara.Text(said, classes=["ev-quiet"])
        if now is not None:
            solara.Button(t("app.task.stop"), small=True, outlined=True, disabled=worker.stopping, on_click=worker.stop)


@solara.component
def TaskEnd(worker: Worker, elsewhere: str = "") -> None:
    """Message of what went wrong in a worker, or that it was stopped; nothing while it works, and where all is well."""
    t = use_words()
    use_live(worker.changed)
    if worker.busy or (worker.error is None and not worker.stopped):
        Idle()
    elif worker.error is None:
        Note(t("app.task.stopped"))
    elif elsewhere and worker.error_at == elsewhere:
        Idle()
    else:
        Trouble(worker.error)


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
