"""The learner page: a cohort is taught behind it; then each learner can be looked at, read, taught and taken away."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import solara

from eduverse_mesa.dashboard.alert_banner import kind_tree
from eduverse_mesa.dashboard.answerers import answering_of, policy_here, told_of
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Card, Choice, Form, Note, Reading, Trouble, use_words
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.learner.school import (
    MOST_BYTES,
    MOST_LEARNERS,
    MOST_VISITS,
    SAMPLED,
    Plan,
    School,
    file_name,
    usual,
    write_learner,
)
from eduverse_mesa.dashboard.pages.learner.views import (
    DialoguesPanel,
    MemoryPanel,
    PicturesPanel,
    WaysPanel,
    level,
    talk_tree,
    unit_options,
)
from eduverse_mesa.dashboard.pages.learner.work import MOST_DAYS, TABS, Asked, Bench, OwnTalk, bench_of
from eduverse_mesa.decisions.tutoring import LONGEST, TRAITS
from eduverse_mesa.scenarios.tutoring import Learner
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import titles

_GRADES = (0, 13)
_NUMBERS = ("learners", "first", "last", "visits", "seed")


@solara.component
def Choosing(desk: Desk, bench: Bench) -> None:
    """Form for a cohort to be taught, or a learner to be opened."""
    t = use_words()
    use_live(bench.changed)
    given, set_given = solara.use_state(msgspec.structs.asdict(usual(t.language)))
    plan = plan_of(given)

    def hear(name: str, value: Any) -> None:
        if name == "file":
            _open(bench, value, plan or usual(t.language), t)
        else:
            set_given({**given, name: value})

    with Card(t("learner.choose.title")):
        solara.Text(t("learner.choose.about"), classes=["ev-quiet"])
        Form(_fields(given, t), hear, label=t("learner.choose.title"))
        _Answering(desk)
        _InPlace(bench)
        if plan is None:
            Note(t("learner.choose.wrong"), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("learner.choose.teach"),
                color="primary",
                disabled=plan is None or bench.busy,
                on_click=lambda: bench.begin(plan or usual(t.language), answering_of(desk)),
            )


@solara.component
def _InPlace(bench: Bench) -> None:
    """Question whether the learner of a file shall take the place of everybody who is here."""
    t = use_words()
    use_live(bench.changed)
    asked = bench.asked
    if asked is None:
        solara.Div(classes=["ev-idle"])
        return
    talking = bench.talk is not None and not bench.talk.over
    lost = "talking" if talking else "unkept" if bench.shelf is None else "kept"
    with solara.Div(classes=["ev-stack"]):
        Note(t(f"learner.choose.in_place.{lost}", file=asked.name), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("learner.choose.in_place.open"), color="primary", on_click=lambda: bench.open(*asked))
            solara.Button(t("learner.choose.in_place.stay"), outlined=True, on_click=lambda: bench.ask_to_open(None))


def plan_of(given: dict[str, Any]) -> Plan | None:
    """Return the plan that the form describes; None if a number is missing, not whole or out of range."""
    numbers = {name: given[name] for name in _NUMBERS}
    if not all(isinstance(value, int | float) and value == int(value) for value in numbers.values()):
        return None
    said = {name: given[name] for name in ("cohort", "curriculum", "law", "arm")}
    plan: Plan = msgspec.convert({**said, **{name: int(value) for name, value in numbers.items()}}, Plan)
    fits = (
        1 <= plan.learners <= MOST_LEARNERS
        and _GRADES[0] <= plan.first <= plan.last <= _GRADES[1]
        and 1 <= plan.visits <= MOST_VISITS
        and 0 <= plan.seed < 2**31
    )
    return plan if fits else None


@solara.component
def _Answering(desk: Desk) -> None:
    """Line on who answers, and what is missing for it."""
    t = use_words()
    told = told_of(desk)
    with solara.Div(classes=["ev-row"]):
        solara.Text(t("learner.choose.answers", policy=t.code(policy_here(desk.policy))), classes=["ev-quiet"])
        with solara.Link("/settings"):
            solara.Text(t("learner.choose.settings"))
    if told:
        Note(t(f"learner.choose.{told}"), kind="warn")


def _open(bench: Bench, given: dict[str, Any], chosen: Plan, t: Words) -> None:
    size = given.get("size")
    if isinstance(size, int | float) and size > MOST_BYTES:
        bench.decline(t("learner.choose.too_large", most=f"{MOST_BYTES / 1e6:.0f}"))
    else:
        asked = Asked(given["text"], chosen, str(given["name"])[:80])
        if bench.school is None:
            bench.open(*asked)
        else:
            bench.ask_to_open(asked)


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    def select(name: str, options: list[list[str]], width: str = "third") -> Field:
        label = t(f"learner.choose.{name}")
        return {
            "id": name, "kind": "select", "label": label, "options": options, "value": given[name], "width": width,
        }  # fmt: skip

    def number(name: str, least: int, most: int) -> Field:
        label = t(f"learner.choose.{name}")
        return {
            "id": name, "kind": "number", "label": label, "value": given[name], "min": least, "max": most,
            "width": "quarter",
        }  # fmt: skip

    cohorts = [list(named) for named in titles("cohort", t).items()]
    curricula = [list(named) for named in titles("curriculum", t).items()]
    drawn = given["cohort"] == SAMPLED
    return [
        select("cohort", [*cohorts, [SAMPLED, t("learner.cohort.sampled")]]),
        select("curriculum", curricula, "two-thirds"),
        *([number("learners", 1, MOST_LEARNERS)] if drawn else []),
        number("first", *_GRADES),
        number("last", *_GRADES),
        number("visits", 1, MOST_VISITS),
        number("seed", 0, 2**31 - 1),
        select("law", [[name, t(f"learner.law.{name}")] for name in ("episodes", "ebbinghaus")], "half"),
        select("arm", [[name, t(f"learner.arm.{name}")] for name in ("full", "base")], "half"),
        {
            "id": "file",
            "kind": "file",
            "label": t("learner.choose.file"),
            "help": t("learner.choose.file_help"),
            "value": "",
            "max": MOST_BYTES,
            "accept": ".json",
        },
    ]


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
            "id": "unit", "kind": "select", "label": t("learner.talk.unit"), "options": unit_options(curriculum, t),
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
        Form(_talk_fields(bench, talk, t), hear, label=t("learner.talk.you"))
        _Trouble(bench)


@solara.component
def _Trouble(bench: Bench) -> None:
    """Message of an error in the talk, beside what was typed."""
    use_live(bench.changed)
    if bench.error is not None and bench.error_at == "talk" and not bench.busy:
        Trouble(bench.error)
    else:
        solara.Div(classes=["ev-idle"])


def about_tree(talk: OwnTalk, t: Words) -> Tree:
    """Return the tree of what the dialogue is about: what a tutor knows of the unit."""
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


def _talk_fields(bench: Bench, talk: OwnTalk, t: Words) -> list[Field]:
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
    """Return the tree of a learner's profile: traits, skills, and how far he or she has come."""
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


