"""Reports of the EduVerse paper's experiments, and their pictures and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any

from eduverse_mesa import __version__
from eduverse_mesa.experiments.papers.eduverse.designs import CHINESE, EXCHANGE, HISTORY, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.eduverse.findings import Compared, Errors, Findings, Note, Real, spread_of
from eduverse_mesa.experiments.papers.eduverse.plan import Plan
from eduverse_mesa.experiments.papers.eduverse.published import (
    IRF,
    LAST_SESSION,
    TASKS,
    Cell,
    Cells,
    cell,
    paper_values,
    real_lessons,
    students,
)
from eduverse_mesa.experiments.papers.eduverse.statements import Check, Judged, paper_sides, sides_of
from eduverse_mesa.experiments.papers.record import Progress
from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.networks import NETWORK_COLUMNS
from eduverse_mesa.visualization.charts.comparison import measure_words
from eduverse_mesa.visualization.charts.frame import ChartFunction, saying
from eduverse_mesa.visualization.charts.studies import (
    Beside,
    Difference,
    Point,
    Web,
    beside_paper,
    contrasts_beside_paper,
    exchange_networks,
    over_sessions,
)
from eduverse_mesa.visualization.reports.document import (
    COUNT,
    MISSING,
    NUMBER,
    SIGNED,
    TEXT,
    Column,
    Figure,
    Report,
    Section,
    Table,
    between,
)
from eduverse_mesa.visualization.reports.document import Cell as TableCell
from eduverse_mesa.visualization.words import DEFAULT, Words, load_words, run_on

__all__ = [
    "Picture",
    "errors_grid",
    "experiment_report",
    "figures_of",
    "real_grid",
    "statements_grid",
    "table_grid",
]

_SHARES = frozenset({"b_interactive", "e_positive", "c_high"})
_OWN = frozenset({"b_pos", "e_pos", "c_pos", "overall", "b", "e", "c", "steps"})


def measure_of(measure: str, t: Words) -> str:
    """A measure as it is said."""
    group, _, key = measure.rpartition(".")
    if group == "task":
        return t(f"experiments.task.{key}")
    if measure.startswith("delta_"):
        return t("experiments.measure.gain", measure=measure_of(measure.removeprefix("delta_"), t))
    if group in ("evolution", "stability", "") and key.removesuffix("_others") in _OWN:
        return t(f"experiments.measure.{key.removesuffix('_others')}")
    return measure_words(measure, saying(t.under("codes", "charts")))


def place_of(cell: Cell, t: Words, *, student: bool = True) -> str:
    """Return the place of a number in words; only what is not usual in its table is said."""
    parts = []
    if cell.genre in t.under("experiments.genre") and cell.session != 0:
        parts.append(t(f"experiments.genre.{cell.genre}"))
    if cell.genre != "sessions":
        parts.append(t(f"experiments.layout.{cell.layout}"))
    elif cell.session:
        parts = [t("experiments.session", number=cell.session)]
    if cell.variant != "full" or cell.measure.startswith("delta_"):
        parts.append(t(f"experiments.variant.{cell.variant}"))
    if student and cell.student:
        parts.append(cell.student)
    return t.listed(parts)


def contrast_of(contrast: Check, t: Words) -> str:
    """A contrast in a few words: what, of which more than of which."""
    one, other = contrast.cells[0], contrast.minus[0]
    measure, more, less = measure_of(one.measure, t), "", ""
    if one.measure != other.measure and one.measure.startswith("stability."):
        more, less = t("experiments.itself"), t("experiments.others")
    elif one.measure != other.measure:
        measure = t("experiments.gain")
        more, less = (measure_of(cell.measure.removeprefix("delta_"), t) for cell in (one, other))
    elif one.session != other.session:
        more, less = (t("experiments.session", number=cell.session) for cell in (one, other))
    elif one.variant != other.variant:
        more, less = (t(f"experiments.variant.{cell.variant}") for cell in (one, other))
    elif {cell.genre for cell in contrast.cells} != {cell.genre for cell in contrast.minus}:
        more, less = (_genres(side, t) for side in (contrast.cells, contrast.minus))
    else:
        more, less = (t(f"experiments.layout.{cell.layout}") for cell in (one, other))
    return t("experiments.contrast", measure=measure, more=more, less=less)


def _genres(cells: Iterable[Cell], t: Words) -> str:
    genres = {cell.genre for cell in cells}
    return t("experiments.genre.chinese" if genres == set(CHINESE) else f"experiments.genre.{min(genres)}")


def note_of(note: Note, t: Words) -> str:
    """Return the text of a note on the paper's numbers."""
    kinds = {"layout": "layout", "other": "layout", "genre": "genre"}
    given = {
        key: t(f"experiments.{kinds[key]}.{value}") if key in kinds else _spelt(value, t)
        for key, value in note.given.items()
    }
    return t(f"experiments.note.{note.id}", **given)


