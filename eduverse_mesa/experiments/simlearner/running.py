"""Playing the studies on an engine, and what is found: numbers, the paper's beside ours, statements, and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine, Serial, Task
from eduverse_mesa.experiments.simlearner.cells import TABLE_COLUMNS, Cells
from eduverse_mesa.experiments.simlearner.designs import Play, Study
from eduverse_mesa.experiments.simlearner.measuring import WORK, Row
from eduverse_mesa.experiments.simlearner.published import Published, published
from eduverse_mesa.experiments.simlearner.statements import Judged, judge
from eduverse_mesa.measures.bounds import bounds_of
from eduverse_mesa.measures.intervals import Interval, mean_interval
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.policies.making import GROUPS, policy_parts

COMPARED_COLUMNS = (
    *("study", "part", "measure", "arm", "learner", "grade", "key", "model"),
    *("paper_low", "paper_high", "mean", "low", "high", "n", "single_low", "single_high"),
)
_READ = msgspec.msgpack.Decoder(list[Row])
_COUNT = "answers"

Watch = Callable[[int], object]
"""Hears how many plays are done."""


class Compared(NamedTuple):
    """A number of the paper beside ours."""

    published: Published
    ours: Interval
    single: tuple[float, float]
    """The least and the most that a single seed showed."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What came of some studies."""

    studies: tuple[Study, ...]
    seeds: int
    policy: str
    table: pd.DataFrame
    cells: Cells
    compared: list[Compared]
    judged: list[Judged]
    answers: dict[str, int]
    """How many answers came in which way."""

    def of(self, study: Study) -> tuple[list[Compared], list[Judged]]:
        """What belongs to one study."""
        return (
            [row for row in self.compared if row.published.study == study.number],
            [one for one in self.judged if one.statement.study == study.number],
        )


def play_all(plays: Sequence[Play], engine: Engine | None = None, watch: Watch | None = None) -> pd.DataFrame:
    """All plays' numbers in one tidy table, in the order of the plays whatever order they came in.

    The first that fails ends it: half a table would be taken for a whole one.
    """
    found: dict[str, pd.DataFrame] = {}
    for play, rows in play_each(plays, engine):
        found[play.key] = rows
        if watch is not None:
            watch(len(found))
    return pd.concat([found[play.key] for play in plays], ignore_index=True)


def play_each(plays: Sequence[Play], engine: Engine | None = None) -> Iterator[tuple[Play, pd.DataFrame]]:
    """One play after the other as they come, each with its numbers as a tidy table; one that fails is raised."""
    by_key = {play.key: play for play in plays}
    tasks = (Task(play.key, msgspec.json.encode(play)) for play in plays)
    for finished in (engine or Serial()).run(WORK, tasks):
        if finished.error:
            raise LessonError(f"play {finished.key} failed: {finished.error}")
        play = by_key[finished.key]
        rows = [
            (play.part, play.arm, play.seed, row.learner, row.grade, row.key, row.measure, row.value)
            for row in _READ.decode(finished.answer)
        ]
        yield play, pd.DataFrame(rows, columns=list(TABLE_COLUMNS))


def find(studies: tuple[Study, ...], table: pd.DataFrame, policy: str) -> Findings:
    """What the numbers say."""
    cells = Cells(table)
    wanted = {study.number for study in studies}
    counts = table[table["measure"] == _COUNT].groupby("key")["value"].sum()
    return Findings(
        studies,
        int(table["seed"].nunique()),
        policy,
        table,
        cells,
        [row for row in compare(cells) if row.published.study in wanted],
        judge(cells, wanted),
        {str(status): int(number) for status, number in counts.items()},
    )


def compare(cells: Cells, rows: Iterable[Published] | None = None) -> list[Compared]:
    """Every number of the paper that was measured here, too."""
    found = []
    for row in published() if rows is None else rows:
        values = list(cells.of(row.cell).values())
        if values:
            found.append(
                Compared(row, mean_interval(values, bounds=bounds_of(row.cell.measure)), (min(values), max(values)))
            )
    return found


def compared_table(rows: Iterable[Compared]) -> pd.DataFrame:
    """As a tidy table, a row a number of the paper."""
    made = [
        (
            *(row.published.study, row.published.cell.part, row.published.cell.measure, row.published.cell.arm),
            *(row.published.cell.learner, row.published.cell.grade, row.published.cell.key, row.published.model),
            *(row.published.low, row.published.high, *row.ours, *row.single),
        )
        for row in rows
    ]
    return pd.DataFrame(made, columns=list(COMPARED_COLUMNS))


def document(found: Findings) -> dict[str, Any]:
    """As plain data, for a program to read."""
    return {
        "studies": [study.name for study in found.studies],
        "seeds": found.seeds,
        "policy": found.policy,
        "answers": found.answers,
        "remarks": remarks(found),
        "statements": [
            {"id": one.statement.id, "study": one.statement.study, "text": one.statement.text, "verdict": one.verdict}
            for one in found.judged
        ],
        "compared": [plain(row) for row in compared_table(found.compared).to_dict("records")],
    }


# --- what has to be said about a number ---


def remarks(found: Findings) -> list[str]:
    """What a reader has to know before believing the numbers."""
    told = []
    numbers = {study.number for study in found.studies}
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


def who_answers(policy: str, kind: str) -> str:
    """The name of the policy that answers a kind of decision."""
    parts = policy_parts(policy)
    group = next((name for name in parts if kind in GROUPS.get(name, ())), "rest")
    return parts.get(kind, parts[group])
