"""The classroom page: the lesson that is chosen, the room, and beside it the talk, a person's thoughts, and the
numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Note,
    Opener,
    Panel,
    Picture,
    Reading,
    Titles,
    Trouble,
    chart_words,
    chip,
    use_words,
)
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.dashboard.lessons.view import Now, SeenRoom, Transcript
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.people import Student, Traits
from eduverse_mesa.visualization.charts import states_of_student
from eduverse_mesa.visualization.charts.classroom import TABS, Shown
from eduverse_mesa.visualization.charts.states import STATES
from eduverse_mesa.visualization.frames import Exchange, Frame, StudentFrame
from eduverse_mesa.visualization.widgets.fields import buttons, field, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words, run_on
from eduverse_mesa.visualization.words.labels import reason_of, title_of, titles
from eduverse_mesa.vocabulary import GROUNDS

__all__ = ["ClassroomPage"]

_PARTS: tuple[Kind, ...] = ("layout", "lesson", "class")
_DIGITS = 18
_PANEL = "ev-choosing"


@solara.component
def LessonBar(desk: Desk, lesson: ClassroomLesson) -> None:
    """Title of the lesson that is played, with the way to change it."""
    t = use_words()
    use_live(lesson.begun)
    choosing, set_choosing = solara.use_state(False)
    spec = lesson.player.run.spec
    title = title_of("lesson", spec.scenario.lessons[0], t)
    with solara.Div(classes=["ev-stack"]):  # one part always, so that nothing of it is made anew as the panel comes
        with solara.Div(classes=["ev-row", "ev-headline"]):
            Titles(
                title,
                f"{title_of('layout', spec.scenario.layout, t)} · {t('classroom.lesson.seed')} {spec.seed}"
                f" · {t.code(spec.policy)}",
            )
            with solara.Div(classes=["ev-actions", "ev-end"]):
                solara.Button(
                    t("classroom.lesson.begin"),
                    outlined=True,
                    on_click=lambda: lesson.begin_anew(desk.policy, desk.llm),
                )
                _Keep(desk, lesson)
                Opener(t("classroom.lesson.change"), _PANEL, choosing, set_choosing)
        if choosing:
            with Panel(_PANEL):
                _Choosing(desk, lesson, lambda: set_choosing(False))


@solara.component
def _Keep(desk: Desk, lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved, rest=0.3)
    if lesson.player.study or lesson.kept:
        solara.Text(t("classroom.lesson.kept", run=lesson.kept or lesson.player.run.id), classes=["ev-quiet"])
    else:
        solara.Button(t("classroom.lesson.keep"), outlined=True, on_click=lambda: lesson.keep(desk.office.study))


@solara.component
def _Choosing(desk: Desk, lesson: ClassroomLesson, done: Any) -> None:
    t = use_words()
    own, here = t("classroom.lesson.own"), lesson.scenario.name
    scenario, set_scenario = solara.use_state(here if here in titles("scenario", t) else desk.first_scenario)
    parts, set_parts = solara.use_state(dict.fromkeys(_PARTS, ""))
    seed, set_seed = solara.use_state(str(lesson.player.run.spec.seed))
    error, set_error = solara.use_state(None)
    wrong_seed, set_wrong_seed = solara.use_state("")

    def begin() -> None:
        fits = seed.strip().isascii() and seed.strip().isdecimal() and len(seed.strip()) <= _DIGITS
        set_wrong_seed("" if fits else t("classroom.lesson.bad_seed"))
        if not fits:
            return
        layout, taught, students = (parts[part] or None for part in _PARTS)
        try:
            loaded = load_scenario(scenario, layout=layout, lesson=taught, students=students)
        except EduverseError as trouble:
            set_error(trouble)
            return
        set_error(None)
        lesson.begin(loaded, int(seed), desk.policy, desk.llm)
        if lesson.error is None:
            done()

    about = t("classroom.lesson.seed_help")
    fields: list[Field] = [
        _choice("scenario", t, titles("scenario", t), scenario),
        *(_choice(part, t, {"": own, **titles(part, t)}, parts[part]) for part in _PARTS),
        field("seed", "text", t("classroom.lesson.seed"), seed, error=wrong_seed, width="third", help=about),
        buttons("begin", ("begin", t("classroom.lesson.begin_this"), "primary")),
    ]

    def hear(name: str, value: Any) -> None:
        if name == "begin":
            begin()
        elif name == "seed":
            set_seed(value)
        elif name == "scenario":
            set_scenario(value)
        else:
            set_parts({**parts, name: value})

    with Card(t("classroom.lesson.what")):
        Form(fields, hear, label=t("classroom.lesson.what"))
        if error is not None:
            Trouble(error)


def _choice(name: str, t: Words, names: Mapping[str, str], value: str) -> Field:
    return select(name, t(f"classroom.lesson.{name}"), names, value, width="third")


_REST = 0.5
"""Seconds between two drawings of charts: they may lag a little behind the room."""


@solara.component
def Numbers(lesson: ClassroomLesson) -> None:
    """Charts, one kind at a time."""
    t = use_words()
    tab, set_tab = solara.use_state(next(iter(TABS)))
    chosen = [
        solara.Button(
            t(f"classroom.charts.{name}"),
            small=True,
            text=True,
            classes=["ev-tab", "on"] if name == tab else ["ev-tab"],
            attributes={"aria-pressed": str(name == tab).lower()},
            on_click=lambda name=name: set_tab(name),
        )
        for name in TABS
    ]
    with Card(t("classroom.charts.title"), actions=chosen):
        _Tab(lesson, tab).key(tab)


@solara.component
def _Tab(lesson: ClassroomLesson, tab: str) -> None:
    t = use_words()
    use_live(lesson.moved, rest=_REST)
    use_live(lesson.chosen)
    made, shot = lesson.counted(), lesson.shot
    if made is None or shot is None:
        return

    def hear(event: Any) -> None:
        if isinstance(event, dict) and isinstance(event.get("step"), int):
            lesson.seek(event["step"] + lesson.at - shot.step)
        elif isinstance(event, dict) and isinstance(event.get("student"), str):
            lesson.select(event["student"])

    with solara.Div(classes=["ev-halves"]):
        for name, spec in TABS[tab](Shown(made, shot.frame.steps, lesson.selected, t)):
            with solara.Div(classes=["ev-figure"]):
                solara.Text(name, classes=["ev-figure-title"])
                Picture(spec, label=name, signals={"cursor": shot.step}, on_event=hear).key(name)


_BELOW_ZERO = "affect"
"""Goes from -1 to 1."""
_CHART_REST = 0.7
_ANSWERS = frozenset({"answer_question", "stand_answer"})
_TOLD = frozenset({"claim", "evidence"})
"""Moves that show what somebody knows of the lesson: what is said of anything else is not marked as known."""


@solara.component
def Person(lesson: ClassroomLesson) -> None:
    """The chosen student."""
    t = use_words()
    use_live(lesson.chosen)
    names = [student.name for student in lesson.player.run.spec.scenario.roll.students]
    with Card(t("classroom.person.title")):
        shown = {"": t("classroom.person.nobody"), **{name: name for name in names}}
        Choice(t("classroom.person.choose"), shown, lesson.selected, lesson.select)
        if lesson.selected in names:
            _Step(lesson).key(lesson.selected)
            _Course(lesson).key(f"course-{lesson.selected}")


@solara.component
def _Step(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    shot = lesson.shot
    if shot is None or not lesson.selected:
        return
    person = next(one for one in lesson.player.run.spec.scenario.roll.students if one.name == lesson.selected)
    seen = shot.frame.student(lesson.selected)
    earlier = [
        (one.step, one.frame.student(lesson.selected))
        for one in lesson.film.shots[max(0, lesson.at - 3) : lesson.at]
        if one.step and one.lesson == shot.lesson
    ]
    remembered = _remembered(lesson, shot.lesson)
    Reading(
        [
            "div",
            {"class": "ev-person"},
            _profile(person, t),
            chain_tree(shot.frame, seen, t)
            if shot.step
            else ["p", {"class": "ev-muted"}, t("classroom.person.before")],
            _state(seen, t),
            _requests(shot.frame, seen.name, t),
            _memory(earlier, remembered, t),
        ]
    )


def _remembered(lesson: ClassroomLesson, number: int) -> Any:
    with lesson.player.still() as run:
        model = run.lessons[number - 1].model
        return model.classmates[lesson.selected].remembered


@solara.component
def _Course(lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved, rest=_CHART_REST)
    made = lesson.counted()
    shot = lesson.shot
    if made is not None and shot is not None and len(made.student_steps) and lesson.selected:
        Picture(
            states_of_student.spec(
                made.student_steps, lesson.selected, words=chart_words(t), width="container", steps=shot.frame.steps
            ),
            label=t("classroom.charts.attention_of", name=lesson.selected),
            signals={"cursor": shot.step},
        )


def _profile(person: Student, t: Words) -> Tree:
    traits = [
        [
            "div",
            {},
            ["span", {}, t.code(name)],
            _bar(getattr(person.traits, name)),
            f"{getattr(person.traits, name):.2f}",
        ]
        for name in Traits.model_fields
    ]
    portrait = run_on(person.portrait.model_dump().values())
    codes = (person.gender, person.role, person.thinking, person.cognitive_style)
    facts = " · ".join([str(person.age), *map(t.code, codes)])
    return [
        "details",
        {"key": "profile"},
        ["summary", {}, ["b", {"dir": "auto"}, person.name], ["span", {"class": "ev-muted ev-small"}, f"  {facts}"]],
        ["p", {"class": "ev-small", "dir": "auto"}, portrait],
        ["div", {"class": "ev-bars"}, *traits],
    ]


def _perceived(frame: Frame, seen: StudentFrame, t: Words) -> list[str]:
    """Return names of what a student perceives: people by their names, things as they are called here (`table A`: the
    word, and A)."""
    people = {frame.teacher.name, *(student.name for student in frame.students)}
    told = []
    for name in seen.perceived:
        thing, _, mark = name.rpartition(" ")
        if name in people:
            told.append(name)
        else:
            told.append(f"{t.code(thing)} {mark}" if thing and len(mark) == 1 else t.code(name))
    return told


def _bar(value: float) -> Tree:
    return ["span", {"class": "ev-bar", "aria-hidden": "true"}, ["span", {"v": max(0.0, min(1.0, value))}]]


def chain_tree(frame: Frame, seen: StudentFrame, t: Words) -> Tree:
    """perceive, gate, plan, words, monitor, feedback, regulate: one step of one student."""
    nothing = t("classroom.person.nothing")
    felt = t.listed([t.code(seen.emotion), t.code(seen.cognition)]) if seen.emotion else ""
    did = t.code(seen.behaviour) + (t.aside(t.code(seen.to)) if seen.to else "") if seen.behaviour else nothing
    feedback = [item for item in frame.teacher.feedback if item.student == seen.name]
    quoted = f"“{seen.words}”" if seen.words else nothing
    rows = [
        _link("perceive", t.names(_perceived(frame, seen, t)) or nothing, "", t),
        _link(
            "gate",
            t("classroom.person.request_from", name=seen.gate) if seen.gate else t("classroom.person.gate_none"),
            "",
            t,
        ),
        _link("plan", did, seen.plan, t),
        _link("words", quoted, t.code(seen.recall) if _shows_knowledge(frame, seen) else "", t),
        _link("monitor", felt or nothing, seen.monitoring, t),
        _link(
            "feedback",
            t.code(seen.feedback) if seen.feedback else nothing,
            run_on(item.words for item in feedback),
            t,
        ),
        _link("regulate", t.code(seen.strategy) if seen.strategy else nothing, seen.regulation, t),
    ]
    source = t.told(t("classroom.person.answered_by"), t.code(seen.source)) if seen.source else ""
    if seen.model:
        source += f" · {t.told(t('classroom.person.model'), seen.model)}"
    return [
        "div",
        {},
        [
            "h3",
            {"class": "ev-h3"},
            t("classroom.person.chain"),
            ["span", {"class": "ev-muted ev-small", "dir": "auto"}, f"  {source}"],
        ],
        ["ol", {"class": "ev-chain"}, *rows],
    ]


def _shows_knowledge(frame: Frame, seen: StudentFrame) -> bool:
    """Return True if a student spoke of the lesson, so that one can hear how much of it is known."""
    if not seen.words or seen.recall in ("", "none"):
        return False
    moves = {said.move for said in frame.sentences if said.speaker == seen.name}
    return seen.behaviour in _ANSWERS or not moves.isdisjoint(_TOLD)


def _link(stage: str, what: str, more: str, t: Words) -> Tree:
    return [
        "li",
        {},
        ["span", {"class": "ev-stage"}, t(f"classroom.person.{stage}")],
        ["div", {}, ["span", {"dir": "auto"}, what], ["p", {"class": "ev-muted", "dir": "auto"}, more] if more else ""],
    ]


def _state(seen: StudentFrame, t: Words) -> Tree:
    rows = []
    for name in STATES:
        value = getattr(seen, name)
        if value is not None:
            share = (value + 1.0) / 2.0 if name == _BELOW_ZERO else value
            rows.append(["div", {}, ["span", {}, t.code(name)], _bar(share), f"{value:.2f}"])
    return [
        "details",
        {"key": "state", "open": True},
        ["summary", {}, t("classroom.person.state")],
        ["div", {"class": "ev-bars"}, *rows],
    ]


def _requests(frame: Frame, name: str, t: Words) -> Tree:
    rows = [_request(one, name, t) for one in frame.exchanges if name in (one.sender, one.receiver)]
    if not rows:
        return ""
    head = ["h3", {"class": "ev-h3"}, t("classroom.person.requests")]
    return ["div", {}, head, ["ul", {"class": "ev-requests"}, *rows]]


def _request(one: Exchange, name: str, t: Words) -> Tree:
    other = (
        t("classroom.person.request_to", name=one.receiver)
        if name == one.sender
        else t("classroom.person.request_from", name=one.sender)
    )
    kind = {"accepted": "is-ok", "rejected": "is-bad"}.get(one.status, "")
    scores = [
        [
            "li",
            {},
            ["span", {"class": "ev-factor"}, t.code(factor)],
            _bar(score / 100),
            ["span", {"class": "ev-num"}, f"{score:.0f} × {weight:.2f}"],
            ["span", {"class": "ev-muted", "dir": "auto"}, reason] if reason else "",
        ]
        for factor, score, weight, reason in zip(
            GROUNDS, one.scores, one.weights, one.reasons or ("",) * 5, strict=False
        )
    ]
    willing = f" · {t('classroom.person.intention', value=f'{one.intention:.2f}')}" if one.intention is not None else ""
    return [
        "li",
        {},
        chip(t.code(one.status), kind),
        ["span", {}, f" {other} · {t.code(one.kind)}{willing}"],
        ["p", {"class": "ev-muted", "dir": "auto"}, one.text],
        ["p", {"class": "ev-small"}, reason_of(one.reason, t)] if one.reason else "",
        ["ul", {"class": "ev-factors"}, *scores] if scores else "",
    ]


def _memory(earlier: list[tuple[int, StudentFrame]], remembered: Any, t: Words) -> Tree:
    lately = [
        ["li", {}, ["b", {}, f"{step}. "], t.code(one.behaviour), t.told("", one.monitoring) if one.monitoring else ""]
        for step, one in reversed(earlier)
    ]
    before: list[Tree] = []
    if remembered is not None:
        told = (remembered.summary, remembered.portrait, remembered.regulation, remembered.evaluation)
        before = [
            ["p", {"class": "ev-muted ev-small"}, t("classroom.person.remembered")],
            *(["p", {"dir": "auto"}, text] for text in told if text),
        ]
    if not lately and not before:
        return ""
    return [
        "details",
        {"key": "memory"},
        ["summary", {}, t("classroom.person.memory")],
        *before,
        ["p", {"class": "ev-muted ev-small"}, t("classroom.person.lately")] if lately else "",
        ["ul", {}, *lately],
    ]


@solara.component
def ClassroomPage(desk: Desk) -> None:
    """A lesson, seen from above."""
    lesson = classroom_lesson(desk)
    count = use_live(lesson.begun)
    solara.use_effect(lambda: lesson.follow(desk.policy, desk.llm), [])
    with solara.Div(classes=["ev-stack"]):
        LessonBar(desk, lesson)
        _Mishap(desk, lesson)
        with solara.Div(classes=["ev-split"]):
            with solara.Div(classes=["ev-stack"]):
                SeenRoom(lesson).key(f"room-{count}")
                Now(lesson)
                Numbers(lesson).key(f"numbers-{count}")
            with solara.Div(classes=["ev-stack"]):
                Transcript(lesson).key(f"transcript-{count}")
                Person(lesson).key(f"person-{count}")


@solara.component
def _Mishap(desk: Desk, lesson: ClassroomLesson) -> None:
    t = use_words()
    use_live(lesson.moved)
    answering = lesson.player.run.spec.policy
    with solara.Div(classes=["ev-stack"]):
        if lesson.broken:
            solara.Button(t("classroom.lesson.go_on"), color="primary", on_click=lesson.go_on)
        if lesson.error is not None:
            Trouble(lesson.error)
        if lesson.barred:
            Note(t("classroom.lesson.barred", chosen=t.code(desk.policy), now=t.code(answering)), kind="warn")
            with solara.Div(classes=["ev-row"]):
                solara.Button(t("classroom.lesson.keep_to_it"), outlined=True, on_click=lesson.keep_to_it)