def _spelt(value: str | float, t: Words) -> str | float:
    """Spell out the tables' own names, wherever they stand in a text."""
    return re.sub(r"[a-z]+(?:_[a-z]+)*", lambda found: _word(found[0], t), value) if isinstance(value, str) else value


def _word(name: str, t: Words) -> str:
    known = (f"experiments.{kind}.{name}" for kind in ("lesson", "genre", "layout", "measure"))
    found = next((key for key in known if key in t), "")
    return t[found] if found else measure_of(f"bec.{name}", t) if name in _SHARES else name


@dataclass(frozen=True)
class Picture:
    """A chart with its title that can be drawn as wide as somebody needs it."""

    id: str
    title: str
    lead: str
    chart: ChartFunction[Any]
    data: Sequence[Any]

    def draw(self, t: Words, width: Any = None) -> Any:
        """Return the picture as an Altair chart."""
        return self.chart(self.data, words=chart_words_of(t), **({} if width is None else {"width": width}))

    def spec(self, t: Words) -> dict[str, Any]:
        """Return the picture as Vega-Lite, as wide as the page."""
        return self.chart.spec(self.data, words=chart_words_of(t), width="container")


def chart_words_of(t: Words) -> dict[str, str]:
    """Return the words of these charts, besides their labels."""
    own = {f"legend.{key}": said for key, said in t.under("experiments.legend").items()}
    return {**t.under("codes", "charts"), **own, "session_axis": t("experiments.session_axis")}


def figures_of(found: Findings, t: Words) -> list[Picture]:
    """All pictures of some findings; those with nothing in them are left out."""
    makers: dict[int, Callable[[Findings, Words], Iterator[Picture]]] = {
        1: _environments,
        2: _interaction,
        3: _evolution,
        4: _history,
    }
    made = [
        figure
        for experiment in found.experiments
        for figure in (*_contrasts(found.of(experiment), t), *makers[experiment.number](found.of(experiment), t))
    ]
    return [figure for figure in made if figure.data]


# --- what each shows ---


def _contrasts(found: Findings, t: Words) -> Iterator[Picture]:
    rows = [
        Difference(
            contrast_of(one.check, t),
            *one.value[:3],
            paper_sides(one.check)[-1],
            one.verdict,
        )
        for judged in found.judged
        for one in judged.found
        if math.isfinite(one.value.mean)
    ]
    yield _figure("contrasts", contrasts_beside_paper, rows, t)


def _environments(found: Findings, t: Words) -> Iterator[Picture]:
    cells = found.cells
    shares = [f"bec.{name}" for name in BEC_COLUMNS]
    layouts = {layout: t(f"experiments.layout.{layout}") for layout in LAYOUTS}
    means = [
        _beside(cells, [cell(layout, genre, share) for genre in CHINESE], measure_of(share, t), said)
        for share in shares
        for layout, said in layouts.items()
    ]
    yield _figure("genre_means", beside_paper, means, t)
    for genre in CHINESE:
        rows = [
            _beside(cells, [cell(layout, genre, share)], measure_of(share, t), said)
            for share in shares
            for layout, said in layouts.items()
        ]
        yield _figure("bec", beside_paper, rows, t, genre=t(f"experiments.genre.{genre}"))
    yield from _irf(cells, CHINESE, t)
    variants = [
        _beside(
            cells,
            [cell("lecture", genre, share, variant=variant) for genre in CHINESE],
            measure_of(share, t),
            t(f"experiments.variant.{variant}"),
        )
        for share in shares
        for variant in ("full", "nolocal", "nocog")
    ]
    yield _figure("ablations", beside_paper, variants, t)
    yield _figure("stability", beside_paper, list(_stability(cells, t)), t)


def _irf(cells: Cells, genres: Iterable[str], t: Words) -> Iterator[Picture]:
    for genre in genres:
        real = real_lessons().get(genre, {})
        rows = []
        for name in IRF:
            said = measure_of(f"irf.{name}", t)
            for layout in LAYOUTS:
                place = cell(layout, genre, f"irf.{name}")
                rows.append(_beside(cells, [place], said, t(f"experiments.layout.{layout}")))
            rows.append(Beside(said, t("experiments.legend.real"), real=real.get(name, math.nan)))
        yield _figure("irf", beside_paper, rows, t, genre=t(f"experiments.genre.{genre}"))


