"""Findings as tables of words and numbers, for a page and for a report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

from eduverse_mesa.experiments.papers.comparing import Compared, Errors, Real
from eduverse_mesa.experiments.papers.statements import Found, Judged
from eduverse_mesa.visualization.experiments.wording import between, contrast_of, measure_of, number, place_of
from eduverse_mesa.visualization.page import Table
from eduverse_mesa.visualization.words import Words

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
