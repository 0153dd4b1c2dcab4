"""The learner page: a cohort is taught behind it; then each learner can be looked at, read, taught and taken away."""

from __future__ import annotations

from typing import Any

import msgspec
import solara

from eduverse_mesa.dashboard.alert_banner import kind_tree
from eduverse_mesa.dashboard.answerers import AnsweredBy, answering_of, policy_here
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Headline,
    Idle,
    Note,
    Reading,
    StyleSheet,
    Tabs,
    TaskBar,
    Trouble,
    facts_tree,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.learner.school import (
    MOST_BYTES,
    SAMPLED,
    School,
    SchoolPlan,
    Wish,
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
from eduverse_mesa.visualization.widgets.fields import buttons, document_fields, field, filled_in, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.labels import titles


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
        AnsweredBy(desk)
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
        Idle()
        return
    talking = bench.talk is not None and not bench.talk.over
    lost = "talking" if talking else "unkept" if bench.store is None else "kept"
    with solara.Div(classes=["ev-stack"]):
        Note(t(f"learner.choose.in_place.{lost}", file=asked.name), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(t("learner.choose.in_place.open"), color="primary", on_click=lambda: bench.open(*asked))
            solara.Button(t("learner.choose.in_place.stay"), outlined=True, on_click=lambda: bench.ask_to_open(None))


def plan_of(given: dict[str, Any]) -> SchoolPlan | None:
    """Return the plan that the form describes; None if a number is missing, not whole or out of range."""
    wish = filled_in(Wish, given)
    return None if wish is None else SchoolPlan(**wish.model_dump())


def _open(bench: Bench, given: dict[str, Any], chosen: SchoolPlan, t: Words) -> None:
    size = given.get("size")
    if isinstance(size, int | float) and size > MOST_BYTES:
        bench.refuse(t("learner.choose.too_large", most=f"{MOST_BYTES / 1e6:.0f}"))
    else:
        asked = Asked(given["text"], chosen, str(given["name"])[:80])
        if bench.school is None:
            bench.open(*asked)
        else:
            bench.ask_to_open(asked)


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    words, curricula = "learner.choose", titles("curriculum", t)
    cohorts = {**titles("cohort", t), SAMPLED: t("learner.cohort.sampled")}
    many = {"learners": "quarter"} if given["cohort"] == SAMPLED else {}
    numbers = {**many, **dict.fromkeys(("first", "last", "visits", "seed"), "quarter")}
    file = {"help": t(f"{words}.file_help"), "max": MOST_BYTES, "accept": ".json"}
    return [
        select("cohort", t(f"{words}.cohort"), cohorts, given["cohort"], width="third"),
        select("curriculum", t(f"{words}.curriculum"), curricula, given["curriculum"], width="two-thirds"),
        *document_fields(Wish, given, t, words, **numbers, law="half", arm="half"),
        field("file", "file", t(f"{words}.file"), "", **file),
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
        select("unit", t("learner.talk.unit"), unit_options(curriculum, t), unit, width="two-thirds"),
        field("days", "number", t("learner.talk.days"), days, min=0, max=MOST_DAYS, width="third"),
        buttons("begin", ("begin", t("learner.talk.begin"), "primary", bench.busy)),
    ]
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
        Idle()


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
        return [buttons("do", ("leave", t("learner.talk.again"), "plain", bench.busy))]
    told = {"help": t("learner.talk.limits", most=f"{LONGEST:,}", n=talk.left), "rows": 3}
    return [
        field(f"typed-{len(talk.lines)}", "area", t("learner.talk.you"), bench.typed, **told),
        buttons(
            "do",
            ("say", t("learner.talk.say"), "primary", bench.busy),
            ("last", t("learner.talk.last"), "plain", bench.busy),
            ("end", t("learner.talk.end"), "plain", bench.busy or not talk.lines),
            ("leave", t("learner.talk.leave"), "plain", bench.busy),
        ),
    ]


@solara.component
def Showing(desk: Desk, bench: Bench) -> None:
    """One learner of the school."""
    t = use_words()
    use_live(bench.changed)
    school = bench.school
    if school is None:
        Idle()
        return
    with solara.Div(classes=["ev-stack"]):
        _Head(desk, bench, school, t)
        with Card(classes=["ev-learner-part"]):
            Tabs(t("learner.tabs"), {tab: [t(f"learner.tab.{tab}")] for tab in TABS}, bench.tab, bench.open_tab)
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
            if bench.store is not None:
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

    grade = {"min": school.plan.first, "max": highest, "width": "quarter"}
    Form(
        [
            field("last", "number", t("learner.show.go_on_to"), last, **grade),
            buttons("go", ("go", t("learner.show.go_on"), "plain", bench.busy), width="third"),
        ],
        hear,
        label=t("learner.show.go_on"),
    )


def unfinished(school: School) -> bool:
    """Teaching was broken off before all of the plan was taught."""
    curriculum, plan = school.setup.curriculum, school.plan
    planned = sum(plan.visits * len(curriculum.units_of(grade)) for grade in range(plan.first, plan.last + 1))
    return any(school.keep(name).session <= planned for name in school.names)


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
    portrait: list[Tree] = [["p", {"dir": "auto", "class": "ev-quote"}, person.portrait]] if person.portrait else []
    return ["div", {}, *portrait, facts_tree(facts)]


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
        StyleSheet("learner/learner.css")
        Headline(t("learner.title"), t("learner.lead"))
        Choosing(desk, bench)
        TaskBar(bench, lambda now: t("learner.progress", done=f"{now.done:,}", n=now.total), elsewhere=bench.tab)
        if bench.school is not None:
            Showing(desk, bench)
