"""The charts of the classroom page: its tabs, and the charts of each with their titles.

A new chart is drawn by a function of a module beside this one, or of this one, and stands in its tab's list. The titles
are the `charts` of `words/en/classroom.yaml` and `words/zh/classroom.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from eduverse_mesa.runs.tables import Tables
from eduverse_mesa.visualization.charts.states import bec_by_student, bec_of_student, bec_over_time, state_over_time
from eduverse_mesa.visualization.charts.talk import (
    irf_ribbon,
    lorenz_curve,
    request_matrix,
    request_network,
    shares_of_students,
)
from eduverse_mesa.visualization.words import Words

Titled = tuple[str, dict[str, Any]]
"""The title of a chart, and its Vega-Lite."""


class Shown(NamedTuple):
    """A lesson as it is charted: its tables, how many steps it has, the student who is chosen, and the words."""

    made: Tables
    steps: int
    student: str
    t: Words

    @property
    def look(self) -> dict[str, Any]:
        """What all charts of a page take: their words and their width."""
        return {"words": self.t.under("codes", "charts"), "width": "container"}

    @property
    def names(self) -> list[str]:
        """The students in the order of the class."""
        return list(dict.fromkeys(self.made.student_steps["student"].tolist()))


def _time(shown: Shown) -> Iterator[Titled]:
    rows, steps, look = shown.made.student_steps, shown.steps, shown.look
    for column in ("behaviour", "emotion", "cognition"):
        yield shown.t.code(column), bec_over_time.spec(rows, column, steps=steps, **look)
    if shown.student in shown.names:
        yield shown.student, bec_of_student.spec(rows, shown.student, steps=steps, **look)


def _discourse(shown: Shown) -> Iterator[Titled]:
    rows, taught = shown.made.student_steps, shown.made.teacher_steps
    yield shown.t("classroom.charts.moves"), irf_ribbon.spec(rows, taught, steps=shown.steps, **shown.look)
    yield shown.t.code("behaviour"), bec_by_student.spec(rows, "behaviour", **shown.look)


def _network(shown: Shown) -> Iterator[Titled]:
    requests, names = shown.made.requests, shown.names
    yield shown.t("classroom.charts.network"), request_network.spec(requests, names, **shown.look)
    yield shown.t("classroom.person.requests"), request_matrix.spec(requests, names, **shown.look)


def _equity(shown: Shown) -> Iterator[Titled]:
    sentences, rows = shown.made.sentences, shown.made.student_steps
    yield shown.t("classroom.charts.equity"), shares_of_students.spec(sentences, rows, **shown.look)
    yield shown.t("classroom.charts.lorenz"), lorenz_curve.spec(sentences, rows, **shown.look)


def _states(shown: Shown) -> Iterator[Titled]:
    rows = shown.made.student_steps
    for state in ("attention", "understanding", "confidence", "affect"):
        yield shown.t.code(state), state_over_time.spec(rows, state, steps=shown.steps, **shown.look)


TABS: Mapping[str, Callable[[Shown], Iterator[Titled]]] = {
    "time": _time,
    "discourse": _discourse,
    "network": _network,
    "equity": _equity,
    "states": _states,
}
"""The tabs of the page in their order, by their names in the words."""
