"""The dashboard itself: language, light or dark, where runs are kept, who can reach it, which version."""

from __future__ import annotations

from urllib.parse import urlsplit

import solara

from eduverse_mesa import __version__
from eduverse_mesa.visualization.app.addresses import is_loopback
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.shell import THEMES
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import LANGUAGES, Words


@solara.component
def TheHouse(desk: Desk) -> None:
    """What holds for every page."""
    t = use_words()
    use_live(desk.changed)
    with Card(t("settings.house.title")):
        with solara.Div(classes=["ev-house"]):
            solara.Text(t("app.language"), classes=["ev-quiet"])
            with solara.Div(classes=["ev-row"]):
                for code, name in LANGUAGES.items():
                    _Pick(name, code == t.language, lambda code=code: desk.choose_language(code), code)
            solara.Text(t("app.theme.label"), classes=["ev-quiet"])
            _Theme(desk)
        Reading(house_tree(desk.office.study, desk.office.address, desk.office.rights.token is not None, t))


@solara.component
def _Theme(desk: Desk) -> None:
    t = use_words()
    use_live(desk.changed)
    with solara.Div(classes=["ev-row"]):
        for name, value in THEMES.items():
            _Pick(t(f"app.theme.{name}"), value is desk.dark, lambda value=value: desk.choose_theme(value))


@solara.component
def _Pick(name: str, here: bool, choose: object, language: str = "") -> None:
    solara.Button(
        name,
        small=True,
        outlined=True,
        classes=["ev-toggle", "on"] if here else ["ev-toggle"],
        attributes={"aria-pressed": str(here).lower(), **({"lang": language} if language else {})},
        on_click=choose,
    )


def house_tree(study: str, address: str, guarded: bool, t: Words) -> Tree:
    """Where runs are kept, who can reach the dashboard, and its version."""
    host = urlsplit(address).hostname or ""
    near = is_loopback(host)
    reach = "near_token" if near and guarded else "near" if near else "open"
    facts = [
        (t("settings.house.study"), study, t("settings.house.study_why")),
        (t("settings.house.address"), address or "–", t(f"settings.house.{reach}")),
        (t("settings.house.version"), __version__, ""),
    ]
    return [
        "dl",
        {"class": "ev-stacked"},
        *(
            ["div", {}, ["dt", {}, name], ["dd", {"dir": "auto"}, value],
             ["dd", {"class": "ev-muted ev-small"}, why] if why else ""]
            for name, value, why in facts
        ),
    ]  # fmt: skip