def _stability(cells: Cells, t: Words) -> Iterator[Beside]:
    for name in students():
        for letter in ("b", "e", "c"):
            for suffix, said in (("", t("experiments.itself")), ("_others", t("experiments.others"))):
                places = [
                    cell(layout, "", f"stability.{letter}{suffix}", session=0, student=name) for layout in LAYOUTS
                ]
                yield _beside(cells, places, f"{name}: {t(f'experiments.measure.{letter}')}", said)


def _interaction(found: Findings, t: Words) -> Iterator[Picture]:
    cells = found.cells
    for genre in (*CHINESE, *HISTORY):
        yield _figure("networks", exchange_networks, _webs(found, genre, t), t, genre=t(f"experiments.genre.{genre}"))
    yield from _network_numbers(cells, (*CHINESE, *HISTORY), t)
    for layout in LAYOUTS:
        rows = [
            _beside(
                cells,
                [cell(layout, genre, "network.degree", student=name)],
                name,
                t(f"experiments.genre.{genre}"),
            )
            for name in students()
            for genre in CHINESE
        ]
        yield _figure("centralities", beside_paper, rows, t, layout=t(f"experiments.layout.{layout}"))
    tasks = [
        _beside(
            cells,
            [cell(layout, "lyrical_prose", f"task.{task}", session=0)],
            t(f"experiments.task.{task}"),
            t(f"experiments.layout.{layout}"),
        )
        for task in TASKS.values()
        for layout in LAYOUTS
    ]
    yield _figure("tasks", beside_paper, tasks, t)


def _network_numbers(cells: Cells, genres: Iterable[str], t: Words) -> Iterator[Picture]:
    density = f"network.{NETWORK_COLUMNS[2]}"
    rows = [
        _beside(
            cells,
            [cell(layout, genre, density)],
            t(f"experiments.genre.{genre}"),
            t(f"experiments.layout.{layout}"),
        )
        for genre in genres
        for layout in LAYOUTS
    ]
    yield _figure("network_numbers", beside_paper, rows, t)


def _webs(found: Findings, genre: str, t: Words) -> list[Web]:
    """Of each layout the share of lessons in which a pair had an exchange, whoever asked."""
    table = found.table
    if table.empty:
        return []
    rows = table[(table["genre"] == genre) & (table["variant"] == "full") & (table["task"] == "")]
    webs = []
    for layout in LAYOUTS:
        part = rows[rows["layout"] == layout]
        lessons = part["trial"].nunique()
        met: dict[tuple[str, str], set[str]] = {}
        spoken = part[part["measure"].str.startswith(EXCHANGE)]
        for trial, one, measure in zip(spoken["trial"], spoken["student"], spoken["measure"], strict=True):
            pair = tuple(sorted((str(one), str(measure).removeprefix(EXCHANGE))))
            met.setdefault((pair[0], pair[1]), set()).add(str(trial))
        shares = {pair: len(trials) / lessons for pair, trials in met.items()}
        if lessons:
            webs.append(Web(t(f"experiments.layout.{layout}"), students(), shares))
    return webs


def _evolution(found: Findings, t: Words) -> Iterator[Picture]:
    cells, papers = found.cells, paper_values()
    points = []
    for state in ("b_pos", "e_pos", "c_pos"):
        for session in range(1, LAST_SESSION + 1):
            place = cell("lecture", SESSIONS, f"evolution.{state}", session=session)
            interval = cells.interval(place)
            points.append(Point(measure_of(place.measure, t), session, *interval[:3], papers.get(place, math.nan)))
    yield _figure("evolution", over_sessions, [point for point in points if math.isfinite(point.mean)], t)
    rows = [
        _beside(
            cells,
            [cell("lecture", SESSIONS, "evolution.overall", session=session, student=name)],
            name,
            t("experiments.session", number=session),
        )
        for name in students()
        for session in range(1, LAST_SESSION + 1)
    ]
    yield _figure("students", beside_paper, rows, t)
    gains = [
        _beside(
            cells,
            [cell("lecture", SESSIONS, f"delta_{state}", variant=variant, session=0)],
            t(f"experiments.measure.{state}"),
            t(f"experiments.variant.{variant}"),
        )
        for state in ("b_pos", "e_pos", "c_pos", "overall")
        for variant in ("full", "noregulate")
    ]
    yield _figure("regulate", beside_paper, gains, t)


