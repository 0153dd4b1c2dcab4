"""Frame around every page: the bar with the pages' names, the language, and light or dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import solara
import solara.lab

from eduverse_mesa.dashboard.alert_banner import Alarms
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Sheltered, speak, use_desk
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.visualization.words import LANGUAGES, Words

THEMES: dict[str, bool | None] = {"auto": None, "light": False, "dark": True}
_SIGNS = {"auto": "mdi-brightness-auto", "light": "mdi-weather-sunny", "dark": "mdi-weather-night"}
PAGES = ("classroom", "design", "compare", "experiments", "learner", "mathematics", "seat", "studies", "settings")


def address(page: str) -> str:
    """Return the address of a page."""
    return "/" if page == "classroom" else f"/{page}"


@solara.component
def Shell(page: str, show: Callable[[Desk], Any]) -> None:
    """A page with everything around it. Whoever has joined a lesson sees the seat, wherever they go."""
    desk = use_desk()
    use_live(desk.changed)
    t = speak(desk)
    solara.lab.theme.dark = desk.dark
    guest = not desk.office.rights.is_researcher(desk.browser)
    solara.Title(f"{t('app.nav.' + page)} · {t('app.brand')}" if page in PAGES else t("app.brand"))
    read = {"lang": t.language, "data-lost": t("app.lost.what"), "data-lost-more": t("app.lost.more")}
    with solara.Div(classes=["ev-app"], attributes=read):  # connection.js reads these
        _Bar(page, desk, t, guest)
        if not guest:
            Alarms(desk)
        with solara.v.Html(tag="main", class_="ev-main", attributes={"id": "main"}):
            with Sheltered().key(f"{page}-{desk.language}"):
                show(desk)


@solara.component
def _Bar(page: str, desk: Desk, t: Words, guest: bool) -> None:
    with solara.v.Html(tag="header", class_="ev-topbar"):
        solara.v.Html(tag="a", class_="ev-skip", attributes={"href": "#main"}, children=[t("app.skip")])
        with solara.Div(classes=["ev-brand"]):
            solara.Text(t("app.brand"))
        with solara.v.Html(tag="nav", class_="ev-nav", attributes={"aria-label": t("app.nav.label")}):
            for name in () if guest else PAGES:
                _Name(name, t, here=name == page)
        with solara.Div(classes=["ev-tools"]):
            _Language(desk, t)
            _Theme(desk, t)


@solara.component
def _Theme(desk: Desk, t: Words) -> None:
    use_live(desk.changed)
    names = list(THEMES)
    current = next(name for name, dark in THEMES.items() if dark is desk.dark)
    following = names[(names.index(current) + 1) % len(names)]
    said = t.told(t("app.theme.label"), t(f"app.theme.{current}"))
    solara.Button(
        icon_name=_SIGNS[current],
        icon=True,
        attributes={"aria-label": said, "title": said},
        on_click=lambda: desk.choose_theme(THEMES[following]),
    )


@solara.component
def _Name(name: str, t: Words, here: bool) -> None:
    attributes = {"aria-current": "page"} if here else {}
    with solara.Link(address(name)):
        solara.v.Html(
            tag="span",
            class_="ev-page here" if here else "ev-page",
            attributes=attributes,
            children=[t(f"app.nav.{name}")],
        )


@solara.component
def _Language(desk: Desk, t: Words) -> None:
    with solara.Div(classes=["ev-languages"]):
        for code, name in LANGUAGES.items():
            here = code == t.language
            solara.Button(
                name,
                text=True,
                small=True,
                classes=["ev-language", "here"] if here else ["ev-language"],
                on_click=lambda code=code: desk.choose_language(code),
                attributes={"lang": code, "aria-pressed": str(here).lower()},
            )
