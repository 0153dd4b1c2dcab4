"""The pictures of each experiment: the paper's figures, with ours beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from eduverse_mesa.experiments.papers.cells import LAST_SESSION, BySeed, Cell, Cells, cell
from eduverse_mesa.experiments.papers.designs import CHINESE, HISTORY, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.findings import Findings
from eduverse_mesa.experiments.papers.measuring import EXCHANGE
from eduverse_mesa.experiments.papers.published import IRF, TASKS, paper_values, real_lessons, students
from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.bounds import bounds_of
from eduverse_mesa.measures.intervals import mean_interval
from eduverse_mesa.measures.networks import NETWORK_COLUMNS
from eduverse_mesa.visualization.charts.drawing import ChartFunction
from eduverse_mesa.visualization.charts.experiments import (
    Beside,
    Difference,
    Point,
    Web,
    beside_paper,
    contrasts_beside_paper,
    exchange_networks,
    over_sessions,
)
from eduverse_mesa.visualization.experiments.wording import contrast_of, measure_of
from eduverse_mesa.visualization.words import Words

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
        """As an Altair chart."""
        return self.chart(self.data, words=chart_words_of(t), **({} if width is None else {"width": width}))

    def spec(self, t: Words) -> dict[str, Any]:
        """As Vega-Lite, as wide as the page."""
        return self.chart.spec(self.data, words=chart_words_of(t), width="container")


def chart_words_of(t: Words) -> dict[str, str]:
    """What these charts say, besides their labels."""
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