def _history(found: Findings, t: Words) -> Iterator[Picture]:
    yield from _irf(found.cells, HISTORY, t)
    webs = _webs(found, "world_history", t)
    yield _figure("networks", exchange_networks, webs, t, genre=t("experiments.genre.world_history"))
    yield from _network_numbers(found.cells, HISTORY, t)


# --- how they are made ---


def _figure(name: str, chart: ChartFunction[Any], data: Sequence[Any], t: Words, **given: str) -> Picture:
    kept = data
    if chart is beside_paper:
        measured = any(math.isfinite(row.mean) for row in data)
        kept = [row for row in data if math.isfinite(row.mean) or math.isfinite(row.real)] if measured else []
    key = "-".join([name, *given.values()]) if given else name
    lead = t(f"experiments.figure.{name}_lead", **given) if given else t(f"experiments.figure.{name}_lead")
    return Picture(key, t(f"experiments.figure.{name}", **given), lead, chart, kept)


def _beside(cells: Cells, places: Sequence[Cell], line: str, arm: str) -> Beside:
    """Ours and the paper's, over some cells: one experiment a seed."""
    papers = paper_values()
    paper = fmean(papers.get(place, math.nan) for place in places)
    return Beside(line, arm, *cells.interval(*places)[:3], spread_of(cells.mean(places)), paper)


_MARKS = {"holds": "yes", "uncertain": "unsure", "fails": "no"}


def statements_grid(judged: Iterable[Judged], t: Words) -> Table:
    """Each statement with its verdict, and its contrasts below."""
    rows: list[Sequence[TableCell]] = []
    marks = []
    for one in judged:
        rows.append((t(f"experiments.statement.{one.statement.id}"), t(f"experiments.verdict.{one.verdict}")))
        marks.append(_MARKS.get(one.verdict, ""))
        for found in one.found:
            (more, less, effect), ours = sides_of(found), found.value
            numbers = (more, less, ours.mean, ours, effect, found.single, paper_sides(found.check)[-1])
            rows.append((contrast_of(found.check, t), *numbers, t(f"experiments.verdict.{found.verdict}")))
            marks.append(_MARKS.get(found.verdict, ""))
    forms = {
        "statement": TEXT, "more": NUMBER, "less": NUMBER, "difference": SIGNED, "interval": SIGNED,
        "effect": "+.2f", "single": ".2f", "paper": SIGNED, "verdict": TEXT,
    }  # fmt: skip
    return Table(_heads(forms, t), rows, marks)


def _heads(forms: Mapping[str, str], t: Words) -> list[Column]:
    return [Column(t(f"experiments.head.{name}"), form) for name, form in forms.items()]


def errors_grid(errors: Iterable[Errors], t: Words) -> Table:
    """Errors with their noise floor; fitted and predicted apart."""
    rows: list[Sequence[TableCell]] = [
        (
            t(f"experiments.table.{one.table}"),
            t(f"experiments.basis.{one.basis}"),
            measure_of(one.measure, t) if one.measure != "shares" else t("experiments.measure.shares"),
            one.cells,
            one.error,
            one.floor,
            one.floor_to,
            one.within,
            one.expected,
        )
        for one in errors
    ]
    words = dict.fromkeys(("table", "basis", "what"), TEXT)
    numbers = dict.fromkeys(("error", "floor", "floor_to"), NUMBER)
    return Table(_heads({**words, "cells": COUNT, **numbers, "within": ".2f", "expected": ".2f"}, t), rows)


def real_grid(real: Sequence[Real], t: Words) -> Table:
    """The rates of the real lessons beside ours and the paper's; the mean errors of each rate at the end."""
    rows: list[Sequence[TableCell]] = []
    for measure in dict.fromkeys(row.measure for row in real):
        part = [row for row in real if row.measure == measure]
        said = measure_of(measure, t)
        for row in part:
            ours = (row.mean, between(row.low, row.high), row.error)
            rows.append((t(f"experiments.genre.{row.genre}"), said, row.real, *ours, row.paper, row.paper_error))
        errors = (fmean(row.error for row in part), fmean(row.paper_error for row in part))
        rows.append((t("experiments.head.mean_error"), said, "", "", "", errors[0], "", errors[1]))
    words = dict.fromkeys(("lesson", "rate"), TEXT)
    numbers = dict.fromkeys(("real", "ours", "interval", "our_error", "paper", "paper_error"), NUMBER)
    return Table(_heads({**words, **numbers}, t), rows)


