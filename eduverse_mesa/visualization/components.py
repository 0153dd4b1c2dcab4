"""Solara components of a lesson for SolaraViz and notebooks: room, talk, student and charts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.runs.tables import Tables, tables
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.frame import CURSOR
from eduverse_mesa.visualization.charts.talk import LARGE
from eduverse_mesa.visualization.frames import Stage, StudentFrame, frame, last_step, stage
from eduverse_mesa.visualization.reports.run import room_of
from eduverse_mesa.visualization.widgets.chart import ChartWidget
from eduverse_mesa.visualization.widgets.room import USUAL, RoomWidget, plain, room_labels
from eduverse_mesa.visualization.widgets.sheet import Sheet, Tree
from eduverse_mesa.visualization.words import DEFAULT, Words, load_words
from eduverse_mesa.visualization.words.labels import reason_of

__all__ = [
    "ActionZone",
    "BecOverTime",
    "Equity",
    "IrfRibbon",
    "Network",
    "PhaseBar",
    "Room",
    "StatesOverTime",
    "StudentPanel",
    "Transcript",
]

_COUNTER = "mesa.visualization.utils"
_made: WeakKeyDictionary[ClassroomModel, tuple[int, Tables]] = WeakKeyDictionary()


def follow_mesa() -> bool:
    """Draw this component again whenever SolaraViz has stepped the model; return True if Mesa's own page is there."""
    mesa = sys.modules.get(_COUNTER)
    if mesa is None:
        return False
    mesa.update_counter.get()
    return True


def tables_of(model: ClassroomModel) -> Tables:
    """The tables of this lesson up to its last complete step."""
    step = last_step(model)
    known = _made.get(model)
    if known is None or known[0] != step:
        known = _made[model] = step, tables([model])
    return known[1]


@solara.component
def Chart(title: str, spec: dict[str, Any], language: str, step: int | None = None, on_event: Any = None) -> None:
    """A chart under its title, with the mark of a step where one is looked at."""
    label = load_words(language)(f"charts.title.{title}")
    with solara.Column(gap="4px"):
        solara.Text(label, style={"font-weight": "600"})
        ChartWidget.element(spec=spec, label=label, signals={CURSOR: step or 0}, on_event=on_event)


OnEvent = Callable[[Any], None] | None
"""Hears what was clicked: {"step": 3}, {"student": "Li Wei"} or {"pair": [...]}."""


@solara.component
def BecOverTime(
    model: ClassroomModel,
    column: str = "behaviour",
    *,
    step: int | None = None,
    language: str = DEFAULT,
    on_event: OnEvent = None,
) -> None:
    """Shares of the class's behaviour, emotion or cognition, step by step."""
    follow_mesa()
    steps, words = tables_of(model).student_steps, charts.chart_words(language)
    spec = charts.bec_over_time.spec(steps, column, words=words, width="container", steps=model.settings.steps)
    Chart(f"bec_{column}", spec, language, step, on_event)


