"""One student: what it does, thinks and says in a step, and how it fared so far."""

from __future__ import annotations

import solara

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.components.live import Chart, follow_mesa, tables_of
from eduverse_mesa.visualization.frames import StudentFrame, frame
from eduverse_mesa.visualization.widgets.sheet import Sheet, Tree
from eduverse_mesa.visualization.words import DEFAULT, Words, load_words

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
