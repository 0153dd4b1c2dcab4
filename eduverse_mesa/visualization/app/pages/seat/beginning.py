"""Beginning a live lesson: which one, and how long it waits for a person."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Form, Note, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.lessons.host import Host
from eduverse_mesa.visualization.app.lessons.lesson import classroom_lesson
from eduverse_mesa.visualization.app.lessons.workshop import use_workshop
from eduverse_mesa.visualization.app.pages.seat.seat import notice_tree
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.titles import titles

_CLASSROOM, _DRAFT, _BUILT_IN = "classroom", "draft", "scenario "
_USUAL: dict[str, Any] = {"source": f"{_BUILT_IN}first_lesson", "wait": 60, "long": True, "seed": 1}


@solara.component
def Beginning(desk: Desk, mine: Host) -> None:
    """The form with which a live lesson is begun."""
    t = use_words()
    given, set_given = solara.use_state(_USUAL)
    error, set_error = solara.use_state(None)

    def begin() -> None:
        if given["seed"] is None or given["seed"] < 0 or (given["wait"] is None and not given["long"]):
            set_error(t("seat.begin.numbers"))
            return
        set_error(None)
        try:
            scenario = _scenario(desk, given["source"])
        except EduverseError as trouble:
            set_error(trouble)
            return
        if scenario is None:
            set_error(t("seat.begin.unfinished"))
            return
        wait = None if given["long"] else given["wait"]
        mine.begin(scenario, int(given["seed"]), {**desk.llm, "people.wait": wait})

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
    sources = [[_CLASSROOM, t("seat.begin.classroom")], [_DRAFT, t("seat.begin.draft")]]
    sources += [[_BUILT_IN + name, title] for name, title in titles("scenario", t).items()]
    long: Field = {
        "id": "long",
        "kind": "check",
        "label": t("seat.begin.long"),
        "value": given["long"],
        "width": "half",
    }
    waits: Field = {"id": "wait", "kind": "number", "label": t("seat.begin.wait"), "value": given["wait"], "min": 1}
    waits |= {"step": 1, "width": "half", "help": t("seat.begin.wait_help")}
    return [
        {
            "id": "source",
            "kind": "select",
            "label": t("seat.begin.source"),
            "options": sources,
            "value": given["source"],
        }
        | {"width": "half"},
        {"id": "seed", "kind": "number", "label": t("seat.begin.seed"), "value": given["seed"], "min": 0, "step": 1}
        | {"width": "half"},
        long,
        *([] if given["long"] else [waits]),
        {"id": "begin", "kind": "buttons", "options": [["begin", t("seat.begin.go"), "primary", False]]},
    ]


def _scenario(desk: Desk, source: str) -> Scenario | None:
    if source == _CLASSROOM:
        return classroom_lesson(desk).scenario
    if source == _DRAFT:
        return use_workshop(desk).draft.scenario
    return load_scenario(source.removeprefix(_BUILT_IN))
