"""The learner that is looked at: who it is, what can be done with it, and the parts of what is shown."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.decisions.tutoring import TRAITS
from eduverse_mesa.scenarios.cohort import Learner
from eduverse_mesa.visualization.app.answering import answering_of
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Choice, Form, Note, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.learner.bench import TABS, Bench
from eduverse_mesa.visualization.app.pages.learner.comparing import WaysPanel
from eduverse_mesa.visualization.app.pages.learner.files import file_name, write_learner
from eduverse_mesa.visualization.app.pages.learner.memory import MemoryPanel
from eduverse_mesa.visualization.app.pages.learner.naming import level
from eduverse_mesa.visualization.app.pages.learner.pictures import PicturesPanel
from eduverse_mesa.visualization.app.pages.learner.reading import DialoguesPanel
from eduverse_mesa.visualization.app.pages.learner.school import School
from eduverse_mesa.visualization.app.pages.learner.talking import TalkPanel
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words


@solara.component
def Showing(desk: Desk, bench: Bench) -> None:
    """One learner of the school."""
    t = use_words()
    use_live(bench.changed)
    school = bench.school
    if school is None:
        solara.Div(classes=["ev-idle"])
        return
    with solara.Div(classes=["ev-stack"]):
        _Head(desk, bench, school, t)
        with Card(classes=["ev-learner-part"]):
            _Tabs(bench, t)
            with solara.Div(classes=["ev-stack"]).key(f"{bench.tab}-{bench.name}"):
                _panel(desk, bench, school)


def _panel(desk: Desk, bench: Bench, school: School) -> None:
    if bench.tab == "memory":
        MemoryPanel(school, bench.name)
    elif bench.tab == "pictures":
        PicturesPanel(school, bench.name)
    elif bench.tab == "dialogues":
        DialoguesPanel(school, bench.name)
    elif bench.tab == "talk":
        TalkPanel(desk, bench, school)
    else:
        WaysPanel(desk, bench, school)


@solara.component
def _Head(desk: Desk, bench: Bench, school: School, t: Words) -> None:
    use_live(bench.changed)
    content = solara.use_memo(lambda: write_learner(school, bench.name), [school, bench.name])
    with Card(t("learner.show.title", name=bench.name)):
        if len(school.names) > 1:
            Choice(t("learner.show.learner"), {name: name for name in school.names}, bench.name, bench.look_at)
        Reading(profile_tree(school, bench.name, t))
        if school.fallen:
            Note(t("learner.show.fallen", fallen=f"{school.fallen:,}", n=school.asked), kind="warn")
        if bench.tab != "talk" and bench.talk is not None and not bench.talk.over:
            Note(t("learner.talk.going_on"))
        _GoOn(desk, bench, school)
        with solara.Div(classes=["ev-row"]):
            with solara.FileDownload(content, filename=file_name(bench.name), mime_type="application/json"):
                solara.Button(t("learner.show.save"), outlined=True, classes=["ev-download"])
            solara.Text(t("learner.show.save_why"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-row"]):
            if bench.shelf is not None:
                solara.Text(t("learner.show.kept"), classes=["ev-quiet"])
            else:
                solara.Button(
                    t("learner.show.keep"),
                    outlined=True,
                    disabled=bench.busy or not school.chapters,
                    on_click=lambda: bench.keep(desk.office.study),
                )
                solara.Text(t("learner.show.keep_why"), classes=["ev-quiet"])


@solara.component
def _GoOn(desk: Desk, bench: Bench, school: School) -> None:
    """Teach everybody who is here further."""
    t = use_words()
    use_live(bench.changed)
    highest = school.setup.curriculum.grades[-1]
    upcoming = min(school.plan.last + (0 if unfinished(school) else 1), highest)
    last, set_last = solara.use_state(upcoming)
    solara.use_effect(lambda: set_last(upcoming), [school])

    def hear(name: str, value: Any) -> None:
        if name == "last":
            set_last(value)
        elif isinstance(last, int | float) and last == int(last):
            bench.go_on(int(last), answering_of(desk))

    label = t("learner.show.go_on_to")
    number = {"id": "last", "kind": "number", "label": label, "value": last, "min": school.plan.first, "max": highest}
    button = [["go", t("learner.show.go_on"), "plain", bench.busy]]
    Form(
        [{**number, "width": "quarter"}, {"id": "go", "kind": "buttons", "options": button, "width": "third"}],
        hear,
        label=t("learner.show.go_on"),
    )


def unfinished(school: School) -> bool:
    """Teaching was broken off before all of the plan was taught."""
    curriculum, plan = school.setup.curriculum, school.plan
    planned = sum(plan.visits * len(curriculum.units_of(grade)) for grade in range(plan.first, plan.last + 1))
    return any(school.keep(name).session <= planned for name in school.names)


@solara.component
def _Tabs(bench: Bench, t: Words) -> None:
    use_live(bench.changed)
    tabs: list[Tree] = [
        [
            "button",
            {
                "key": tab,
                "class": "ev-tab",
                "role": "tab",
                "aria-selected": "true" if tab == bench.tab else "false",
                "on": tab,
            },
            t(f"learner.tab.{tab}"),
        ]
        for tab in TABS
    ]
    Reading(["div", {"class": "ev-tabs", "role": "tablist", "aria-label": t("learner.tabs")}, *tabs], bench.open_tab)


def profile_tree(school: School, name: str, t: Words) -> Tree:
    """Who a learner is, in words, and how far it has come."""
    learner = school.learner(name)
    person: Learner = learner.person
    years, days = divmod(round(learner.day), 365)
    facts = [
        *((t.code(trait), level(getattr(person.traits, trait), t)) for trait in TRAITS),
        (t("learner.profile.ability"), level(person.ability, t)),
        (t("learner.profile.motivation"), level(person.motivation, t)),
        (t("learner.profile.metacognition"), t(f"learner.skill.{person.metacognition}")),
        (t("learner.profile.confidence"), level(learner.memory.confidence, t)),
        (t("learner.profile.lived"), t("learner.profile.dialogues", n=learner.memory.lived)),
        (
            t("learner.profile.now"),
            t("learner.profile.when", grade=t.ordinal(learner.grade), years=years + 1, days=days),
        ),
    ]
    told: list[Tree] = [["div", {}, ["dt", {}, what], ["dd", {"dir": "auto"}, said]] for what, said in facts]
    portrait: list[Tree] = [["p", {"dir": "auto", "class": "ev-quote"}, person.portrait]] if person.portrait else []
    return ["div", {}, *portrait, ["dl", {"class": "ev-facts"}, *told]]
