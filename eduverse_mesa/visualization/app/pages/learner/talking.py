"""Somebody here is the tutor: choose a unit, type what you say, hear what the learner answers."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.decisions.tutoring import LONGEST
from eduverse_mesa.visualization.app.alarms import kind_tree
from eduverse_mesa.visualization.app.answering import answering_of, policy_here
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Form, Note, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.learner.bench import Bench
from eduverse_mesa.visualization.app.pages.learner.naming import unit_options
from eduverse_mesa.visualization.app.pages.learner.reading import talk_tree
from eduverse_mesa.visualization.app.pages.learner.school import School
from eduverse_mesa.visualization.app.pages.learner.talk import MOST_DAYS, OwnTalk
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words


@solara.component
def TalkPanel(desk: Desk, bench: Bench, school: School) -> None:
    """A dialogue of one's own."""
    t = use_words()
    use_live(bench.changed)
    talk = bench.talk
    with solara.Div(classes=["ev-stack"]):
        solara.Text(t("learner.talk.lead"), classes=["ev-quiet"])
        if policy_here(desk.policy) == "embedded":
            Note(t("learner.talk.embedded"))
        if talk is None:
            _Beginning(desk, bench, school)
        else:
            _Going(desk, bench, school, talk)


@solara.component
def _Beginning(desk: Desk, bench: Bench, school: School) -> None:
    t = use_words()
    use_live(bench.changed)
    curriculum = school.setup.curriculum
    of_grade = curriculum.units_of(school.learner(bench.name).grade)
    unit, set_unit = solara.use_state(of_grade[0].id if of_grade else next(iter(curriculum.units)))
    days, set_days = solara.use_state(0)

    def hear(name: str, value: Any) -> None:
        if name == "unit":
            set_unit(value)
        elif name == "days":
            set_days(value)
        elif isinstance(days, int | float):
            bench.sit_down(unit, int(days), answering_of(desk))

    fields: list[Field] = [
        {
            "id": "unit", "kind": "select", "label": t("learner.talk.unit"), "options": unit_options(curriculum),
            "value": unit, "width": "two-thirds",
        },
        {
            "id": "days", "kind": "number", "label": t("learner.talk.days"), "value": days, "min": 0,
            "max": MOST_DAYS, "width": "third",
        },
        {"id": "begin", "kind": "buttons", "options": [["begin", t("learner.talk.begin"), "primary", bench.busy]]},
    ]  # fmt: skip
    Form(fields, hear, label=t("learner.tab.talk"))
    _Trouble(bench)


@solara.component
def _Going(desk: Desk, bench: Bench, school: School, talk: OwnTalk) -> None:
    t = use_words()
    alerts = desk.office.alerts
    use_live(bench.changed)
    use_live(alerts.changed)

    def hear(name: str, value: Any) -> None:
        if name.startswith("typed"):
            bench.typed = value
        elif value == "leave":
            bench.leave()
        elif value == "end":
            bench.end()
        else:
            bench.say(last=value == "last")

    with solara.Div(classes=["ev-stack"]):
        Reading(about_tree(talk, t))
        if talk.lines:
            Reading(talk_tree(talk.lines, talk.name, school, t, follow=True))
        if alerts.told_in(talk):
            Reading(kind_tree(alerts.adult, t, "kept_here" if talk.kept_out else ""))
        if talk.over:
            Note(t("learner.talk.remembered"), kind="ok")
        Form(_fields(bench, talk, t), hear, label=t("learner.talk.you"))
        _Trouble(bench)


@solara.component
def _Trouble(bench: Bench) -> None:
    """What went wrong in the talk, beside what was typed."""
    use_live(bench.changed)
    if bench.error is not None and bench.error_at == "talk" and not bench.busy:
        Trouble(bench.error)
    else:
        solara.Div(classes=["ev-idle"])


def about_tree(talk: OwnTalk, t: Words) -> Tree:
    """What the dialogue is about: what a tutor knows of the unit."""
    unit = talk.unit
    questions: list[Tree] = [["li", {"dir": "auto"}, item.ask] for item in unit.items]
    return [
        "details",
        {"open": not talk.lines, "key": unit.id},
        ["summary", {}, t("learner.talk.about", grade=t.ordinal(unit.grade))],
        ["p", {"dir": "auto"}, unit.idea],
        ["p", {"class": "ev-muted ev-small"}, t("learner.talk.questions")],
        ["ul", {"class": "ev-ways"}, *questions],
    ]


def _fields(bench: Bench, talk: OwnTalk, t: Words) -> list[Field]:
    if talk.over:
        return [{"id": "do", "kind": "buttons", "options": [["leave", t("learner.talk.again"), "plain", bench.busy]]}]
    buttons = [
        ["say", t("learner.talk.say"), "primary", bench.busy],
        ["last", t("learner.talk.last"), "plain", bench.busy],
        ["end", t("learner.talk.end"), "plain", bench.busy or not talk.lines],
        ["leave", t("learner.talk.leave"), "plain", bench.busy],
    ]
    return [
        {
            "id": f"typed-{len(talk.lines)}",
            "kind": "area",
            "label": t("learner.talk.you"),
            "help": t("learner.talk.limits", most=f"{LONGEST:,}", n=talk.left),
            "value": bench.typed,
            "rows": 3,
        },
        {"id": "do", "kind": "buttons", "options": buttons},
    ]