@solara.component
def IrfRibbon(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Initiation, response and feedback by step, above the phases and how they were paced."""
    follow_mesa()
    made, words = tables_of(model), charts.chart_words(language)
    spec = charts.irf_ribbon.spec(
        made.student_steps, made.teacher_steps, words=words, width="container", steps=model.settings.steps
    )
    Chart("irf", spec, language, step, on_event)


@solara.component
def Network(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Requests between students up to a step, and their outcomes; a table where the class is large."""
    follow_mesa()
    requests, names = tables_of(model).requests, tuple(student.name for student in model.students)
    if step is not None:
        requests = requests[requests["made"] <= step]
    draw = charts.request_matrix if len(names) > LARGE else charts.request_network
    spec = draw.spec(requests, names, words=charts.chart_words(language), width="container")
    Chart("network", spec, language, None, on_event)


@solara.component
def StatesOverTime(
    model: ClassroomModel,
    state: str = "attention",
    *,
    step: int | None = None,
    language: str = DEFAULT,
    on_event: OnEvent = None,
) -> None:
    """A latent state of each student, step by step."""
    follow_mesa()
    steps, words = tables_of(model).student_steps, charts.chart_words(language)
    spec = charts.state_over_time.spec(steps, state, words=words, width="container", steps=model.settings.steps)
    Chart("states", spec, language, step, on_event)


@solara.component
def Equity(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """Turns before the class and the teacher's attention, student by student, up to a step."""
    follow_mesa()
    made = tables_of(model)
    sentences, steps = made.sentences, made.student_steps
    if step is not None:
        sentences, steps = sentences[sentences["step"] <= step], steps[steps["step"] <= step]
    spec = charts.shares_of_students.spec(sentences, steps, words=charts.chart_words(language), width="container")
    Chart("equity", spec, language, None, on_event)


@solara.component
def ActionZone(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, on_event: OnEvent = None
) -> None:
    """How much the student of each seat took part up to a step."""
    follow_mesa()
    made = tables_of(model)
    steps, taught = made.student_steps, made.teacher_steps
    if step is not None:
        steps, taught = steps[steps["step"] <= step], taught[taught["step"] <= step]
    spec = charts.action_zone.spec(room_of(model), steps, taught, words=charts.chart_words(language), width="container")
    Chart("zone", spec, language, None, on_event)


_CELL_OF_MESA = 330
"""The height that the room may take of a cell of SolaraViz, in pixels; the rest is its legend."""

_AROUND = 4.0
"""Cells that are drawn around where the lesson is."""


@solara.component
def Room(
    model: ClassroomModel,
    *,
    step: int | None = None,
    language: str = DEFAULT,
    overlays: Sequence[str] = USUAL,
    selected: str = "",
    on_selected: Callable[[str], None] | None = None,
    height: int | None = None,
) -> None:
    """The room from above at the last step, or at an earlier one; no higher than `height`, in pixels."""
    room = stage(model)
    if follow_mesa() and height is None:
        height = _CELL_OF_MESA
    with solara.Div(style={"max-width": f"{round(height * _proportion(room))}px"} if height else {}):
        RoomWidget.element(
            stage=plain(room),
            frame=plain(frame(model, step)),
            overlays=list(overlays),
            labels=room_labels(language),
            selected=selected,
            on_selected=on_selected or (lambda _: None),
        )


def _proportion(room: Stage) -> float:
    """Width over height of what is drawn."""
    left, top, right, bottom = room.core
    return (right - left + _AROUND) / (bottom - top + _AROUND)


_CHAIN = ("plan", "words", "monitoring", "regulation")


@solara.component
def StudentPanel(model: ClassroomModel, student: str = "", *, step: int | None = None, language: str = DEFAULT) -> None:
    """A student of the class; one to choose where none is named."""
    follow_mesa()
    t, names = load_words(language), [one.name for one in model.students]
    chosen, choose = solara.use_state(names[0])
    name = student or (chosen if chosen in names else names[0])
    steps, words = tables_of(model).student_steps, charts.chart_words(language)
    with solara.Column(gap="8px"):
        if not student:
            solara.Select(t("charts.choose_student"), values=names, value=name, on_value=choose)
        Sheet.element(tree=_now(frame(model, step).student(name), t))
        last = model.settings.steps
        bec = charts.bec_of_student.spec(steps, name, words=words, width="container", steps=last)
        Chart("bec_of_student", bec, language, step)
        states = charts.states_of_student.spec(steps, name, words=words, width="container", steps=last)
        Chart("states_of_student", states, language, step)


def _now(one: StudentFrame, t: Words) -> Tree:
    codes = [t.code(code) for code in (one.behaviour, one.emotion, one.cognition) if code]
    chain: list[Tree] = [
        [["dt", {"class": "ev-muted ev-small"}, t(f"charts.chain.{part}")], ["dd", {}, ["bdi", {}, getattr(one, part)]]]
        for part in _CHAIN
        if getattr(one, part)
    ]
    chips = [["span", {"class": "ev-chip"}, code] for code in codes]
    return ["div", {}, ["p", {}, *chips], ["dl", {}, *(line for pair in chain for line in pair)]]


@solara.component
def Transcript(
    model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT, height: str = "320px"
) -> None:
    """Every sentence up to a step, the newest last, with a search in words, names and moves."""
    follow_mesa()
    t = load_words(language)
    wanted, set_wanted = solara.use_state("")
    said = [row for row in list(model.journal.sentences) if step is None or row.step <= step]
    with solara.Column(gap="4px"):
        solara.InputText(t("charts.search"), value=wanted, on_value=set_wanted, continuous_update=True)
        with solara.Div(style={"height": height, "overflow": "auto"}):
            Sheet.element(tree=["ol", {"aria-label": t("charts.transcript")}, *_lines(said, wanted.casefold(), t)])


def _lines(said: list[SentenceRow], wanted: str, t: Words) -> Iterator[Tree]:
    found = 0
    for number, row in enumerate(said):
        move = t.code(row.move) if row.move and row.move != "none" else ""
        if wanted and not any(wanted in text.casefold() for text in (row.text, row.speaker, move)):
            continue
        found += 1
        quiet = {} if row.channel == "class" else {"class": "ev-muted"}
        line: Tree = ["li", {"key": number, **quiet}, ["small", {"class": "ev-muted"}, f"{row.step} "]]
        line += [["b", {}, ["bdi", {}, row.speaker]], " ", ["bdi", {}, row.text]]
        yield [*line, " ", ["em", {"class": "ev-muted ev-small"}, move]] if move else line
    if not found:
        yield ["li", {"key": "none", "class": "ev-muted"}, t("charts.nothing_found" if said else "charts.no_steps_yet")]


@solara.component
def PhaseBar(model: ClassroomModel, *, step: int | None = None, language: str = DEFAULT) -> None:
    """The phases of the lesson, which of them it is in, what the teacher does, and why it goes on or stays."""
    follow_mesa()
    t, now = load_words(language), frame(model, step)
    phases: list[Any] = []
    for phase in model.state.phases:
        here = phase.name == now.phase
        marks = {"class": "ev-chip ok", "aria-current": "step"} if here else {"class": "ev-chip"}
        phases += [["b" if here else "span", marks, t.code(phase.name)], " "]
    doing = f"{now.teacher.name}: {t.code(now.teacher.act)}" if now.teacher.act else ""
    pace = f"{t.code(now.pacing)}: {reason_of(now.pacing_reason, t)}" if now.pacing_reason else t.code(now.pacing)
    place = t("charts.at_step", step=now.step, steps=max(now.steps, now.step))
    tree = ["div", {}, ["p", {}, ["b", {}, place], " ", *phases], ["p", {}, ["bdi", {}, doing]]]
    Sheet.element(tree=[*tree, ["p", {"class": "ev-muted ev-small"}, pace]])
