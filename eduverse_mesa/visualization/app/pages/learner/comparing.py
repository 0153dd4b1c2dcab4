"""Two ways from here: what would have become of a learner, had it been taught this or that."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.visualization.app.answering import answering_of
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Form, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.learner.bench import Bench
from eduverse_mesa.visualization.app.pages.learner.naming import concept_name, unit_options
from eduverse_mesa.visualization.app.pages.learner.school import School
from eduverse_mesa.visualization.app.pages.learner.ways import MOST_DIALOGUES, MOST_GAP, Compared, Way
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_SIDES = ("one", "other")


@solara.component
def WaysPanel(desk: Desk, bench: Bench, school: School) -> None:
    """Choose two ways, and compare what is known after each."""
    t = use_words()
    use_live(bench.changed)
    of_grade = school.setup.curriculum.units_of(school.learner(bench.name).grade)
    first = of_grade[0].id if of_grade else ""
    given, set_given = solara.use_state(
        {"one.unit": first, "one.dialogues": 3, "one.gap": 7, "other.unit": "", "other.dialogues": 3, "other.gap": 7}
    )

    def hear(name: str, value: Any) -> None:
        if name in given:
            set_given({**given, name: value})
            return
        ways = [_way(given, side) for side in _SIDES]
        if ways[0] is not None and ways[1] is not None:
            bench.compare((ways[0], ways[1]), answering_of(desk))

    compared = bench.compared
    with solara.Div(classes=["ev-stack"]):
        solara.Text(t("learner.ways.lead"), classes=["ev-quiet"])
        off = bench.busy or any(_way(given, side) is None for side in _SIDES)
        button: Field = {
            "id": "go", "kind": "buttons", "options": [["go", t("learner.ways.go"), "primary", off]],
        }  # fmt: skip
        fields = [field for side in _SIDES for field in _side(side, given, school, t)]
        Form([*fields, button], hear, label=t("learner.tab.ways"))
        if compared is not None:
            Reading(compared_tree(compared, school, t))


def _way(given: dict[str, Any], side: str) -> Way | None:
    dialogues, gap = given[f"{side}.dialogues"], given[f"{side}.gap"]
    if not all(isinstance(one, int | float) for one in (dialogues, gap)) or dialogues != int(dialogues):
        return None
    return Way(given[f"{side}.unit"], int(dialogues), float(gap))


def _side(side: str, given: dict[str, Any], school: School, t: Words) -> list[Field]:
    units = [["", t("learner.ways.any")], *unit_options(school.setup.curriculum)]
    shown: list[Field] = [{"id": f"{side}.head", "kind": "head", "label": t(f"learner.ways.{side}")}]
    for name, kind, more in (
        ("unit", "select", {"options": units, "width": "half"}),
        ("dialogues", "number", {"min": 1, "max": MOST_DIALOGUES, "width": "quarter"}),
        ("gap", "number", {"min": 0, "max": MOST_GAP, "width": "quarter"}),
    ):
        label = t(f"learner.ways.{name}")
        shown.append({"id": f"{side}.{name}", "kind": kind, "label": label, "value": given[f"{side}.{name}"], **more})
    return shown


def compared_tree(compared: Compared, school: School, t: Words) -> Tree:
    """Mastery of every concept that either way touched, now and after each, the largest difference first."""
    title = t("learner.ways.title", name=compared.name)
    if not compared.rows:
        return ["p", {"class": "ev-muted"}, t("learner.memory.nothing")]
    columns = [
        t("learner.column.concept"),
        t("learner.ways.now"),
        t("learner.ways.one"),
        t("learner.ways.other"),
        t("learner.ways.difference"),
    ]
    head: list[Tree] = [
        ["th", {"scope": "col", **({"class": "ev-num"} if place else {})}, name] for place, name in enumerate(columns)
    ]
    lines: list[Tree] = [
        [
            "tr",
            {},
            ["th", {"scope": "row"}, concept_name(school.setup.curriculum, row.concept)],
            *(["td", {"class": "ev-num"}, f"{value:.2f}"] for value in (row.now, row.one, row.other)),
            ["td", {"class": "ev-num"}, f"{row.one - row.other:+.2f}"],
        ]
        for row in compared.rows
    ]
    table = ["table", {"aria-label": title}, ["thead", {}, ["tr", {}, *head]], ["tbody", {}, *lines]]
    scroll = {"class": "ev-scroll ev-grid", "tabindex": "0", "role": "region", "aria-label": title}
    return ["section", {}, ["p", {"class": "ev-muted ev-small"}, t("learner.ways.told")], ["div", scroll, table]]
