"""All that the experiments found: numbers beside the paper's, errors, real lessons, notes on the tables, lessons played
twice, and one JSON document of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from eduverse_mesa.experiments.papers import statements
from eduverse_mesa.experiments.papers.eduverse.designs import LAYOUTS, SESSIONS, Experiment
from eduverse_mesa.experiments.papers.eduverse.published import (
    COUNTS,
    DERIVED,
    IRF,
    Cell,
    Cells,
    Published,
    cell,
    paper_values,
    published,
    real_lessons,
    reference,
)
from eduverse_mesa.experiments.papers.eduverse.statements import Judged, judge, judged_table
from eduverse_mesa.experiments.papers.statements import LEAST_SEEDS, BySeed
from eduverse_mesa.measures.evolution import STATE_COLUMNS
from eduverse_mesa.measures.intervals import share_interval
from eduverse_mesa.measures.tables import plain

SPREAD = (0.025, 0.975)
"""Between these quantiles lie 19 of 20 of our lessons; of others fewer (expected_within)."""
COMPARED_COLUMNS = (
    *("table", "basis", "variant", "layout", "genre", "session", "student", "measure"),
    *("mean", "low", "high", "n", "sd", "from", "to", "paper", "real", "difference", "within"),
)
ERROR_COLUMNS = ("table", "basis", "measure", "cells", "error", "floor", "floor_to", "within", "expected")


class Compared(statements.Compared[Published]):
    """A number of the paper beside ours."""

    @property
    def sd(self) -> float:
        """The standard deviation of our lessons; NaN where they are too few to tell."""
        return float(np.std(list(self.ours.values()), ddof=1)) if self.value.n >= LEAST_SEEDS else math.nan

    @cached_property
    def spread(self) -> tuple[float, float]:
        """Between these lie 19 of 20 of our lessons."""
        return spread_of(self.ours)

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.value.mean - self.published.paper

    @property
    def within(self) -> float:
        """1 where the paper's lesson lies among 19 of 20 of ours, else 0; NaN where ours are too few to tell."""
        low, high = self.spread
        if not math.isfinite(low):
            return math.nan
        # The paper rounds to three digits.
        return float(low - 0.0005 <= self.published.paper <= high + 0.0005)


def spread_of(ours: BySeed) -> tuple[float, float]:
    """Return the SPREAD quantiles of our lessons; NaN where they are too few to tell."""
    if len(ours) < LEAST_SEEDS:
        return math.nan, math.nan
    low, high = np.quantile(list(ours.values()), SPREAD)
    return float(low), float(high)


def compare(cells: Cells, rows: Iterable[Published] | None = None) -> list[Compared]:
    """Every number of the paper that was measured here, too."""
    return Compared.among(published() if rows is None else rows, cells)


def compared_table(rows: Iterable[Compared]) -> pd.DataFrame:
    """Return the comparison as a tidy table, a row a number of the paper."""
    made = [
        (
            row.published.table,
            row.published.basis,
            *row.published.cell,
            *(*row.value, row.sd, *row.spread),
            *(row.published.paper, row.published.real, row.difference, row.within),
        )
        for row in rows
    ]
    return pd.DataFrame(made, columns=list(COMPARED_COLUMNS))


# --- errors ---


class Errors(NamedTuple):
    """How far our means are from the paper's single lessons, over some cells."""

    table: str
    basis: str
    measure: str
    cells: int
    error: float
    """The mean of the absolute differences."""
    floor: float
    """The error that a model without any fault would show."""
    floor_to: float
    """19 of 20 experiments like the paper's would show no more than this of a model without any fault."""
    within: float
    """The share of the paper's numbers that lie among 19 of 20 of our single lessons."""
    expected: float
    """The same share if the paper's lessons were drawn like ours: few seeds have narrow quantiles."""


