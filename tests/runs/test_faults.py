"""Whole lessons with a server that errs: how they end, by the table of benchmarks.faults."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from benchmarks.faults import Bench, Row, bench_faults, page, write
from tests.policies.llm.faults import FAULTS

ROOT = Path(__file__).parents[2]
KINDS = (
    "429",
    "reset in the body",
    "429 for good, Gemini, a list",
    "429 for good, Retry-After 1e9",
    "429, request too large for some",
    "405",
    "422 of FastAPI for some",
    "a stream",
    "in tool_calls",
    "single quotes",
    "cut off while thinking, always",
    "NaN",
    "prose for a third",
    "gpt-5",
    "gemma at Google",
    "one schema refused",
)
"""Of each kind of fault one or two."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


@pytest.mark.xdist_group("fault-table")
@pytest.mark.parametrize("name", KINDS)
def test_a_lesson_ends_as_it_should(name: str, bench: Bench) -> None:
    row = bench.row(name, FAULTS[name])
    assert row.wrong == [], row
    assert row.paid.requests


@pytest.mark.slow
def test_every_fault_ends_as_it_should() -> None:
    wrong = {row.fault: row for row in bench_faults() if row.wrong}
    assert wrong == {}


def test_there_are_faults_of_every_group() -> None:
    assert len(FAULTS) >= 90
    assert {FAULTS[name].group for name in KINDS} == {fault.group for fault in FAULTS.values()}


@pytest.mark.xdist_group("fault-table")
def test_the_table_can_be_kept(bench: Bench, tmp_path: Path) -> None:
    rows: list[Row] = [bench.row(name, FAULTS[name]) for name in ("401", "byte-order mark")]
    write(rows, tmp_path / "a.csv", tmp_path / "a.json")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    assert [(row["fault"], row["exit"]) for row in listed] == [("401", "4"), ("byte-order mark", "0")]
    kept = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert kept[1]["paid"]["tokens"] == rows[1].paid.tokens
    assert "the server does not accept the key" in kept[0]["message"]
    told = page(rows)
    assert told.startswith("# Faults of model servers\n")
    assert "2 lessons; 0 did not end as they should." in told
    assert f"| 401 | 4 | - | 1, 0, 0.0 | 1, 0, 0.0 | same | {rows[0].message} |" in told


def test_the_page_of_the_documentation_has_every_fault() -> None:
    """`python -m benchmarks.faults --page docs/reference/faults.md` makes it anew."""
    text = (ROOT / "docs" / "reference" / "faults.md").read_text(encoding="utf-8")
    listed = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
    assert sorted(set(listed) - {"fault"}) == sorted(FAULTS)
    assert "0 did not end as they should" in text
    assert "differs" not in text
