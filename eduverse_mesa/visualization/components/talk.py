"""What is said in a lesson, and where the lesson is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.journal import SentenceRow
from eduverse_mesa.visualization.components.live import follow_mesa
from eduverse_mesa.visualization.frames import frame
from eduverse_mesa.visualization.widgets.sheet import Sheet, Tree
from eduverse_mesa.visualization.words import DEFAULT, Words, load_words
from eduverse_mesa.visualization.words.reasons import reason_of


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