def errors(rows: Sequence[Compared]) -> list[Errors]:
    """By table and by whether the cells were fitted: shares together, counts each by itself. Fitted and predicted cells
    are never put together."""
    found = []
    for (table, basis), part in _groups(rows, lambda row: (row.published.table, row.published.basis)):
        found += [
            _errors(table, basis, measure, group) for (measure,), group in _groups(part, lambda row: (_scale(row),))
        ]
    for (basis,), part in _groups(rows, lambda row: (row.published.basis,)):
        shares = [row for row in part if _scale(row) == "shares" and row.published.table not in DERIVED]
        if shares:
            found.append(_errors("all", basis, "shares", shares))
    return found


def errors_table(found: Iterable[Errors]) -> pd.DataFrame:
    """Return the errors as a table."""
    return pd.DataFrame(list(found), columns=list(ERROR_COLUMNS))


def _scale(row: Compared) -> str:
    measure = row.published.cell.measure
    return measure if measure in COUNTS else "shares"


def _groups(
    rows: Iterable[Compared], key: Callable[[Compared], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], list[Compared]]]:
    grouped: dict[tuple[str, ...], list[Compared]] = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    yield from grouped.items()


def _errors(table: str, basis: str, measure: str, rows: Sequence[Compared]) -> Errors:
    floor, floor_to = noise_floor([row.ours for row in rows])
    known = [row for row in rows if math.isfinite(row.within)]
    return Errors(
        *(table, basis, measure, len(rows), fmean(abs(row.difference) for row in rows), floor, floor_to),
        fmean(row.within for row in known) if known else math.nan,
        fmean(expected_within(row.value.n) for row in known) if known else math.nan,
    )


def expected_within(seeds: int) -> float:
    """The share of new lessons between the SPREAD quantiles of so many old ones, all drawn alike.

    On average the k-th smallest of n values has k/(n + 1) of the new ones below it, whatever they are drawn from;
    between two values in proportion, as numpy's quantiles are. 0.95 needs hundreds of seeds: ten have 0.78, fifty 0.91.
    """
    below, above = ((share * (seeds - 1) + 1) / (seeds + 1) for share in SPREAD)
    return above - below


def noise_floor(cells: Sequence[BySeed]) -> tuple[float, float]:
    """The mean absolute error of a model that is exactly right, against one lesson a cell, and what it hardly exceeds.

    Each seed's lessons take the paper's place once: their distance from the mean of the other seeds, over all cells. It
    supposes that the paper's lessons vary from draw to draw as ours do, which nobody can know: it shows one draw.
    """
    by_seed: dict[int, list[float]] = {}
    for values in cells:
        if len(values) < LEAST_SEEDS:
            continue
        total, count = math.fsum(values.values()), len(values)
        for seed, value in values.items():
            by_seed.setdefault(seed, []).append(abs(value - (total - value) / (count - 1)))
    # A seed that lacks cells (nobody talked, so there is no density) is as good as the others.
    single = [fmean(distances) for distances in by_seed.values()]
    if not single:
        return math.nan, math.nan
    return fmean(single), float(np.quantile(single, 0.95))


# --- real classes ---


class Real(NamedTuple):
    """A rate of the four real lessons: ours and the paper's over its three layouts, and how far each is off."""

    genre: str
    measure: str
    real: float
    paper: float
    mean: float
    low: float
    high: float
    n: int
    lecture: float
    """Ours in the lecture layout alone, in which the real lessons were held."""

    @property
    def error(self) -> float:
        """Ours, from the real lesson."""
        return abs(self.mean - self.real)

    @property
    def paper_error(self) -> float:
        """The paper's, from the real lesson."""
        return abs(self.paper - self.real)


def beside_real(cells: Cells) -> list[Real]:
    """Initiation, feedback and IRF of the four real lessons (Tables 1 and 5); their responses are not published."""
    papers = paper_values()
    found = []
    for genre, known in real_lessons().items():
        for name in IRF:
            places: list[Cell] = [cell(layout, genre, f"irf.{name}") for layout in LAYOUTS]
            ours = cells.mean(places)
            if not ours or not math.isfinite(known[name]):
                continue
            lecture = list(cells.of(places[0]).values())
            paper = fmean(papers[place] for place in places)
            found.append(
                Real(genre, f"irf.{name}", known[name], paper, *share_interval(list(ours.values())), fmean(lecture))
            )
    return found