def table_grid(rows: Sequence[Compared], t: Words) -> Table:
    """One of the paper's tables, a row a number."""
    real = any(math.isfinite(row.published.real) for row in rows)
    yes = {True: t("experiments.yes"), False: t("experiments.no")}
    lines: list[Sequence[TableCell]] = [
        (
            place_of(row.published.cell, t),
            measure_of(row.published.cell.measure, t),
            t(f"experiments.basis.{row.published.basis}"),
            row.value.mean,
            between(row.value.low, row.value.high),
            between(*row.spread),
            row.published.paper,
            row.difference,
            yes[bool(row.within)] if math.isfinite(row.within) else MISSING,
            *([row.published.real] if real else []),
        )
        for row in rows
    ]
    words = dict.fromkeys(("place", "measure", "basis"), TEXT)
    numbers = dict.fromkeys(("ours", "interval", "spread", "paper"), NUMBER)
    forms = {**words, **numbers, "difference_to_paper": SIGNED, "among": TEXT, **({"real": NUMBER} if real else {})}
    heads = zip(_heads(forms, t), forms, strict=True)
    return Table([replace(head, detail=name in _DETAILS) for head, name in heads], lines)


_DETAILS = frozenset({"basis", "interval", "spread", "among"})
"""Columns of the paper's tables for which a terminal has no room: each number stands in a line of its own."""


def experiment_report(
    found: Findings, plan: Plan, progress: Progress, failure: str = "", language: str = DEFAULT
) -> Report:
    """Return the report of one experiment."""
    t = load_words(language)
    [experiment] = found.experiments
    title = t("experiments.number", number=experiment.number, title=t(f"experiments.name.{experiment.number}"))
    warning = warning_of(progress, failure, found.answers, t)
    return Report(
        title, list(_sections(found, plan, t)), facts_of(plan, progress, t), [warning] if warning else [], language
    )


def facts_of(plan: Plan, progress: Progress, t: Words) -> dict[str, str]:
    """Return the facts of what was played."""
    facts = {
        "seeds": f"1–{plan.seeds}" if plan.seeds > 1 else "1",
        "policy": t.code(plan.policy) if plan.policy else t("experiments.policy_of_scenario"),
        "trials": f"{progress.done}",
        "version": __version__,
    }
    if plan.settings:
        facts["settings"] = ", ".join(f"{key}={value}" for key, value in plan.settings.items())
    return {t(f"experiments.facts.{key}"): value for key, value in facts.items()}


def warning_of(progress: Progress, failure: str, answers: Mapping[str, int], t: Words) -> str:
    """Return a warning of missing runs and of answers that failed or were stood in for; empty if there are none."""
    told = []
    if failure:
        told.append(t("experiments.warning", failed=progress.failed, total=progress.total, reason=failure))
    elif progress.done < progress.total:
        told.append(t("experiments.partly", done=progress.done, total=progress.total))
    if answers.get("failed") or answers.get("fallback"):
        given = {name: answers.get(name, 0) for name in ("failed", "fallback")}
        told.append(t("experiments.answers", total=sum(answers.values()), **given))
    return run_on(told)


_LONG = frozenset({"centralities", "evolution"})
"""Tables of every student: a terminal shows their errors only."""


def _sections(found: Findings, plan: Plan, t: Words) -> Iterator[Section]:
    [experiment] = found.experiments
    question = t(f"experiments.question.{experiment.number}")
    yield Section("", [question])
    if found.judged:
        lead = t("experiments.section.statements_lead", seeds=plan.seeds)
        yield Section(t("experiments.section.statements"), [statements_grid(found.judged, t)], lead)
    yield _told("errors", errors_grid(found.errors, t), t)
    if found.real:
        yield _told("real", real_grid(found.real, t), t)
    for picture in figures_of(found, t):
        yield Section(picture.title, [Figure(partial(picture.draw, t))], picture.lead)
    for name in experiment.tables:
        rows = [row for row in found.compared if row.published.table == name]
        if rows:
            grid = replace(table_grid(rows, t), most=0 if name in _LONG else None)
            yield Section(t(f"experiments.table.{name}"), [grid], t("experiments.section.table_lead"))
    yield _told("notes", notes_grid(found, t), t)


def _told(name: str, grid: Table, t: Words) -> Section:
    return Section(t(f"experiments.section.{name}"), [grid], t(f"experiments.section.{name}_lead"))


def notes_grid(found: Findings, t: Words) -> Table:
    """Return the notes on the paper's numbers as a table."""
    rows = [(t(f"experiments.table.{note.table}"), note_of(note, t)) for note in found.notes]
    return Table([Column(t("experiments.head.table")), Column(t("experiments.section.notes"))], rows)
