"""`eduverse experiment`: what it plays, keeps, prints and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eduverse_mesa.experiments.papers import record
from tests.cli.commands import call, refusal

Capture = pytest.CaptureFixture[str]
SMALL = ("experiment", "4", "--seeds", "1", "--set", "steps=3", "--engine", "serial")


def test_it_prints_statements_and_tables_and_says_beforehand_how_long_it_takes(capsys: Capture) -> None:
    said = call(capsys, *SMALL)
    assert said.code == 0
    assert "12 of 12 lessons and attempts are to be played, one after the other: about" in said.err
    assert "CANNOT BE TOLD: A history lesson has fewer complete IRF cycles" in said.out  # one seed has no interval
    assert "world history, round" in said.out


def test_a_folder_keeps_numbers_tables_and_a_report_and_is_gone_on_with(capsys: Capture, tmp_path: Path) -> None:
    first = call(capsys, *SMALL, "--json", "--out", tmp_path)
    assert first.code == 0
    assert first.document["done"] == 12
    assert {file.name for file in tmp_path.iterdir() if file.name[0] != "."} == {
        "about.json",
        "results.parquet",
        "tables.parquet",
        "errors.parquet",
        "statements.parquet",
        "experiment_4.html",
    }
    tables = pd.read_parquet(tmp_path / "tables.parquet")
    [row] = tables[(tables["layout"] == "round") & (tables["measure"] == "irf.irf")].to_dict("records")
    assert row["paper"] == 0.114
    stamp = (tmp_path / "results.parquet").stat().st_mtime_ns
    again = call(capsys, *SMALL, "--json", "--out", tmp_path)
    assert again.out == first.out
    assert (tmp_path / "results.parquet").stat().st_mtime_ns == stamp


def test_processes_give_the_same_document(capsys: Capture) -> None:
    here = call(capsys, *SMALL, "--json")
    there = call(capsys, *SMALL[:-2], "--engine", "processes", "--workers", "2", "--json")
    assert there.out == here.out


def test_a_language_model_is_priced_before_it_is_asked(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    said = call(capsys, *SMALL, "--policy", "llm", "--model", "gpt-4o-mini", "--budget-usd", "1", "--cache", "none")
    assert "calls and" in said.err
    assert "tokens" in said.err
    # There is no key here, and each lesson says so.
    assert said.code == 1
    assert "12 could not be played" in said.err
    assert "OPENAI_API_KEY" in said.err


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = record.Record.add

    def add(recorded: record.Record[Any, Any], outcome: record.Outcome[Any, Any]) -> None:
        whole(recorded, outcome)
        if recorded.progress.done == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(record.Record, "add", add)
    said = call(capsys, *SMALL, "-q", "--out", tmp_path)
    assert said.code == 130
    assert "3 of 12 lessons and attempts are kept. The same command goes on." in said.err
    assert pd.read_parquet(tmp_path / "results.parquet")["trial"].nunique() == 3
    assert "nothing was kept" in call(capsys, *SMALL, "-q").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("experiment", "5"), "no experiment '5'"),
        (("experiment", "1", "--seeds", "0"), "seeds"),
        (("experiment", "1", "--policy", "nobody"), "no policy 'nobody'"),
        (("experiment", "1", "--engine", "abacus"), "abacus"),
        (("experiment", "1", "--engine", "serial", "--workers", "3"), "one worker"),
        (("experiment", "1", "--model", "gpt-4o"), "asks no language model"),
        (("experiment", "1", "--set", "gate.treshold=0.4"), "threshold"),
        (("experiment", "1", "--set", "steps"), "KEY=VALUE"),
    ],
)
def test_mistakes_are_told_before_anything_is_played(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    assert message in refusal(capsys, *arguments)


def test_a_strange_folder_is_refused(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("hello")
    assert "mine.txt" in refusal(capsys, *SMALL, "--out", tmp_path)
