"""All that the experiments found, for a terminal, a page or another program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.papers.cells import Cells
from eduverse_mesa.experiments.papers.comparing import (
    Compared,
    Errors,
    Real,
    beside_real,
    compare,
    compared_table,
    errors,
    errors_table,
    real_errors,
    shown_by,
)
from eduverse_mesa.experiments.papers.designs import Experiment
from eduverse_mesa.experiments.papers.notes import Note, notes
from eduverse_mesa.experiments.papers.statements import Judged, judge, judged_table
from eduverse_mesa.measures.tables import plain

_OUTCOMES = "outcomes."
_WITH_REAL_LESSONS = frozenset({1, 4})


@dataclass(frozen=True)
class Findings:
    """What some experiments found."""

    experiments: tuple[Experiment, ...]
    table: pd.DataFrame
    """Every number, tidy."""
    cells: Cells
    compared: tuple[Compared, ...]
    errors: tuple[Errors, ...]
    judged: tuple[Judged, ...]
    real: tuple[Real, ...]
    """The rates of the real lessons, where an experiment is about them."""

    def of(self, experiment: Experiment) -> Findings:
        """The part that is one experiment's."""
        rows = shown_by(experiment, self.compared)
        return Findings(
            (experiment,),
            self.table,
            self.cells,
            tuple(rows),
            tuple(errors(rows)),
            tuple(one for one in self.judged if one.statement.experiment == experiment.number),
            _real(self.real, [experiment]),
        )

    @property
    def answers(self) -> dict[str, int]:
        """How the answers came in all lessons: ok, repaired, from a fallback, failed."""
        if self.table.empty:
            return {}
        counted = self.table[self.table["measure"].str.startswith(_OUTCOMES)]
        sums = counted.groupby("measure", sort=False)["value"].sum()
        return {str(name).removeprefix(_OUTCOMES): int(number) for name, number in sums.items()}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is odd about the paper's numbers that are compared with."""
        tables = {name for experiment in self.experiments for name in experiment.tables}
        return tuple(note for note in notes() if note.table in tables)


def find(experiments: Sequence[Experiment], table: pd.DataFrame) -> Findings:
    """What the numbers of trials say."""
    cells = Cells(table)
    shown: dict[Any, Compared] = {}
    everything = compare(cells)
    for experiment in experiments:
        shown |= {row.published.cell: row for row in shown_by(experiment, everything)}
    rows = tuple(shown.values())
    numbers = [experiment.number for experiment in experiments]
    return Findings(
        tuple(experiments),
        table,
        cells,
        rows,
        tuple(errors(rows)),
        tuple(judge(cells, numbers)),
        _real(beside_real(cells), experiments),
    )


def _real(rows: Iterable[Real], experiments: Sequence[Experiment]) -> tuple[Real, ...]:
    """The real lessons that some experiments are about."""
    about = {genre for one in experiments if one.number in _WITH_REAL_LESSONS for genre in one.genres}
    return tuple(row for row in rows if row.genre in about)


def document(found: Findings) -> dict[str, Any]:
    """As one JSON document; what cannot be told is null."""
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
        "experiment": one.statement.experiment,
        "text": one.statement.text,
        "verdict": one.verdict,
        "contrasts": contrasts.to_dict("records"),
    }
