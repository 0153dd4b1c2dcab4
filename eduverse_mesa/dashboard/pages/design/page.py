"""The design page: the room at the left, its parts at the right, problems above both; and its panels for files and
settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Card, Form, Note, Reading, StyleSheet, Tabs, Trouble, chip, use_words
from eduverse_mesa.dashboard.lessons.draft import TABS, Workshop, tab_of, use_workshop
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.design.fields import (
    SEEN,
    Fields,
    place,
    say,
    trail_of,
    use_seen,
)
from eduverse_mesa.dashboard.pages.design.lesson import LessonPanel
from eduverse_mesa.dashboard.pages.design.room import RoomEditor, RoomPanel, RulesPanel
from eduverse_mesa.dashboard.pages.design.students import StudentsPanel
from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.scenarios.drafts import Step
from eduverse_mesa.scenarios.drafts.documents import mapping
from eduverse_mesa.scenarios.files import MAX_BYTES
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.visualization.widgets.fields import buttons, field, head, note, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import titles


@solara.component
def FilePanel(shop: Workshop) -> None:
    """Begin with something built in, open a file, take the scenario away as one."""
    use_seen()
    t = use_words()
    with solara.Div(classes=["ev-stack"]):
        _Open(shop, t)
        _Keep(shop, t)


@solara.component
def _Open(shop: Workshop, t: Words) -> None:
    use_seen()
    pasted = solara.use_ref("")  # what was typed last is sent just before the button's own click
    kept, keep = solara.use_state("")  # what the box shows when it is drawn anew, as where a longer text is refused
    wrong, set_wrong = solara.use_state(("", ""))

    def type_in(text: str) -> None:
        pasted.current = text
        keep(text)

    def take(place: str, act: Callable[..., Any], *given: Any) -> bool:
        """Open something; what is refused of it is said where it was given."""
        done = shop.do(act, *given)
        set_wrong(("", "") if shop.refused is None else (place, say(t, shop.refused)))
        if not done:
            shop.renew(refused=None)
        return done

    def hear(field: str, value: Any) -> None:
        if field in ("scenario", "class") and value:
            take(field, shop.draft.choose, field, value)
        elif field == "file":
            take("file", open_file, shop, value)
        elif field == "pasted":
            type_in(value)
        elif field == "paste" and not pasted.current.strip():
            set_wrong(("pasted", t("design.file.nothing_pasted")))
        elif field == "paste" and take("pasted", shop.draft.open, pasted.current, t("design.file.pasted")):
            type_in("")

    Form(_ways(t, kept, *wrong), hear, label=t("design.file.open"))


def _ways(t: Words, pasted: str, place: str, refused: str) -> list[Field]:
    """Return the fields that open something: something built in, a file, a text. `refused` is said at its place."""
    shown: list[Field] = [head("open", t("design.file.open"))]
    kinds: tuple[Kind, ...] = ("scenario", "class")
    for kind in kinds:
        names = {"": t("design.file.choose"), **titles(kind, t)}
        shown.append(select(kind, t(f"design.file.{kind}"), names, "", again=True, width="half"))
    more = {"help": t("design.file.file_help"), "max": MAX_BYTES, "accept": ".yaml,.yml,.json,.txt"}
    shown += [
        field("file", "file", t("design.file.file"), "", **more),
        field("pasted", "area", t("design.file.paste"), pasted, rows=3),
        buttons("paste", ("paste", t("design.file.paste_open"), "plain")),
    ]
    return [one | {"refused": refused} if one["id"] == place else one for one in shown]


def open_file(shop: Workshop, given: dict[str, Any]) -> None:
    """Take in a file that came from the browser."""
    size = given.get("size")
    if isinstance(size, int | float) and size > MAX_BYTES:
        raise ScenarioError(
            f"the file has {size / 1e6:.1f} MB; {MAX_BYTES / 1e6:.0f} MB is the most.", mend="Shorten it."
        )
    shop.draft.open(given["text"], str(given["name"])[:80])


@solara.component
def _Keep(shop: Workshop, t: Words) -> None:
    use_seen()
    try:
        text = shop.draft.dump()
    except EduverseError as error:
        Trouble(error)
        return
    name = file_name(shop)
    shown: list[Field] = [
        head("keep", t("design.file.keep")),
        note("note", t("design.file.keep_note", name=name)),
        *([] if shop.draft.scenario else [note("wrong", t("design.file.wrong"), "warn")]),
    ]
    Form(shown, lambda *_: None, label=t("design.file.keep"))
    with solara.FileDownload(text.encode(), filename=name, mime_type="application/yaml"):
        solara.Button(t("design.file.download"), color="primary", classes=["ev-download"])
    copy: Field = field(
        "copy", "copy", t("design.file.text"), text, rows=14, words=[t("design.file.copy"), t("design.file.copied")]
    )
    Form([copy], lambda *_: None, label=t("design.file.text"))


def file_name(shop: Workshop) -> str:
    """A name for the file, of letters that any system takes."""
    name = shop.draft.get("name")
    safe = re.sub(r"[^\w-]+", "_", name if isinstance(name, str) else "", flags=re.ASCII).strip("_")[:60]
    return f"{safe or 'scenario'}.yaml"


_MOST = 6


@solara.component
def ProblemList(shop: Workshop) -> None:
    """A summary; each line leads to the field it is about."""
    use_seen()
    t = use_words()
    problems = shop.draft.problems
    if not problems:
        return

    def hear(number: Any) -> None:
        if isinstance(number, int) and 0 <= number < len(problems):
            shop.go_to(problems[number].trail)

    lines: list[list[Any]] = [
        [
            "li",
            {"key": number},
            [
                "button",
                {"on": number, "class": "ev-problem"},
                ["b", {}, t(f"design.tab.{tab_of(found.trail)}")],
                *_place(t, shop, found.trail),
                " ",
                say(t, found),
            ],
        ]
        for number, found in enumerate(problems[:_MOST])
    ]
    more = len(problems) - _MOST
    rest = [["li", {"class": "ev-muted"}, t("design.problems.more", n=more)]] if more > 0 else []
    Reading(
        [
            "section",
            {"class": "ev-note is-warn ev-problems", "aria-label": t("design.problems.title")},
            ["h2", {}, t("design.problems.title")],
            ["ul", {}, *lines, *rest],
        ],
        on_event=hear,
    )


def _place(t: Words, shop: Workshop, trail: Trail) -> list[Any]:
    where = place(t, shop.draft, trail)
    return [" ", ["span", {"class": "ev-muted"}, ["bdi", {}, where]]] if where else []


_WAIT: Trail = ("settings", "people", "wait")


@solara.component
def SettingsPanel(shop: Workshop) -> None:
    """Steps, gate, pacing, perception, memory."""
    use_seen()
    t = use_words()
    fields = Fields(shop, t)

    shown = _shown(shop, fields, t)
    shown += fields.rest(("settings",), shown)

    def hear(field: str, value: Any) -> None:
        trail = trail_of(field)
        if trail == _WAIT and value is None:  # to wait as long as it takes is something else than the usual
            people = mapping(shop.draft.document, _WAIT[:-1])
            shop.do(shop.draft.set, _WAIT[:-1], {**people, "wait": None})
            return
        value = round(value, 4) if isinstance(value, float) else value
        shop.do(shop.draft.set, trail, None if value == "" and trail == ("title",) else value)

    Form(shown, hear, label=t("design.tab.settings"))


def _shown(shop: Workshop, fields: Fields, t: Words) -> list[Field]:
    at = "settings"
    ends = {"low": t("design.settings.gate.low"), "high": t("design.settings.gate.high")}
    unlimited = {"usual": ""} if "wait" in mapping(shop.draft.document, _WAIT[:-1]) else {}
    return [
        fields.at(("title",)),
        fields.at(("name",)),
        head("lesson", t("design.settings.lesson")),
        *fields.of((at,), steps="half", floor="half"),
        *fields.of((at, "pacing"), mode="half", stretch="half"),
        head("social", t("design.settings.social")),
        fields.at((at, "gate", "threshold"), **ends),
        fields.at((at, "perception", "radius"), width="half", step=0.5),
        fields.at((at, "perception", "capacity"), width="half"),
        head("people", t("design.settings.seated")),
        fields.at(_WAIT, width="half", step=5, **unlimited),
        fields.at((at, "people", "away"), width="half", step=5),
        head("between", t("design.settings.between")),
        fields.at((at, "memory", "carry")),
        fields.at((at, "memory", "days_between"), width="half", step=0.5),
    ]


_KEYS = {
    "ctrl+z": ["tools", "undo"],
    "ctrl+shift+z": ["tools", "redo"],
    "ctrl+y": ["tools", "redo"],
}


@solara.component
def TopBar(desk: Desk, shop: Workshop) -> None:
    """Bar above the room."""
    use_seen()
    t = use_words()
    router = solara.use_router()
    history = shop.draft.history
    ready = shop.draft.scenario is not None

    def hear(_: str, what: Any) -> None:
        if what == "undo":
            shop.undo()
        elif what == "redo":
            shop.redo()
        elif what == "play" and (scenario := shop.draft.scenario) is not None:
            desk.open_classroom(scenario)
            router.push("/")

    choices = buttons(
        "tools",
        ("undo", t("design.undo"), "plain", history.last is None),
        ("redo", t("design.redo"), "plain", history.next is None),
        ("play", t("design.play"), "primary", not ready),
        label=t("design.tools"),
    )
    with solara.Div(classes=["ev-design-top"]):
        Reading(_heading(shop, t, ready))
        Form([choices], hear, shortcuts=_KEYS)
    _Said(shop)


def _heading(shop: Workshop, t: Words, ready: bool) -> list[Any]:
    title = shop.draft.get("title") or shop.draft.get("name") or t("design.untitled")
    count = len(shop.draft.problems)
    state = chip(t("design.ready"), "is-ok") if ready else chip(t("design.problems.count", n=count), "is-warn")
    return ["div", {"class": "ev-design-title"}, ["h1", {}, ["bdi", {}, str(title)[:200]]], state]


@solara.component
def _Said(shop: Workshop) -> None:
    """Message about the last edit: refused, or done."""
    use_seen()
    t = use_words()
    if shop.refused is not None:
        with solara.Div(classes=["ev-design-refused"]):
            Note(say(t, shop.refused), kind="bad")
    elif shop.listed_seats:
        Note(t("design.listed_seats"))
    else:
        text = describe(t, shop.done)
        Reading(["p", {"class": "ev-design-said", "role": "status"}, text or t("design.hint")])


def describe(t: Words, step: Step | None) -> str:
    """Return a description of an edit."""
    key = f"design.done.{step.code}" if step is not None else ""
    return t(key, **step.values) if step is not None and key in t else ""


_PANELS = {
    "room": RoomPanel,
    "students": StudentsPanel,
    "rules": RulesPanel,
    "lesson": LessonPanel,
    "settings": SettingsPanel,
    "file": FilePanel,
}


@solara.component
def DesignPage(desk: Desk) -> None:
    """A scenario, as somebody makes it."""
    shop = use_workshop(desk)
    SEEN.provide(use_live(shop.changed))
    t = use_words()
    StyleSheet("design/design.css")
    with solara.Div(classes=["ev-stack", "ev-design"]):
        TopBar(desk, shop)
        ProblemList(shop)
        with solara.Div(classes=["ev-split", "ev-design-split"]):
            RoomEditor(shop)
            with Card(classes=["ev-design-side"]):
                _Tabs(shop, t)
                with solara.Div(classes=["ev-design-panel"]).key(f"panel-{shop.tab}"):
                    _PANELS[shop.tab](shop)


@solara.component
def _Tabs(shop: Workshop, t: Words) -> None:
    use_seen()
    counts = dict.fromkeys(TABS, 0)
    for found in shop.draft.problems:
        counts[tab_of(found.trail)] += 1

    def badge(count: int) -> Tree:
        return ["span", {"class": "ev-badge", "aria-label": t("design.problems.count", n=count)}, str(count)]

    shown = {tab: [t(f"design.tab.{tab}"), *([badge(counts[tab])] if counts[tab] else [])] for tab in TABS}
    Tabs(t("design.tabs"), shown, shop.tab, shop.open_tab)
