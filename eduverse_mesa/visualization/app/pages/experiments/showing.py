"""What an experiment found: statements, errors, a picture and a table at a time."""

from __future__ import annotations

from collections.abc import Callable

import solara

from eduverse_mesa.experiments.papers.findings import Findings
from eduverse_mesa.experiments.papers.running import Plan, Progress
from eduverse_mesa.visualization.app.kit import Card, Choice, Note, Picture, Reading, use_words
from eduverse_mesa.visualization.experiments import (
    errors_grid,
    figures_of,
    real_grid,
    statements_grid,
    table_grid,
)
from eduverse_mesa.visualization.experiments.report import facts_of, notes_grid, warning_of
from eduverse_mesa.visualization.page import Table
from eduverse_mesa.visualization.widgets.sheet import Tree

_MARKS = {"yes": "is-ok", "unsure": "is-warn", "no": "is-bad"}


@solara.component
def Showing(found: Findings, plan: Plan, progress: Progress, failure: str) -> None:
    """All of it, an experiment at a time."""
    t = use_words()
    numbers = [str(one.number) for one in found.experiments]
    chosen, choose = solara.use_state(numbers[0])
    number = chosen if chosen in numbers else numbers[0]
    part = solara.use_memo(
        lambda: found.of(next(one for one in found.experiments if str(one.number) == number)), [found, number]
    )
    with solara.Div(classes=["ev-stack"]):
        _Head(numbers, number, choose, plan, progress, failure, part.answers)
        if progress.done == 0:
            Note(t("experiments.nothing_yet"))
            return
        if part.judged:
            lead = t("experiments.section.statements_lead", seeds=plan.seeds)
            _Grid(t("experiments.section.statements"), lead, statements_grid(part.judged, t))
        _Pictures(part).key(f"pictures-{number}")
        _Grid(t("experiments.section.errors"), t("experiments.section.errors_lead"), errors_grid(part.errors, t))
        if part.real:
            _Grid(t("experiments.section.real"), t("experiments.section.real_lead"), real_grid(part.real, t))
        _Tables(part).key(f"tables-{number}")
        _Grid(t("experiments.section.notes"), t("experiments.section.notes_lead"), notes_grid(part, t))


@solara.component
def _Head(
    numbers: list[str],
    number: str,
    choose: Callable[[str], None],
    plan: Plan,
    progress: Progress,
    failure: str,
    answers: dict[str, int],
) -> None:
    t = use_words()
    title = t("experiments.number", number=number, title=t(f"experiments.name.{number}"))
    with Card(title):
        solara.Text(t(f"experiments.question.{number}"), classes=["ev-quiet"])
        facts = facts_of(plan, progress, t)
        told: list[Tree] = [["div", {}, ["dt", {}, name], ["dd", {}, value]] for name, value in facts.items()]
        Reading(["dl", {"class": "ev-facts"}, *told])
        warning = warning_of(progress, failure, answers, t)
        if warning:
            Note(warning, kind="warn")
        if len(numbers) > 1:
            names = {one: t("experiments.number", number=one, title=t(f"experiments.name.{one}")) for one in numbers}
            Choice(t("experiments.choose.shown"), names, number, choose)


@solara.component
def _Pictures(part: Findings) -> None:
    t = use_words()
    figures = solara.use_memo(lambda: {figure.id: figure for figure in figures_of(part, t)}, [part, t.language])
    chosen, choose = solara.use_state("")
    figure = figures.get(chosen) or next(iter(figures.values()), None)
    spec = solara.use_memo(lambda: figure.spec(t) if figure else {}, [part, figure and figure.id, t.language])
    if figure is None:
        solara.Div(classes=["ev-idle"])
        return
    with Card(t("experiments.figures")):
        names = {one.id: one.title for one in figures.values()}
        Choice(t("experiments.choose.figure"), _distinct(names), figure.id, choose)
        solara.Text(figure.lead, classes=["ev-quiet"])
        with solara.Div(classes=["ev-figure"]):
            Picture(spec, f"{figure.title}. {figure.lead}").key(f"{figure.id}-{t.language}")


def _distinct(names: dict[str, str]) -> dict[str, str]:
    """Titles that several have are told apart by what their ids say beyond."""
    titles = list(names.values())
    return {
        key: title if titles.count(title) == 1 else f"{title}: {key.partition('-')[2]}" for key, title in names.items()
    }


@solara.component
def _Tables(part: Findings) -> None:
    t = use_words()
    tables = list(dict.fromkeys(row.published.table for row in part.compared))
    chosen, choose = solara.use_state("")
    if not tables:
        solara.Div(classes=["ev-idle"])
        return
    table = chosen if chosen in tables else tables[0]
    rows = [row for row in part.compared if row.published.table == table]
    with Card(t("experiments.tables")):
        names = {name: t(f"experiments.table.{name}") for name in tables}
        Choice(t("experiments.choose.table"), names, table, choose)
        solara.Text(t("experiments.section.table_lead"), classes=["ev-quiet"])
        Reading(sheet_of(table_grid(rows, t), names[table]))


@solara.component
def _Grid(title: str, lead: str, grid: Table) -> None:
    with Card(title):
        solara.Text(lead, classes=["ev-quiet"])
        Reading(sheet_of(grid, title))


def sheet_of(grid: Table, label: str) -> Tree:
    """A table as a sheet that scrolls by itself."""
    numeric = [_is_number([str(row[place]) for row in grid.rows]) for place in range(len(grid.columns))]
    kinds = [{"class": "ev-num"} if number else {} for number in numeric]
    head = [["th", {"scope": "col", **kind}, name] for kind, name in zip(kinds, grid.columns, strict=True)]
    marks = grid.marks or [""] * len(grid.rows)
    lines = [
        ["tr", {"class": "group" if _alone(row) else ""}, *_cells(row, kinds, mark)]
        for row, mark in zip(grid.rows, marks, strict=True)
    ]
    table = ["table", {"aria-label": label}, ["thead", {}, ["tr", {}, *head]], ["tbody", {}, *lines]]
    return ["div", {"class": "ev-scroll ev-grid", "tabindex": "0", "role": "region", "aria-label": label}, table]


def _alone(row: object) -> bool:
    cells = list(row) if isinstance(row, list | tuple) else []
    return len(cells) > 2 and not any(cells[1:-1])


def _cells(row: object, kinds: list[dict[str, str]], mark: str) -> list[Tree]:
    cells = list(row) if isinstance(row, list | tuple) else []
    shown: list[Tree] = [["td", kind, str(cell)] for kind, cell in zip(kinds, cells, strict=True)]
    if mark:
        shown[-1] = ["td", {}, ["span", {"class": f"ev-chip {_MARKS[mark]}"}, str(cells[-1])]]
    return shown


def _is_number(column: list[str]) -> bool:
    return all(value == "" or value[0] in "0123456789+−–" for value in column)
