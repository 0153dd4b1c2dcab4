"""Take a seat: the page of those who sit in a lesson, and of those who hold one."""

from __future__ import annotations

from importlib.resources import files

import solara

from eduverse_mesa.runs.live import Place
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Reading, use_words
from eduverse_mesa.visualization.app.lessons.host import title_of
from eduverse_mesa.visualization.app.lessons.now import Now
from eduverse_mesa.visualization.app.lessons.seen import SeenRoom
from eduverse_mesa.visualization.app.lessons.sitting import Sitting, sitting
from eduverse_mesa.visualization.app.lessons.transcript import Transcript
from eduverse_mesa.visualization.app.lessons.watching import LiveView
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.seat.hosting import Hosting, Meanwhile
from eduverse_mesa.visualization.app.pages.seat.seat import Back, Seat


@solara.component
def SeatPage(desk: Desk) -> None:
    """Who has joined a lesson gets its seat; who has all rights holds lessons here, or sits down oneself."""
    mine = sitting(desk)
    use_live(mine.changed)
    place = mine.place
    guest = not desk.office.rights.is_researcher(desk.browser)
    with solara.Div():
        solara.Style(_style())
        if place is not None and place.role == "researcher" and guest:
            Onlooker(desk, mine, place).key(f"{place.id}-{place.lesson.attempt}")
        elif place is not None and (guest or mine.own):
            Seat(desk, mine, place).key(place.id)
            if mine.own and not guest:
                Meanwhile(desk, place.lesson).key(f"meanwhile-{place.lesson.id}")
        elif guest:
            _Closed(desk, mine)
        else:
            Hosting(desk)


@solara.component
def Onlooker(desk: Desk, mine: Sitting, place: Place) -> None:
    """A lesson for somebody who was invited to look on: all of it is seen, and nothing can be touched."""
    view = solara.use_memo(lambda: LiveView(place.lesson, drives=False), [place.id])
    solara.use_effect(lambda: view.close, [view])
    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[title_of(place.lesson)])
            solara.v.Spacer()
            Back(desk, mine)
        with solara.Div(classes=["ev-split"]):
            with solara.Div(classes=["ev-stack"]):
                SeenRoom(view)
                Now(view)
            Transcript(view)


@solara.component
def _Closed(desk: Desk, mine: Sitting) -> None:
    t = use_words()
    with Card(t("seat.closed.title")):
        Reading(["p", {}, t("seat.closed.more")])
        Back(desk, mine)


def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.seat") / "seat.css").read_text(encoding="utf-8")