def real_errors(found: Iterable[Real]) -> Mapping[str, tuple[float, float]]:
    """Of each rate the mean absolute error, ours and the paper's own."""
    by_measure: dict[str, list[Real]] = {}
    for row in found:
        by_measure.setdefault(row.measure, []).append(row)
    return {
        measure: (fmean(row.error for row in rows), fmean(row.paper_error for row in rows))
        for measure, rows in by_measure.items()
    }


_ROUNDING = 0.0015


TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "irf_above_i": (
            "In {above} of the {lessons} simulated lessons the share of complete IRF cycles exceeds that of "
            "initiations ({rows}). With one initiation for both this cannot be; here the IRF rate takes an initiation "
            "of any kind (a question, a discussion, a named call, a student's question taken up)."
        ),
        "steps_unknown": ("The steps of {lessons} lessons are not published, nor any response rate of a real one."),
        "real_feedback": (
            "The feedback rate of the real lessons ({low:.3f} to {high:.3f}) is probably the share of steps with "
            "feedback, that of the simulated ones the share of students who get it in a step; they are no measure of "
            "one another."
        ),
        "no_whole": "In {groups} groups the shares do not make 1.",
        "least_interaction": (
            "That the {layout} has the least interaction rests on {least:.3f} against {other_least:.3f} in {other}: "
            "{gap:.3f}, from three lessons each."
        ),
        "density_wrong": "In {rows} rows density or degree do not follow from nodes and edges.",
        "density_of_few": (
            "Density is over the students who talked at all: {genre} in {layout} has the highest, {density:.3f}, with "
            "{edges} pairs, since only {nodes} students took part."
        ),
        "arrows_lost": "{genre} in {layout}: {left} arrows leave and {arrived} arrive.",
        "nodes_differ": "{genre} in {layout}: {size} students are listed, and Table 2 has {nodes}.",
        "arrows_and_pairs": "{genre} in {layout}: {left} arrows cannot be between {pairs} pairs.",
        "no_transitions": (
            "The table is called one of transitions. It gives {students} students 1.000 for emotion, who would have to "
            "rise at every step of a scale of three; so it must be the share of steps in a positive state, as computed "
            "here."
        ),
        "best_session": "The class's best session is number {best}; the gain is session 4 minus session 1.",
        "twice": (
            "Two of the lessons are in Table A9, too, in the same layout: {rows} (A9, then A13). They are {apart:.3f} "
            "apart on average, though the class is the same and the first session has nothing to remember: no model "
            "can meet both, and one lesson of the paper says little about the next."
        ),
        "gains_differ": "The gains printed are not quite those of Table A13: {rows}.",
    }
)
"""Texts of the notes in English, with gaps for the values that are found."""


class Note(NamedTuple):
    """Something about one of the paper's tables."""

    table: str
    id: str
    """Of the text, in TEXTS."""
    given: Mapping[str, str | int | float]
    cells: int = 0
    """Number of the table's cells that the note is about; 0 if it tells how to read the whole table."""

    @property
    def text(self) -> str:
        """In English."""
        return TEXTS[self.id].format_map(self.given)


def notes() -> tuple[Note, ...]:
    """All of them."""
    return (*_irf(), *_bec(), *_networks(), *_centralities(), *_evolution(), *_regulate())


