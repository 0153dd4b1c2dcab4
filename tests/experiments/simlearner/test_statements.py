"""Statements: when one holds, when it does not, and when that cannot be said."""

from __future__ import annotations

import math

import pytest

from eduverse_mesa.experiments.papers.simlearner.designs import GRADES, STUDIES
from eduverse_mesa.experiments.papers.simlearner.findings import (
    STATEMENTS,
    Check,
    compare,
    compared_table,
    find,
    judge,
    judged_table,
    remarks,
)
from eduverse_mesa.experiments.papers.simlearner.published import Cell, Cells, published
from eduverse_mesa.experiments.papers.statements import Found
from eduverse_mesa.measures.intervals import mean_interval
from eduverse_mesa.policies.registry import who_answers
from tests.experiments.simlearner.tables import table

ABOVE = Cell("years", "above")


def found(values: list[float], least: float = 0.8, most: float = math.inf) -> Found[Cell]:
    return Found(Check("check", (ABOVE,), least=least, most=most), mean_interval(values), 0.0, (values, []))


def test_a_check_holds_where_the_whole_interval_lies_within_its_bounds() -> None:
    assert found([0.85, 0.86, 0.87]).verdict == "holds"
    assert found([0.75, 0.86, 0.95]).verdict == "uncertain"
    assert found([0.70, 0.75, 0.80]).verdict == "fails"
    assert found([0.85, 0.86, 0.87], most=0.86).verdict == "fails"
    assert found([0.84, 0.85, 0.86], most=0.861).verdict == "uncertain"


def test_a_single_seed_cannot_tell_and_neither_can_none() -> None:
    assert found([0.9]).verdict == "unknown"
    assert found([]).verdict == "unknown"


def falling(*means: float) -> Cells:
    """Scores by grade, in three seeds that differ little."""
    cells = {Cell("first_grade", "score", grade=grade): mean for grade, mean in zip(GRADES, means, strict=True)}
    return Cells(table({cell: [mean - 0.01, mean, mean + 0.01] for cell, mean in cells.items()}))


@pytest.mark.parametrize(
    ("means", "verdict"),
    [((7.0, 2.5, 2.0, 1.8, 1.6), "holds"), ((7.0, 2.5, 2.0, 1.6, 1.8), "fails")],
)
def test_to_fall_strictly_is_to_fall_from_each_grade_to_the_next(means: tuple[float, ...], verdict: str) -> None:
    [seven, strictly] = judge(falling(*means), {1})
    assert seven.verdict == "holds"
    assert strictly.verdict == verdict
    assert len(judged_table([seven, strictly])) == 5


def test_a_difference_is_judged_within_seeds() -> None:
    # The seeds differ by far more than the arms do, but each agrees about the arms.
    numbers = {
        Cell("people", "f1", "base", key="1"): [0.72, 0.92, 0.82],
        Cell("people", "f1", "full", key="1"): [0.71, 0.91, 0.81],
    }
    by_id = {one.statement.id: one for one in judge(Cells(table(numbers)), {4})}
    assert by_id["price"].verdict == "holds"
    assert by_id["price"].found[0].single == 1.0


def test_every_study_has_statements_and_published_numbers_but_the_third() -> None:
    assert {statement.number for statement in STATEMENTS} == {study.number for study in STUDIES}
    assert {row.study for row in published()} == {1, 2, 4, 5}  # the third is a figure without numbers


def test_the_papers_numbers_stand_beside_ours() -> None:
    rows = compare(Cells(table({Cell("years", "alignment"): [0.9, 0.92]})))
    assert [row.published.low for row in rows] == [0.907, 0.895, 0.930, 0.915]
    shown = compared_table(rows)
    assert shown["mean"].tolist() == [pytest.approx(0.91)] * 4
    assert shown["single_low"].tolist() == [0.9] * 4


def test_a_number_that_judges_itself_says_so() -> None:
    numbers = table({Cell("people", "f1", key="1"): [0.8], Cell("people", "answers", key="ok"): [10.0]})
    alone = remarks(find((STUDIES[3],), numbers, "embedded"))
    assert len(alone) == 1
    assert alone[0].startswith("Self-consistency, not realism: in study 4")
    assert remarks(find((STUDIES[3],), numbers, "label_traits=llm,rest=embedded")) == []
    assert remarks(find((STUDIES[2],), numbers, "embedded")) == []


def test_answers_that_did_not_come_are_told() -> None:
    numbers = table({Cell("years", "answers", key="ok"): [10.0], Cell("years", "answers", key="fallback"): [2.0]})
    assert remarks(find((STUDIES[2],), numbers, "embedded")) == ["Of 12 answers 2 fallback."]


@pytest.mark.parametrize(
    ("policy", "kind", "who"),
    [
        ("embedded", "judge", "embedded"),
        ("judge=llm,rest=embedded", "label_traits", "llm"),
        ("judge=llm,label_traits=local,rest=embedded", "label_traits", "local"),
        ("learner=llm,rest=embedded", "judge", "embedded"),
    ],
)
def test_who_answers_is_read_off_the_policy(policy: str, kind: str, who: str) -> None:
    assert who_answers(policy, kind) == who