@solara.component
def LearnerPage(desk: Desk) -> None:
    """Learners over the years."""
    bench = bench_of(desk)
    use_live(bench.changed)
    t = use_words()

    def open_asked() -> None:
        asked, desk.to_teach = desk.to_teach, None
        if asked is not None:
            bench.open_run(*asked)

    solara.use_effect(open_asked, [])
    with solara.Div(classes=["ev-stack", "ev-learner"]):
        solara.Style(_style())
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("learner.title")])
            solara.Text(t("learner.lead"), classes=["ev-quiet"])
        Choosing(desk, bench)
        _Working(bench)
        if bench.school is not None:
            Showing(desk, bench)


@solara.component
def _Working(bench: Bench) -> None:
    """How far it is, with a way to break it off; what went wrong."""
    t = use_words()
    use_live(bench.told, rest=0.2)
    use_live(bench.changed)
    if bench.busy and bench.progress is not None:
        done, total = bench.progress
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.v.ProgressLinear(
                value=100 * done / max(total, 1),
                height=6,
                rounded=True,
                indeterminate=bench.stopping,
                attributes={"aria-label": t("learner.working")},
            )
            solara.Text(_told(done, total, t), classes=["ev-quiet"])
            solara.Button(
                t("learner.stopping" if bench.stopping else "learner.stop"),
                small=True,
                outlined=True,
                disabled=bench.stopping,
                on_click=bench.stop,
            )
    elif bench.busy:
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.Text(t("learner.working"), classes=["ev-quiet"])
    elif bench.error is not None and not (bench.error_at and bench.tab == bench.error_at):
        Trouble(bench.error)
    else:
        solara.Div(classes=["ev-idle"])


def _told(done: int, total: int, t: Words) -> str:
    return t("learner.progress", done=f"{done:,}", n=total)


@cache
def _style() -> str:
    return (files("eduverse_mesa.dashboard.pages.learner") / "learner.css").read_text(encoding="utf-8")
