"""Findings of the studies: the paper's numbers beside ours, statements, and remarks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.papers import statements
from eduverse_mesa.experiments.papers.simlearner.designs import ARMS, GRADES, Study
from eduverse_mesa.experiments.papers.simlearner.published import (
    Cell,
    Cells,
    Published,
    coverage_band,
    published,
    range_of,
)
from eduverse_mesa.experiments.papers.statements import judged
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.policies.registry import who_answers
from eduverse_mesa.scenarios.tutoring import Arm

JUDGED_COLUMNS = (
    *("study", "statement", "text", "check", "mean", "low", "high", "n", "least", "most", "single", "verdict"),
)
Check = statements.Check[Cell]
Compared = statements.Compared[Published]
Findings = statements.Findings[Study, Cells, Compared]
Judged = statements.Judged[Cell]
Statement = statements.Statement[Cell]


def judge(cells: Cells, wanted: Collection[int]) -> list[Judged]:
    """Every statement of some studies."""
    return [judged(statement, cells) for statement in STATEMENTS if statement.number in wanted]


def judged_table(found: Iterable[Judged]) -> pd.DataFrame:
    """Return the judged statements as a table, a row a check."""
    rows = [
        (
            *(one.statement.number, one.statement.id, one.statement.text, part.check.name),
            *(*part.value, part.check.least, part.check.most, part.single, part.verdict),
        )
        for one in found
        for part in one.found
    ]
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


# --- the statements ---


def _score(grade: int) -> Cell:
    return Cell("first_grade", "score", grade=grade)


def _covered(grade: int, arm: Arm = "full") -> Cell:
    return Cell("years", "coverage", arm, grade=grade)


def _falling(cells: Sequence[tuple[str, Cell]]) -> tuple[Check, ...]:
    """Each is larger than the next."""
    return tuple(
        Check(f"{name} > {other}", (cell,), (following,), least=0.0)
        for (name, cell), (other, following) in pairwise(cells)
    )


_MEMORY, _BASE = (Cell("people", "f1", arm, key="1") for arm in ARMS)
_ALIGNED, _DRIFTED = (Cell("years", "alignment", arm) for arm in ARMS)
_ALIGNMENT = range_of("concept_alignment_accuracy", "full")
_LEAST_COVERED, _MOST_COVERED = coverage_band()
_NEAR_SEVEN = (6.0, 8.0)

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "seven",
        1,
        "At the end of grade 1 answers to grade 1 show a mastery near 7 of 10.",
        (Check("score of grade 1", (_score(1),), least=_NEAR_SEVEN[0], most=_NEAR_SEVEN[1]),),
    ),
    Statement(
        "falling",
        1,
        "The further above the grade, the less mastery the answers show.",
        _falling([(f"grade {grade}", _score(grade)) for grade in GRADES]),
    ),
    Statement(
        "standard",
        2,
        "With memory, learners stay between 77.2 and 91.6 % of the standard in each grade.",
        tuple(
            Check(f"coverage in grade {grade}", (_covered(grade),), least=_LEAST_COVERED, most=_MOST_COVERED)
            for grade in GRADES
        ),
    ),
    Statement(
        "far_above",
        2,
        "Without memory, learners know far more in grade 1 than they were taught (here: above 150 %).",
        (Check("base, coverage in grade 1", (_covered(1, "base"),), least=1.5),),
    ),
    Statement(
        "converging",
        2,
        "Without memory, learners come nearer to the standard with each grade.",
        _falling([(f"base, grade {grade}", _covered(grade, "base")) for grade in GRADES]),
    ),
    Statement(
        "p1_above",
        3,
        "P1 is above P2 nearly throughout (here: in at least 80 % of the cells of concept and grade).",
        (Check("cells with P1 above P2", (Cell("years", "above"),), least=0.8),),
    ),
    Statement(
        "recovered",
        4,
        "A judge who reads a dialogue recovers the personality (F1 at least .62, as with the paper's weakest model).",
        tuple(
            Check(f"F1, {name}", (cell,), least=range_of("personality_f1", arm)[0])
            for name, arm, cell in (("with memory", "full", _MEMORY), ("base", "base", _BASE))
        ),
    ),
    Statement(
        "price",
        4,
        "Memory costs a little of it: the base recovers more.",
        (Check("F1: base > with memory", (_BASE,), (_MEMORY,), least=0.0),),
    ),
    Statement(
        "aligned",
        5,
        "With memory, what was planned is what stays (89.5 to 93.0 % over the paper's models).",
        (Check("alignment, with memory", (_ALIGNED,), least=_ALIGNMENT[0], most=_ALIGNMENT[1]),),
    ),
    Statement(
        "drift",
        5,
        "Without memory, talk drifts away from the topic more.",
        (Check("alignment: with memory > base", (_ALIGNED,), (_DRIFTED,), least=0.0),),
    ),
)


COMPARED_COLUMNS = (
    *("study", "part", "measure", "arm", "learner", "grade", "key", "model"),
    *("paper_low", "paper_high", "mean", "low", "high", "n", "single_low", "single_high"),
)
_COUNT = "answers"


def find(studies: tuple[Study, ...], table: pd.DataFrame, policy: str) -> Findings:
    """Return the findings from the numbers."""
    cells = Cells(table)
    wanted = {study.number for study in studies}
    counts = table[table["measure"] == _COUNT].groupby("key")["value"].sum()
    return Findings(
        experiments=studies,
        policy=policy,
        table=table,
        cells=cells,
        compared=[row for row in compare(cells) if row.published.study in wanted],
        judged=judge(cells, wanted),
        answers={str(status): int(number) for status, number in counts.items()},
    )


def compare(cells: Cells, rows: Iterable[Published] | None = None) -> list[Compared]:
    """Every number of the paper that was measured here, too."""
    return Compared.among(published() if rows is None else rows, cells)


def compared_table(rows: Iterable[Compared]) -> pd.DataFrame:
    """Return the comparison as a tidy table, a row a number of the paper."""
    made = [
        (
            *(row.published.study, row.published.cell.part, row.published.cell.measure, row.published.cell.arm),
            *(row.published.cell.learner, row.published.cell.grade, row.published.cell.key, row.published.model),
            *(row.published.low, row.published.high, *row.value, *row.single),
        )
        for row in rows
    ]
    return pd.DataFrame(made, columns=list(COMPARED_COLUMNS))


def document(found: Findings) -> dict[str, Any]:
    """Return the findings as plain data, for a program to read."""
    return {
        "studies": [study.name for study in found.experiments],
        "seeds": found.seeds,
        "policy": found.policy,
        "answers": found.answers,
        "remarks": remarks(found),
        "statements": [
            {"id": one.statement.id, "study": one.statement.number, "text": one.statement.text, "verdict": one.verdict}
            for one in found.judged
        ],
        "compared": [plain(row) for row in compared_table(found.compared).to_dict("records")],
    }


# --- what has to be said about a number ---


def remarks(found: Findings) -> list[str]:
    """Return the remarks that a reader has to know before believing the numbers."""
    told = []
    numbers = {study.number for study in found.experiments}
    if numbers & {1, 4}:
        judges = {kind: who_answers(found.policy, kind) for kind in ("judge_answer", "label_traits")}
        learner = who_answers(found.policy, "reply")
        kinds = {"judge_answer": 1, "label_traits": 4}
        same = sorted(kinds[kind] for kind, name in judges.items() if name == learner and kinds[kind] in numbers)
        if same:
            which = " and ".join(map(str, same))
            told.append(
                f"Self-consistency, not realism: in study {which} judge and learner are both the policy '{learner}'. "
                "The judge looks for signs that the same policy has put there; the number says that they arrive, not "
                "that real learners sound like this."
            )
    bad = {status: number for status, number in found.answers.items() if status != "ok"}
    if bad:
        parts = ", ".join(f"{number:,} {status}" for status, number in bad.items())
        told.append(f"Of {sum(found.answers.values()):,} answers {parts}.")
    return told