def _irf() -> Iterator[Note]:
    table = reference("irf")
    simulated = table[table["setting"] != "real"]
    above = simulated[simulated["irf"] > simulated["i"]]
    rows = ", ".join(f"{row.lesson} ({row.setting})" for row in above.itertuples())
    yield Note("irf", "irf_above_i", {"above": len(above), "lessons": len(simulated), "rows": rows}, len(above))
    unknown = int(simulated["steps"].isna().sum())
    if unknown:
        yield Note("irf", "steps_unknown", {"lessons": unknown})
    real = table[table["setting"] == "real"]["f"]
    yield Note("irf", "real_feedback", {"low": float(real.min()), "high": float(real.max())})


def _bec() -> Iterator[Note]:
    table = reference("bec")
    groups = {letter: [name for name in table.columns if name.startswith(f"{letter}_")] for letter in "bec"}
    off = sum(int(((table[names].sum(axis=1) - 1).abs() > 2 * _ROUNDING).sum()) for names in groups.values())
    if off:
        yield Note("bec", "no_whole", {"groups": off}, off)
    full = table[table["variant"] == "full"].groupby("layout")["b_interactive"].mean()
    (layout, least), (other, second), *_ = sorted(full.items(), key=lambda item: float(item[1]))
    given = {"layout": str(layout), "least": least, "other": str(other), "other_least": second, "gap": second - least}
    yield Note("bec", "least_interaction", given)


def _networks() -> Iterator[Note]:
    table = reference("networks")
    nodes, edges = table["nodes"], table["edges"]
    wrong = ((table["density"] - 2 * edges / (nodes * (nodes - 1))).abs() > _ROUNDING) | (
        (table["average_degree"] - 2 * edges / nodes).abs() > _ROUNDING
    )
    if wrong.any():
        yield Note("networks", "density_wrong", {"rows": int(wrong.sum())}, int(wrong.sum()))
    top = max(table.to_dict("records"), key=lambda row: row["density"])
    yield Note("networks", "density_of_few", {str(name): value for name, value in top.items()})


def _centralities() -> Iterator[Note]:
    """Arrows that leave are arrows that arrive; and pairs with an exchange have one arrow or two."""
    graphs = {(row["genre"], row["layout"]): row for row in reference("networks").to_dict("records")}
    listed = reference("centrality")
    for (genre, layout), graph in graphs.items():
        part = listed[(listed["genre"] == genre) & (listed["layout"] == layout)]
        size, pairs = len(part), int(graph["edges"])
        if not size:
            continue  # the history lesson's are not published
        arrived, left = (round(float(part[name].sum()) * (size - 1)) for name in ("in", "out"))
        given = {"genre": genre, "layout": layout, "size": size, "left": left, "arrived": arrived}
        given |= {"nodes": int(graph["nodes"]), "pairs": pairs}
        wrong = {
            "arrows_lost": arrived != left,
            "nodes_differ": graph["nodes"] != size,
            "arrows_and_pairs": not pairs <= left <= 2 * pairs,
        }
        for name, found in wrong.items():
            if found:
                yield Note("centralities", name, given, 4 * size)


def _evolution() -> Iterator[Note]:
    table = reference("evolution")
    yield Note("evolution", "no_transitions", {"students": int((table["e_pos"] == 1).sum())})
    best = table.groupby("session")["overall"].mean().idxmax()
    yield Note("evolution", "best_session", {"best": int(str(best))})
    found = repeats()
    apart = fmean(abs(row.alone - row.in_course) for row in found)
    rows = "; ".join(f"{row.lesson} {row.share} {row.alone:.3f}, {row.in_course:.3f}" for row in found)
    yield Note("sessions", "twice", {"rows": rows, "apart": apart}, len(found))


class Repeat(NamedTuple):
    """A share that the paper has twice: of a lesson by itself, and of the same lesson in a course."""

    lesson: str
    share: str
    alone: float
    in_course: float


def repeats() -> tuple[Repeat, ...]:
    """Sessions 1 and 3 are the lessons of Table A9 in the lecture layout."""
    states = {"b_pos": "b_interactive", "e_pos": "e_positive", "c_pos": "c_high"}
    lessons = {1: "lyrical_prose", 3: "argumentative_essay"}
    papers = paper_values()
    return tuple(
        Repeat(
            *(genre, share),
            papers[cell("lecture", genre, f"bec.{share}")],
            papers[cell("lecture", SESSIONS, f"evolution.{state}", session=session)],
        )
        for session, genre in lessons.items()
        for state, share in states.items()
    )


