"""`eduverse experiment simlearner-...`: what it plays, prints, writes and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eduverse_mesa.cli.frame import INTERRUPTED
from eduverse_mesa.experiments.papers.record import Outcome, Record
from tests.cli.commands import call, refusal

Capture = pytest.CaptureFixture[str]
SMALL = ("experiment", "simlearner-4", "--set", "turns=2")


def test_a_study_prints_its_statements_and_writes_numbers_tables_and_one_report(
    capsys: Capture, tmp_path: Path
) -> None:
    said = call(capsys, *SMALL, "--seeds", "1", "--engine", "serial", "--out", tmp_path)
    assert said.code == 0
    assert "CANNOT BE TOLD: A judge who reads a dialogue recovers" in said.out  # one seed has no interval
    assert "Self-consistency, not realism: in study 4" in said.out
    assert {file.name for file in tmp_path.iterdir()} == {
        ".lock",
        "about.json",
        "results.parquet",
        "tables.parquet",
        "statements.parquet",
        "simlearner.html",
    }
    rows = pd.read_parquet(tmp_path / "tables.parquet")
    assert set(rows["measure"]) == {"recall", "precision", "f1"}
    assert "http" not in (tmp_path / "simlearner.html").read_text(encoding="utf-8").split("<script")[0]


def test_ctrl_c_says_how_much_is_kept_and_the_same_command_goes_on(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, kept = Record.add, []

    def stop(self: Record[Any, Any], outcome: Outcome[Any, Any]) -> None:
        keep(self, outcome)
        kept.append(outcome.trial.key)
        if len(kept) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(Record, "add", stop)
    command = (*SMALL, "--seeds", "1", "--engine", "serial")
    said = call(capsys, *command, "--out", tmp_path)
    assert said.code == INTERRUPTED
    assert "interrupted; 1 of 2 cohorts are kept. The same command goes on." in said.err
    assert call(capsys, *command, "--out", tmp_path, "--json").code == 0
    assert kept == ["people-full-s1", "people-base-s1"]
    kept.clear()
    assert "nothing was kept. With --out FOLDER" in call(capsys, *command).err


def test_processes_give_the_same_document(capsys: Capture) -> None:
    here = call(capsys, *SMALL, "--seeds", "1", "--engine", "serial", "--json")
    there = call(capsys, *SMALL, "--seeds", "1", "--engine", "processes", "--workers", "2", "--json")
    assert there.out == here.out
    assert {one["verdict"] for one in here.document["statements"]} == {"unknown"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("simlearner-9",), "simlearner-5, simlearner-all"),
        (("simlearner-4", "--set", "arm=base"), "what the studies compare"),
        (("simlearner-4", "--policy", "nobody"), "there is no policy 'nobody'"),
        (("simlearner-4", "--model", "gpt"), "asks no language model"),
    ],
)
def test_mistakes_are_told_before_anything_is_played(capsys: Capture, arguments: tuple[str, ...], told: str) -> None:
    assert told in refusal(capsys, "experiment", *arguments, "--engine", "serial")
