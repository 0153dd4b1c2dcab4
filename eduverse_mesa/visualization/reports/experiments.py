"""Reports of the EduVerse experiments: text, pictures and one HTML file."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from eduverse_mesa import __version__
from eduverse_mesa.experiments.papers.eduverse.designs import CHINESE, EXCHANGE, HISTORY, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.eduverse.findings import Compared, Errors, Findings, Note, Real
from eduverse_mesa.experiments.papers.eduverse.plan import Plan
from eduverse_mesa.experiments.papers.eduverse.published import (
    IRF,
    LAST_SESSION,
    TASKS,
    BySeed,
    Cell,
    Cells,
    cell,
    paper_values,
    real_lessons,
    students,
)
from eduverse_mesa.experiments.papers.eduverse.statements import Contrast, Found, Judged
from eduverse_mesa.experiments.papers.record import Progress
from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.intervals import bounds_of, mean_interval
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
from eduverse_mesa.visualization.reports.page import Section, Table, render_page
from eduverse_mesa.visualization.words import Words, load_words

__all__ = [
    "Figure",
    "errors_grid",
    "figures_of",
    "real_grid",
    "render_report",
    "render_text",
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
    return ", ".join(parts)


def contrast_of(contrast: Contrast, t: Words) -> str:
    """A contrast in a few words: what, of which more than of which."""
    one, other = contrast.more[0], contrast.less[0]
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
    elif {cell.genre for cell in contrast.more} != {cell.genre for cell in contrast.less}:
        more, less = (_genres(side, t) for side in (contrast.more, contrast.less))
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


def number(value: float, digits: int = 3, *, sign: bool = False) -> str:
    """A number, or a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return f"{0:.{digits}f}" if float(shown) == 0 else shown.replace("-", "−")


def between(low: float, high: float, *, sign: bool = False) -> str:
    """An interval."""
    if not math.isfinite(low):
        return "–"
    return f"{number(low, sign=sign)} … {number(high, sign=sign)}"


SPREAD = (0.025, 0.975)


@dataclass(frozen=True)
class Figure:
    """A picture that can be drawn as wide as somebody needs it."""

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


