"""The experiments page: what is to be played, how far it is, and what it found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pydantic
import solara

from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Headline,
    Idle,
    Note,
    Picture,
    Reading,
    StyleSheet,
    TaskBar,
    chip,
    facts_tree,
    table_tree,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import make_engine
from eduverse_mesa.experiments.folders import ABOUT
from eduverse_mesa.experiments.papers.eduverse import EXPERIMENTS
from eduverse_mesa.experiments.papers.eduverse.findings import Findings, find
from eduverse_mesa.experiments.papers.eduverse.plan import PAPER, Kept, Plan, table_of, time_left
from eduverse_mesa.experiments.papers.record import Progress
from eduverse_mesa.policies.registry import MAKERS
from eduverse_mesa.scenarios.base import Part
from eduverse_mesa.visualization.reports.document import Cell, Table, write
from eduverse_mesa.visualization.reports.experiments import (
    errors_grid,
    facts_of,
    figures_of,
    notes_grid,
    real_grid,
    statements_grid,
    table_grid,
    warning_of,
)
from eduverse_mesa.visualization.widgets.fields import document_field, field, filled_in, limits, select
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_ENOUGH = 20
"""Trials after which the time that is left is known by how it goes."""
FOLDER = "experiments"
"""Beside the study: a folder for each experiment that was played here."""


class Bench(Worker):
    """Experiments of a desk: the one being played, and the one looked at. One experiment at a time."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.home = home_of(desk.office.study)
        self.folder: Path | None = None
        """Folder that is looked at."""
        self.plan: Plan | None = None
        self.found: Findings | None = None
        self.played: Progress | None = None
        """How much of it is played."""
        self.failure = ""
        self.seconds = math.nan
        """About how long all that was to be played takes; NaN where nobody can say."""
        self._began, self._first = 0.0, 0

    @property
    def seconds_left(self) -> float:
        """About how long the rest takes: as first measured, then by how it goes."""
        now = self.progress
        if now is None or not math.isfinite(self.seconds):
            return math.nan
        done, left = now.done - self._first, now.total - now.done
        took = time.monotonic() - self._began
        return took / done * left if done >= _ENOUGH else max(self.seconds - took, 0.0)

    def folders(self) -> list[str]:
        """The experiments that are kept beside the study, newest first."""
        if not self.home.is_dir():
            return []
        kept = [file.parent for file in self.home.glob(f"*/{ABOUT}")]
        return [folder.name for folder in sorted(kept, key=lambda one: -(one / ABOUT).stat().st_mtime)]

    def begin(self, plan: Plan, name: str) -> None:
        """Play what of a plan is not done yet, and show what it says."""

        def work(ticket: Ticket) -> None:
            def hear(progress: Progress) -> None:
                ticket.progress(progress.done, progress.total)

            folder = self._place(name)
            self.seconds = math.nan
            with PAPER.open(plan, folder) as record, make_engine("processes") as engine:
                hear(record.progress)
                if plan.free:
                    self.seconds = time_left(record, engine.workers)
                    self._began, self._first = time.monotonic(), record.progress.done
                record.play(engine, hear, ticket.stop.is_set)
                self._show(record, folder)

        self.do("experiment", work)

    def open(self, name: str) -> None:
        """Show what a folder holds, without playing anything."""

        def work(_: Ticket) -> None:
            folder = self._place(name)
            self._show(PAPER.look(folder), folder)

        self.do("experiment", work)

    def _place(self, name: str) -> Path:
        """A folder by its name, beside the study; nothing else can be named from a page."""
        if not name.strip() or name != Path(name).name or name.startswith("."):
            raise EduverseError(
                f"'{name[:80]}' is no name for a folder.", mend=f"Give a plain name; it is kept in {self.home}."
            )
        return self.home / name

    def _show(self, record: Kept, folder: Path) -> None:
        found = find(record.plan.experiments, table_of(record))
        self.failure = record.failures[0].error if record.failures else ""
        self.plan, self.folder, self.played, self.found = record.plan, folder, record.progress, found


def home_of(study: str) -> Path:
    """Return the place of the folders: beside the study, or the working directory if the study is a database."""
    return Path(FOLDER) if "://" in study else Path(study).resolve().parent / FOLDER


def bench_of(desk: Desk) -> Bench:
    """This desk's."""
    return desk.drawer(Bench, lambda: Bench(desk))


_ALL = "all"


class Wish(Part):
    """What is to be played: an experiment, over how many seeds, by whom, and the folder that keeps it."""

    which: str = "1"
    seeds: int = pydantic.Field(10, ge=1, le=1000)
    policy: str = "embedded"
    name: str = ""


