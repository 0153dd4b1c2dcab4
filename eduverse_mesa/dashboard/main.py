"""The pages by their addresses, as Solara finds them."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import use_desk
from eduverse_mesa.dashboard.pages import PAGES
from eduverse_mesa.dashboard.shell import Shell


@solara.component
def Layout(children: list[Any] = []) -> None:
    """Nothing around a page but what the page brings: Solara's own frame scrolls within itself."""
    solara.Div(children=children)


def _route(name: str, show: Any) -> solara.Route:
    @solara.component
    def Page() -> None:
        desk_page = PAGES["seat"] if _is_guest() else show
        Shell("seat" if _is_guest() else name, desk_page)

    return solara.Route(
        path="/" if name == "classroom" else name, component=Page, layout=Layout if name == "classroom" else None
    )


def _is_guest() -> bool:
    desk: Desk = use_desk()
    rights = desk.office.rights
    if rights.is_researcher(desk.browser):
        rights.welcome(desk.browser)
        return False
    return True


routes = [_route(name, show) for name, show in PAGES.items()]