def figures_of(found: Findings, t: Words) -> list[Figure]:
    """All pictures of some findings; those with nothing in them are left out."""
    makers: dict[int, Callable[[Findings, Words], Iterator[Figure]]] = {
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


def _contrasts(found: Findings, t: Words) -> Iterator[Figure]:
    rows = [
        Difference(
            contrast_of(one.contrast, t),
            *one.difference[:3],
            one.paper_difference,
            one.verdict,
        )
        for judged in found.judged
        for one in judged.found
        if math.isfinite(one.difference.mean)
    ]
    yield _figure("contrasts", contrasts_beside_paper, rows, t)


def _environments(found: Findings, t: Words) -> Iterator[Figure]:
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


def _irf(cells: Cells, genres: Iterable[str], t: Words) -> Iterator[Figure]:
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


def _interaction(found: Findings, t: Words) -> Iterator[Figure]:
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


def _network_numbers(cells: Cells, genres: Iterable[str], t: Words) -> Iterator[Figure]:
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


def _evolution(found: Findings, t: Words) -> Iterator[Figure]:
    cells, papers = found.cells, paper_values()
    points = []
    for state in ("b_pos", "e_pos", "c_pos"):
        for session in range(1, LAST_SESSION + 1):
            place = cell("lecture", SESSIONS, f"evolution.{state}", session=session)
            interval = mean_interval(list(cells.of(place).values()), bounds=bounds_of(place.measure))
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


def _history(found: Findings, t: Words) -> Iterator[Figure]:
    yield from _irf(found.cells, HISTORY, t)
    webs = _webs(found, "world_history", t)
    yield _figure("networks", exchange_networks, webs, t, genre=t("experiments.genre.world_history"))
    yield from _network_numbers(found.cells, HISTORY, t)


# --- how they are made ---


def _figure(name: str, chart: ChartFunction[Any], data: Sequence[Any], t: Words, **given: str) -> Figure:
    kept = data
    if chart is beside_paper:
        measured = any(math.isfinite(row.mean) for row in data)
        kept = [row for row in data if math.isfinite(row.mean) or math.isfinite(row.real)] if measured else []
    key = "-".join([name, *given.values()]) if given else name
    lead = t(f"experiments.figure.{name}_lead", **given) if given else t(f"experiments.figure.{name}_lead")
    return Figure(key, t(f"experiments.figure.{name}", **given), lead, chart, kept)


def _beside(cells: Cells, places: Sequence[Cell], line: str, arm: str) -> Beside:
    """Ours and the paper's, over some cells: one experiment a seed."""
    ours: BySeed = cells.mean(places)
    papers = paper_values()
    paper = fmean(papers.get(place, math.nan) for place in places)
    interval = mean_interval(list(ours.values()), bounds=bounds_of(places[0].measure))
    return Beside(line, arm, *interval[:3], _spread(ours), paper)


def _spread(ours: BySeed) -> tuple[float, float]:
    import numpy as np

    if len(ours) < 2:
        return math.nan, math.nan
    low, high = np.quantile(list(ours.values()), SPREAD)
    return float(low), float(high)


_MARKS = {"holds": "yes", "uncertain": "unsure", "fails": "no"}


def statements_grid(judged: Iterable[Judged], t: Words) -> Table:
    """Each statement with its verdict, and its contrasts below."""
    rows: list[list[str | float]] = []
    marks = []
    for one in judged:
        told = t(f"experiments.statement.{one.statement.id}")
        rows.append([told, *[""] * 7, t(f"experiments.verdict.{one.verdict}")])
        marks.append(_MARKS.get(one.verdict, ""))
        for found in one.found:
            verdict = t(f"experiments.verdict.{found.verdict}")
            rows.append([f"· {contrast_of(found.contrast, t)}", *_found(found), verdict])
            marks.append(_MARKS.get(found.verdict, ""))
    names = ("statement", "more", "less", "difference", "interval", "effect", "single", "paper", "verdict")
    return Table([t(f"experiments.head.{name}") for name in names], rows, marks)


def _found(found: Found) -> list[str | float]:
    ours = found.difference
    return [
        number(found.more),
        number(found.less),
        number(ours.mean, sign=True),
        between(ours.low, ours.high, sign=True),
        number(found.effect, 2, sign=True),
        number(found.single, 2),
        number(found.paper_difference, sign=True),
    ]


def errors_grid(errors: Iterable[Errors], t: Words) -> Table:
    """Errors with their noise floor; fitted and predicted apart."""
    rows: list[list[str | float]] = [
        [
            t(f"experiments.table.{one.table}"),
            t(f"experiments.basis.{one.basis}"),
            measure_of(one.measure, t) if one.measure != "shares" else t("experiments.measure.shares"),
            str(one.cells),
            number(one.error),
            number(one.floor),
            number(one.floor_to),
            number(one.within, 2),
            number(one.expected, 2),
        ]
        for one in errors
    ]
    names = ("table", "basis", "what", "cells", "error", "floor", "floor_to", "within", "expected")
    return Table([t(f"experiments.head.{name}") for name in names], rows)


def real_grid(real: Sequence[Real], t: Words) -> Table:
    """The rates of the real lessons beside ours and the paper's; the mean errors of each rate at the end."""
    rows: list[list[str | float]] = []
    for measure in dict.fromkeys(row.measure for row in real):
        part = [row for row in real if row.measure == measure]
        said = measure_of(measure, t)
        rows += [
            [
                *(t(f"experiments.genre.{row.genre}"), said, number(row.real), number(row.mean)),
                between(row.low, row.high),
                *(number(row.error), number(row.paper), number(row.paper_error)),
            ]
            for row in part
        ]
        errors = (fmean(row.error for row in part), fmean(row.paper_error for row in part))
        mean = t("experiments.head.mean_error")
        rows.append([mean, said, "", "", "", number(errors[0]), "", number(errors[1])])
    names = ("lesson", "rate", "real", "ours", "interval", "our_error", "paper", "paper_error")
    return Table([t(f"experiments.head.{name}") for name in names], rows)


def table_grid(rows: Sequence[Compared], t: Words) -> Table:
    """One of the paper's tables, a row a number."""
    real = any(math.isfinite(row.published.real) for row in rows)
    lines: list[list[str | float]] = []
    marks = []
    for row in rows:
        known = math.isfinite(row.within)
        lines.append(
            [
                place_of(row.published.cell, t),
                measure_of(row.published.cell.measure, t),
                t(f"experiments.basis.{row.published.basis}"),
                number(row.mean),
                between(row.low, row.high),
                between(*row.spread),
                number(row.published.paper),
                number(row.difference, sign=True),
                t("experiments.yes" if row.within else "experiments.no") if known else "–",
                *([number(row.published.real)] if real else []),
            ]
        )
        marks.append("")
    names = ["place", "measure", "basis", "ours", "interval", "spread", "paper", "difference_to_paper", "among"]
    names += ["real"] if real else []
    return Table([t(f"experiments.head.{name}") for name in names], lines, marks)


def render_report(found: Findings, plan: Plan, progress: Progress, failure: str = "", language: str = "en") -> str:
    """The page of one experiment."""
    t = load_words(language)
    [experiment] = found.experiments
    title = t("experiments.number", number=experiment.number, title=t(f"experiments.name.{experiment.number}"))
    return render_page(
        title,
        facts_of(plan, progress, t),
        list(_sections(found, plan, t)),
        warning_of(progress, failure, found.answers, t),
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
    return " ".join(told)


def _sections(found: Findings, plan: Plan, t: Words) -> Iterator[Section]:
    [experiment] = found.experiments
    number = experiment.number
    if found.judged:
        yield Section(
            t("experiments.section.statements"),
            f"{t(f'experiments.question.{number}')} {t('experiments.section.statements_lead', seeds=plan.seeds)}",
            table=statements_grid(found.judged, t),
        )
    yield Section(
        t("experiments.section.errors"), t("experiments.section.errors_lead"), table=errors_grid(found.errors, t)
    )
    if found.real:
        yield Section(t("experiments.section.real"), t("experiments.section.real_lead"), table=real_grid(found.real, t))
    for figure in figures_of(found, t):
        yield Section(figure.title, figure.lead, chart=figure.draw(t))
    for name in experiment.tables:
        rows = [row for row in found.compared if row.published.table == name]
        if rows:
            yield Section(
                t(f"experiments.table.{name}"), t("experiments.section.table_lead"), table=table_grid(rows, t)
            )
    yield Section(t("experiments.section.notes"), t("experiments.section.notes_lead"), table=notes_grid(found, t))


def notes_grid(found: Findings, t: Words) -> Table:
    """Return the notes on the paper's numbers as a table."""
    heads = [t("experiments.head.table"), t("experiments.section.notes")]
    return Table(heads, [[t(f"experiments.table.{note.table}"), note_of(note, t)] for note in found.notes])


WIDTH = 118
_LONG = frozenset({"centralities", "evolution"})
"""Tables of every student: their errors are printed, the numbers are in the files."""


def render_text(found: Findings, seeds: int, language: str = "en") -> str:
    """Each experiment: its statements, its errors, its tables; what is odd about the paper's numbers at the end."""
    t = load_words(language)
    parts: list[str] = []
    if found.answers.get("failed") or found.answers.get("fallback"):
        given = {name: found.answers.get(name, 0) for name in ("failed", "fallback")}
        parts += _wrapped(f"!! {t('experiments.answers', total=sum(found.answers.values()), **given)}")
    for experiment in found.experiments:
        part = found.of(experiment)
        title = t("experiments.number", number=experiment.number, title=t(f"experiments.name.{experiment.number}"))
        parts += [title, "=" * len(title), t(f"experiments.question.{experiment.number}"), ""]
        if part.judged:
            parts += _section("statements", statements_grid(part.judged, t), t, seeds=seeds)
        parts += _section("errors", errors_grid(part.errors, t), t)
        if part.real:
            parts += _section("real", real_grid(part.real, t), t)
        for name in experiment.tables:
            rows = [row for row in part.compared if row.published.table == name]
            if rows and name not in _LONG:
                parts += [t(f"experiments.table.{name}").upper(), *_compact(rows, t), ""]
    parts += [t("experiments.section.notes").upper()]
    for note in found.notes:
        parts += _wrapped(f"{t(f'experiments.table.{note.table}')}: {note_of(note, t)}", "  ")
    return "\n".join(parts)


def _section(name: str, grid: Table, t: Words, **given: object) -> Iterator[str]:
    lead = t(f"experiments.section.{name}_lead", **given) if given else t(f"experiments.section.{name}_lead")
    yield t(f"experiments.section.{name}").upper()
    yield from _wrapped(lead)
    yield from _aligned(grid)
    yield ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _aligned(grid: Table) -> Iterator[str]:
    """Columns side by side: words to the left, numbers to the right. A row of its own that is long goes over."""
    rows = [[str(value) for value in row] for row in grid.rows]
    alone = [not any(row[1:-1]) for row in rows]
    short = [row for row, lonely in zip(rows, alone, strict=True) if not lonely]
    widths = [max(map(len, column)) for column in zip(list(grid.columns), *short, strict=True)]
    left = [not _is_number(column) for column in zip(*short, strict=True)] if short else [True] * len(widths)
    yield _line(grid.columns, widths, left)
    for row, lonely in zip(rows, alone, strict=True):
        yield f"{row[-1].upper()}: {row[0]}" if lonely else _line(row, widths, left)


def _is_number(column: Sequence[str]) -> bool:
    return all(value == "" or value[0] in "0123456789+−–" for value in column)


def _line(row: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    cells = (
        f"{value:<{width}}" if to_left else f"{value:>{width}}"
        for value, width, to_left in zip(row, widths, left, strict=True)
    )
    return "  ".join(cells).rstrip()


def _compact(rows: Sequence[Compared], t: Words) -> Iterator[str]:
    """A line each for ours, the paper's and the real lesson's numbers, a column a measure."""
    places: dict[Cell, list[Compared]] = {}
    by_task = rows[0].published.table == "tasks"
    for row in rows:
        key = row.published.cell._replace(measure="") if not by_task else row.published.cell._replace(layout="")
        places.setdefault(key, []).append(row)
    columns = list(dict.fromkeys(_column(row, t, by_task) for row in rows))
    widths = [max(7, *(len(word) for word in column.split())) for column in columns]
    first = max(len(_label(part[0], t, by_task)) for part in places.values()) + 2
    yield from _heads(columns, widths, first + 7)
    for part in places.values():
        known = {_column(row, t, by_task): row for row in part}
        lines = {
            t("experiments.head.ours"): {name: row.mean for name, row in known.items()},
            t("experiments.head.paper"): {name: row.published.paper for name, row in known.items()},
            t("experiments.head.real"): {name: row.published.real for name, row in known.items()},
        }
        label = _label(part[0], t, by_task)
        for who, values in lines.items():
            if any(value == value for value in values.values()):
                cells = "  ".join(
                    f"{number(values.get(name, float('nan'))):>{width}}"
                    for name, width in zip(columns, widths, strict=True)
                )
                yield f"{label:<{first}}{who:<7}{cells}".rstrip()
                label = ""


def _column(row: Compared, t: Words, by_task: bool) -> str:
    cell = row.published.cell
    return t(f"experiments.layout.{cell.layout}") if by_task else measure_of(cell.measure, t)


def _label(row: Compared, t: Words, by_task: bool) -> str:
    cell = row.published.cell
    return measure_of(cell.measure, t) if by_task else place_of(cell, t)


def _heads(columns: Iterable[str], widths: Sequence[int], indent: int) -> Iterator[str]:
    """Heads of several words stand in several lines."""
    wrapped = [textwrap.wrap(column, width) for column, width in zip(columns, widths, strict=True)]
    deep = max(map(len, wrapped))
    for level in range(deep):
        cells = (
            f"{lines[level - (deep - len(lines))] if level >= deep - len(lines) else '':>{width}}"
            for lines, width in zip(wrapped, widths, strict=True)
        )
        yield (" " * indent + "  ".join(cells)).rstrip()