@solara.component
def Choosing(desk: Desk, bench: Bench) -> None:
    """Form that chooses an experiment to be played, or one to be opened."""
    t = use_words()
    use_live(bench.changed)
    first = Wish(policy=desk.policy) if desk.policy in MAKERS else Wish()
    given, set_given = solara.use_state(first.model_dump())
    kept, wish = bench.folders(), filled_in(Wish, given)
    name = given["name"].strip() or default_name(given["which"], given["policy"])

    def put(field: str, value: Any) -> None:
        set_given({**given, field: value})

    def begin() -> None:
        if wish is not None:
            policy, settings = ("", {}) if wish.policy == "embedded" else (wish.policy, dict(desk.llm))
            bench.begin(Plan(which=wish.which, seeds=wish.seeds, policy=policy, settings=settings), name)

    with Card(t("experiments.choose.title")):
        solara.Text(t("experiments.choose.about"), classes=["ev-quiet"])
        Form(_fields(given, t), hear=put)
        if given["policy"] != "embedded":
            Note(t("experiments.choose.model"), kind="warn")
        if wish is None:
            Note(t("experiments.choose.bad_seeds", most=limits(Wish, "seeds")[1]), kind="warn")
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("experiments.choose.go_on" if name in kept else "experiments.choose.play"),
                color="primary",
                on_click=begin,
                disabled=wish is None or bench.busy,
            )
            for folder in kept[:_SHOWN]:
                solara.Button(
                    t("experiments.choose.open", name=folder),
                    outlined=True,
                    disabled=bench.busy,
                    on_click=lambda folder=folder: bench.open(folder),
                )


_SHOWN = 6
"""Folders that can be opened by a button: the newest."""


def default_name(which: str, policy: str) -> str:
    """A folder's name, where none is given."""
    return f"experiment_{which}" + ("" if policy == "embedded" else f"_{policy}")


def _fields(given: dict[str, Any], t: Words) -> list[Field]:
    names = {
        str(number): t("experiments.number", number=number, title=t(f"experiments.name.{number}"))
        for number in EXPERIMENTS
    }
    usual = default_name(given["which"], given["policy"])
    words, about = "experiments.choose", {"placeholder": usual, "help": t("experiments.choose.name_help", name=usual)}
    return [
        select("which", t(f"{words}.which"), {**names, _ALL: t("experiments.all")}, given["which"], width="half"),
        document_field(Wish, "seeds", given["seeds"], t, words, width="quarter"),
        select("policy", t(f"{words}.policy"), {one: t.code(one) for one in MAKERS}, given["policy"], width="quarter"),
        field("name", "text", t(f"{words}.name"), given["name"], **about),
    ]


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
        Reading(facts_tree(facts.items()))
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
        Idle()
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
        Idle()
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
    numbers = [place for place, column in enumerate(grid.columns) if column.form]
    marks = grid.marks or [""] * len(grid.rows)
    kinds = [{"class": "ev-num"} if column.form else {} for column in grid.columns]
    lines = [_line(grid, row, mark, kinds) for row, mark in zip(grid.rows, marks, strict=True)]
    return table_tree([column.heading for column in grid.columns], lines, label, numbers=numbers, look="ev-grid")


def _line(grid: Table, row: Sequence[Cell], mark: str, kinds: list[dict[str, str]]) -> Tree:
    """A row; one that is a heading of others reaches as far as its verdict."""
    first: list[Tree] = [["td", {"colspan": str(len(kinds) - 1)}, write(row[0])]]
    if not grid.is_heading(row):
        first = [
            ["td", kind, write(cell, column.form)] for kind, cell, column in zip(kinds, row, grid.columns, strict=True)
        ][:-1]
    last: Tree = write(row[-1], "" if grid.is_heading(row) else grid.columns[-1].form)
    if mark:
        last = chip(str(last), _MARKS[mark])
    return ["tr", {"class": "group" if grid.is_heading(row) else ""}, *first, ["td", {} if mark else kinds[-1], last]]


_MINUTES = 100.0
"""From so many seconds on minutes are said."""


@solara.component
def ExperimentsPage(desk: Desk) -> None:
    """The paper's four experiments."""
    bench = bench_of(desk)
    use_live(bench.changed)
    t = use_words()
    with solara.Div(classes=["ev-stack", "ev-experiments"]):
        StyleSheet("experiments/experiments.css")
        Headline(t("experiments.title"), t("experiments.lead"))
        Choosing(desk, bench)
        TaskBar(bench, lambda _: _told(bench, t))
        if bench.found is not None and bench.plan is not None and bench.played is not None and not bench.busy:
            Showing(bench.found, bench.plan, bench.played, bench.failure).key(str(bench.folder))


def _told(bench: Bench, t: Words) -> str:
    now, left = bench.progress, bench.seconds_left
    if now is None:
        return ""
    told = t("experiments.progress", done=now.done, total=now.total)
    if not math.isfinite(left):
        return told
    if left < _MINUTES:
        return f"{told} · {t('experiments.seconds', n=max(round(left), 1))}"
    return f"{told} · {t('experiments.minutes', n=round(left / 60))}"