def _regulate() -> Iterator[Note]:
    # By session, in order.
    means = {name: reference("evolution").groupby("session")[name].mean().tolist() for name in STATE_COLUMNS}
    [printed] = [row for row in reference("regulate_ablation").to_dict("records") if row["variant"] == "full"]
    wrong = []
    for name, key in zip(STATE_COLUMNS, ("delta_b_pos", "delta_e_pos", "delta_c_pos", "delta_all"), strict=True):
        gain = means[name][-1] - means[name][0]
        if abs(gain - printed[key]) > _ROUNDING:
            wrong.append(f"{name} {printed[key]:.3f}, {gain:.3f}")
    if wrong:
        yield Note("regulate", "gains_differ", {"rows": ", ".join(wrong)}, len(wrong))


_OUTCOMES = "outcomes."
_WITH_REAL_LESSONS = frozenset({1, 4})


class Findings(statements.Findings[Experiment, Cells, Compared]):
    """Everything that some experiments found."""

    @cached_property
    def errors(self) -> list[Errors]:
        """How far our means are from the paper's."""
        return errors(self.compared)

    @cached_property
    def real(self) -> list[Real]:
        """The rates of the real lessons, where an experiment is about them."""
        about = {genre for one in self.experiments if one.number in _WITH_REAL_LESSONS for genre in one.genres}
        return [row for row in beside_real(self.cells) if row.genre in about]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Oddities of the paper's numbers that are compared with."""
        tables = {name for experiment in self.experiments for name in experiment.tables}
        return tuple(note for note in notes() if note.table in tables)


def find(experiments: Sequence[Experiment], table: pd.DataFrame, policy: str = "") -> Findings:
    """Return the findings from the numbers of trials."""
    cells = Cells(table)
    everything = compare(cells)
    # In the order of the experiments, each once.
    shown = {row.published.cell: row for one in experiments for row in everything if one.shows(row.published)}
    return Findings(
        experiments=tuple(experiments),
        policy=policy,
        table=table,
        cells=cells,
        compared=list(shown.values()),
        judged=judge(cells, [experiment.number for experiment in experiments]),
        answers=_answers(table),
    )


def _answers(table: pd.DataFrame) -> dict[str, int]:
    if table.empty:
        return {}
    counted = table[table["measure"].str.startswith(_OUTCOMES)]
    sums = counted.groupby("measure", sort=False)["value"].sum()
    return {str(name).removeprefix(_OUTCOMES): int(number) for name, number in sums.items()}


def document(found: Findings) -> dict[str, Any]:
    """Return the findings as one JSON document; a value that cannot be told is null."""
    whole: Mapping[str, Any] = {
        "experiments": [experiment.number for experiment in found.experiments],
        "answers": found.answers,
        "statements": [_statement(one) for one in found.judged],
        "errors": errors_table(found.errors).to_dict("records"),
        "real": [{**row._asdict(), "error": row.error, "paper_error": row.paper_error} for row in found.real],
        "real_errors": {
            measure: {"ours": ours, "paper": paper} for measure, (ours, paper) in real_errors(found.real).items()
        },
        "tables": compared_table(found.compared).to_dict("records"),
        "notes": [{"table": note.table, "text": note.text, "cells": note.cells} for note in found.notes],
    }
    made: dict[str, Any] = plain(whole)
    return made


def _statement(one: Judged) -> dict[str, Any]:
    contrasts = judged_table([one]).drop(columns=["statement", "experiment"])
    return {
        "id": one.statement.id,
        "experiment": one.statement.number,
        "text": one.statement.text,
        "verdict": one.verdict,
        "contrasts": contrasts.to_dict("records"),
    }
