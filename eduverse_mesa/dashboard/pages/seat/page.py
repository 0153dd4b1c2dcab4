"""Take a seat: the page of those who sit in a lesson, and of those who hold one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Form,
    Note,
    Opener,
    Panel,
    Reading,
    StyleSheet,
    Titles,
    Trouble,
    chip,
    use_words,
)
from eduverse_mesa.dashboard.lessons.draft import use_workshop
from eduverse_mesa.dashboard.lessons.host import Ended, Handed, Host, LiveView, host, sitter, title_of
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.lessons.sitter import Sitting, sitting
from eduverse_mesa.dashboard.lessons.view import Now, SeenRoom, Transcript
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.seat.seat import Back, Driving, Seat, notice_tree
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.sweeps.document import Seed
from eduverse_mesa.runs.events import ENDED
from eduverse_mesa.runs.live_lessons import LiveLesson, Place
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.scenario import Waiting
from eduverse_mesa.visualization.widgets.fields import buttons, document_fields, field, filled_in, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import person_name, titles

_CLASSROOM, _DRAFT, _BUILT_IN = "classroom", "draft", "scenario "


class Wish(Waiting):
    """A live lesson that is to be begun: what, with which luck, and for how long people are waited for."""

    source: str = f"{_BUILT_IN}first_lesson"
    seed: Seed = 1
    long: bool = True


@solara.component
def Beginning(desk: Desk, mine: Host) -> None:
    """The form with which a live lesson is begun."""
    t = use_words()
    given, set_given = solara.use_state({**Wish().model_dump(), "source": f"{_BUILT_IN}{desk.first_scenario}"})
    error, set_error = solara.use_state(None)

    def begin() -> None:
        wish = filled_in(Wish, {**given, "wait": None} if given["long"] else given)
        if wish is None or (wish.wait is None and not wish.long):
            set_error(t("seat.begin.numbers"))
            return
        set_error(None)
        try:
            scenario = _scenario(desk, wish.source)
        except EduverseError as trouble:
            set_error(trouble)
            return
        if scenario is None:
            set_error(t("seat.begin.unfinished"))
            return
        mine.begin(scenario, wish.seed, {**desk.llm, "people.wait": wish.wait})

    def hear(name: str, value: Any) -> None:
        if name == "begin":
            begin()
        else:
            set_given({**given, name: value})

    with Card(t("seat.begin.title"), classes=["ev-seat-begin"]):
        Form(_fields(given, t), hear, label=t("seat.begin.title"))
        Reading(["p", {"class": "ev-small ev-muted"}, t("seat.begin.policy", name=t.code(desk.policy))])
        if isinstance(error, EduverseError):
            Trouble(error)
        elif error:
            Note(error, kind="bad")
        Reading(notice_tree(desk.office.alerts.adult, t))


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    sources = {_CLASSROOM: t("seat.begin.classroom"), _DRAFT: t("seat.begin.draft")}
    sources |= {_BUILT_IN + name: title for name, title in titles("scenario", t).items()}
    numbers = {"seed": "half", "long": "half", **({} if given["long"] else {"wait": "half"})}
    return [
        select("source", t("seat.begin.source"), sources, given["source"], width="half"),
        *document_fields(Wish, given, t, "seat.begin", **numbers),
        buttons("begin", ("begin", t("seat.begin.go"), "primary")),
    ]


def _scenario(desk: Desk, source: str) -> Scenario | None:
    if source == _CLASSROOM:
        return classroom_lesson(desk).scenario
    if source == _DRAFT:
        return use_workshop(desk).draft.scenario
    return load_scenario(source.removeprefix(_BUILT_IN))


_REST = 0.1
_ENDING = "ev-ending"
_HOW = ("open", "invite", "start", "after")


@solara.component
def Hosting(desk: Desk) -> None:
    """Live lessons, for whoever has all rights."""
    t = use_words()
    mine = host(desk)
    use_live(mine.changed)
    lesson = mine.lesson
    with solara.Div(classes=["ev-stack"]):
        if lesson is None:
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("seat.host.title")])
            Reading(["p", {"class": "ev-muted"}, t("seat.host.what")])
            if mine.error is not None:
                Trouble(mine.error)
            if mine.ended is not None:
                _Ended(desk, mine.ended)
            _Others(mine)
            with solara.Div(classes=["ev-split"]):
                Beginning(desk, mine)
                with Card(t("seat.how.title")):
                    Reading(["ol", {"class": "ev-steps"}, *(["li", {}, t(f"seat.how.{n}")] for n in _HOW)])
        else:
            Held(mine, lesson).key(f"{lesson.id}-{lesson.attempt}")


@solara.component
def _Ended(desk: Desk, ended: Ended) -> None:
    """A lesson was ended, and where it is now."""
    t = use_words()
    router = solara.use_router()

    def look() -> None:
        desk.to_look_at = ended.run
        router.push("/studies")

    with solara.Div(classes=["ev-row"]):
        Note(t("seat.host.ended", title=ended.title, run=ended.run), kind="ok")
        solara.Button(t("seat.host.look"), outlined=True, on_click=look)


@solara.component
def Meanwhile(desk: Desk, lesson: LiveLesson) -> None:
    """Seats, links and the end of a lesson, for whoever holds it and has sat down in it."""
    t = use_words()
    mine = host(desk)
    use_live(mine.changed)
    sure, set_sure = solara.use_state(False)
    with solara.Div(classes=["ev-stack", "ev-meanwhile"]):
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h2", class_="ev-h1", children=[t("seat.host.meanwhile")])
            with solara.Div(classes=["ev-actions", "ev-end"]):
                _End(mine, lesson, sure, set_sure)
        _Ending(mine, lesson, sure, set_sure)
        if mine.error is not None:
            Trouble(mine.error)
        with solara.Div(classes=["ev-split"]):
            _Seats(mine, lesson)
            _Links(mine, lesson)


@solara.component
def _Others(mine: Host) -> None:
    t = use_words()
    if not mine.others:
        return
    with Card(t("seat.host.open")):
        for lesson in mine.others:
            with solara.Div(classes=["ev-row"]):
                Reading(
                    [
                        "p",
                        {},
                        ["b", {"dir": "auto"}, title_of(lesson)],
                        f" · {t('seat.host.run', run=lesson.player.run.id)}",
                    ]
                )
                solara.Button(
                    t("seat.host.look_after"), outlined=True, on_click=lambda lesson=lesson: mine.choose(lesson)
                )


@solara.component
def Held(mine: Host, lesson: LiveLesson) -> None:
    """A live lesson that is looked after here."""
    view = mine.view(lesson)
    with solara.Div(classes=["ev-stack"]):
        _Top(mine, lesson, view.play)
        if mine.error is not None:
            Trouble(mine.error)
        _Mishap(mine, lesson, view)
        with solara.Div(classes=["ev-split"]):
            with solara.Div(classes=["ev-stack"]):
                SeenRoom(view)
                Now(view)
            with solara.Div(classes=["ev-stack"]):
                _Seats(mine, lesson)
                _Links(mine, lesson)
                Transcript(view)


@solara.component
def _Mishap(mine: Host, lesson: LiveLesson, view: LiveView) -> None:
    t = use_words()
    use_live(view.moved)
    if view.broken:
        solara.Button(t("seat.host.go_on"), color="primary", on_click=lambda: mine.go_on(lesson))
    if view.error is not None:
        Trouble(view.error)


@solara.component
def _Top(mine: Host, lesson: LiveLesson, play: Callable[[], None]) -> None:
    t = use_words()
    sure, set_sure = solara.use_state(False)
    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-row", "ev-headline"]):
            Titles(title_of(lesson), f"{t('seat.host.run', run=lesson.player.run.id)} · {_waits(lesson, t)}")
            with solara.Div(classes=["ev-actions", "ev-end"]):
                Driving(lesson, play)
                _End(mine, lesson, sure, set_sure)
                solara.Button(t("seat.host.aside"), text=True, on_click=mine.put_aside)
        _Ending(mine, lesson, sure, set_sure)


@solara.component
def _End(mine: Host, lesson: LiveLesson, sure: bool, set_sure: Callable[[bool], None]) -> None:
    """The end for everybody, asked for twice while the lesson goes on."""
    t = use_words()
    use_live(lesson, rest=_REST)
    with solara.Div():
        if lesson.player.status in ENDED:
            solara.Button(t("seat.host.end"), color="primary", on_click=lambda: mine.end(lesson))
        else:
            Opener(t("seat.host.end"), _ENDING, sure, set_sure)


@solara.component
def _Ending(mine: Host, lesson: LiveLesson, sure: bool, set_sure: Callable[[bool], None]) -> None:
    t = use_words()
    use_live(lesson, rest=_REST)
    if sure and lesson.player.status not in ENDED:
        with Panel(_ENDING, classes=["ev-confirm"]):
            Note(t("seat.host.sure"), kind="warn")
            with solara.Div(classes=["ev-row"]):
                solara.Button(t("seat.host.end_now"), color="primary", on_click=lambda: mine.end(lesson))
                solara.Button(t("seat.host.keep"), outlined=True, on_click=lambda: set_sure(False))


def _waits(lesson: LiveLesson, t: Words) -> str:
    wait = lesson.scenario.settings.people.wait
    return t("seat.host.waits_long") if wait is None else t("seat.host.waits", n=f"{wait:g}")


# --- seats ---


@solara.component
def _Seats(mine: Host, lesson: LiveLesson) -> None:
    t = use_words()
    use_live(lesson, rest=_REST)
    use_live(mine.changed)
    name, set_name = solara.use_state(t("seat.host.me"))

    def hear(event: Any) -> None:
        if not isinstance(event, dict) or event.get("agent") not in lesson.seats:
            return
        agent = event["agent"]
        if event.get("do") == "sit":
            mine.sit(lesson, agent, name)
        elif event.get("do") == "invite":
            mine.invite(lesson, lesson.seats[agent].role, agent)

    open_now = lesson.player.status not in ENDED
    with Card(t("seat.seats.title")):
        Reading(seats_tree(lesson, mine.links(lesson), t, open_now), on_event=hear)
        if open_now:
            called = field("name", "text", t("seat.host.my_name"), name, maxlength=40)
            Form([called], lambda _, value: set_name(value))


def seats_tree(lesson: LiveLesson, links: list[Handed], t: Words, open_now: bool) -> Tree:
    """All seats: who sits there, and what can be done."""
    promised = {one.agent for one in links}
    asked = {one.agent for one in lesson.player.thinking if lesson.seats[one.agent].question is not None}
    rows: list[Tree] = []
    for seat in sorted(lesson.seats.values(), key=lambda seat: seat.role != "teacher"):
        who = sitter(lesson, seat.agent)
        buttons: list[Tree] = []
        if seat.occupant is None and open_now:
            # Two links for one seat would let somebody in who finds it taken.
            invite = [_button("invite", "invite_for", seat.agent, t)] if seat.agent not in promised else []
            buttons = [*invite, _button("sit", "sit_as", seat.agent, t)]
        rows.append(
            [
                "tr",
                {"key": seat.agent, "data-agent": seat.agent},
                ["th", {"scope": "row"}, ["bdi", {}, seat.agent], _role(seat.role, t)],
                ["td", {}, *_state(who, seat.agent in asked, seat.present, _alone(lesson, seat.agent, promised), t)],
                ["td", {"class": "ev-seat-buttons"}, *buttons],
            ]
        )
    return ["div", {"class": "ev-scroll"}, ["table", {"class": "ev-seats"}, ["tbody", {}, *rows]]]


def _role(role: str, t: Words) -> Tree:
    return ["span", {"class": "ev-small ev-muted"}, f" · {t('seat.seats.teacher')}"] if role == "teacher" else ""


def _alone(lesson: LiveLesson, agent: str, promised: set[str]) -> str:
    """Why nobody sits there."""
    if any(place.agent == agent for place in lesson.places):
        return "left"
    return "promised" if agent in promised else "itself"


def _state(who: Place | None, asked: bool, present: bool, alone: str, t: Words) -> list[Tree]:
    if who is None:
        return [["span", {"class": "ev-muted"}, t(f"seat.seats.{alone}")]]
    parts: list[Tree] = [["bdi", {}, person_name(who.label, t)], " "]
    if not present:
        return [*parts, chip(t("seat.seats.away"), "is-warn")]
    state = ("is-ok", "asked") if asked else ("", "here")
    return [*parts, chip(t(f"seat.seats.{state[1]}"), state[0])]


def _button(what: str, label: str, agent: str, t: Words) -> Tree:
    told = {"aria-label": t(f"seat.seats.{label}", name=agent), "on": {"do": what, "agent": agent}}
    return ["button", {"class": "ev-link", **told}, t(f"seat.seats.{what}")]


# --- links ---


@solara.component
def _Links(mine: Host, lesson: LiveLesson) -> None:
    t = use_words()
    use_live(lesson, rest=_REST)
    use_live(mine.changed)
    links = mine.links(lesson)
    actions = []
    if lesson.player.status not in ENDED:
        actions = [
            solara.Button(t("seat.links.all"), small=True, outlined=True, on_click=lambda: mine.invite_all(lesson)),
            solara.Button(
                t("seat.links.any"), small=True, outlined=True, on_click=lambda: mine.invite(lesson, "student")
            ),
            solara.Button(
                t("seat.links.look"), small=True, outlined=True, on_click=lambda: mine.invite(lesson, "researcher")
            ),
        ]

    def hear(name: str, value: Any) -> None:
        if value == "back":
            mine.take_back(lesson, name.removeprefix("back "))

    with Card(t("seat.links.title"), actions=actions):
        Reading(["p", {"class": "ev-small ev-muted"}, t("seat.links.what" if links else "seat.links.none")])
        if links and mine.reaches_here_only:
            Note(t("seat.links.here_only"), kind="warn")
        if links and mine.asks_for_no_token:
            Reading(["p", {"class": "ev-small ev-muted"}, t("seat.links.near")])
        if links:
            fields = [field for one in links for field in _link_fields(mine, lesson, one, t)]
            if len(links) > 1:
                fields.append(_all_links(mine, links, t))
            with solara.Div(classes=["ev-seat-links"]):
                Form(fields, hear, label=t("seat.links.title"))


def _link_fields(mine: Host, lesson: LiveLesson, one: Handed, t: Words) -> list[Field]:
    who = one.agent or t(f"seat.links.for_{one.role}")
    there = sitter(lesson, one.agent) if one.agent else None
    label = who
    if there is not None:
        label = f"{who} · {t('seat.links.used', name=person_name(there.label, t))}"
    elif lesson.role_of(one.token, "") is None:
        label = f"{who} · {t('seat.links.used_up')}"
    copied, back = [t("seat.links.copy"), t("seat.links.copied")], t("seat.links.back_for", name=who)
    return [
        field(f"link {one.token}", "copy", label, mine.address(one), rows=1, words=copied, width="two-thirds"),
        buttons(f"back {one.token}", ("back", t("seat.links.back"), "danger"), label=back, width="third"),
    ]


def _all_links(mine: Host, links: list[Handed], t: Words) -> Field:
    """All of them at once, a line each, for whoever hands them out."""
    lines = [f"{one.agent or t(f'seat.links.for_{one.role}')}\t{mine.address(one)}" for one in links]
    copied = [t("seat.links.copy_all"), t("seat.links.copied")]
    return {"id": "all", "kind": "copy", "label": t("seat.links.together"), "value": "\n".join(lines)} | {
        "rows": min(6, len(lines)),
        "words": copied,
    }


@solara.component
def SeatPage(desk: Desk) -> None:
    """Seat page: the seat of a person who has joined a lesson; a person with all rights holds lessons here, or sits
    down in one."""
    mine = sitting(desk)
    use_live(mine.changed)
    place = mine.place
    guest = not desk.office.rights.is_researcher(desk.browser)
    with solara.Div():
        StyleSheet("seat/seat.css")
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
