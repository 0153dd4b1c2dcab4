"""`eduverse sensitivity` as it is called."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.commands import call, refusal
from tests.cli.test_json_reference import unexplained

FEW = ("sensitivity", "--set", "steps=3", "--seeds", "1", "--workers", "1", "--quiet")
MORRIS = (*FEW, "--parameters", "attention.base", "--factors", "interest=0.2:0.8", "--trajectories", "2")


def test_the_report_in_words_and_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = call(capsys, *MORRIS, "--measure", "bec.b_*", "--out", tmp_path / "study")
    assert said.code == 0
    assert "off task (bec.b_offtask)" in said.out
    assert "attention.base" in said.out
    page = (tmp_path / "study" / "sensitivity.html").read_text(encoding="utf-8")
    assert "What matters" in page
    assert 'src="http' not in page
    assert (tmp_path / "study" / "indices.csv").read_bytes().startswith(b"\xef\xbb\xbf"), "for spreadsheets"
    table = pd.read_csv(tmp_path / "study" / "indices.csv")
    assert set(table["input"]) == {"attention.base", "interest"}
    assert set(table["measure"]) == {"bec.b_offtask", "bec.b_passive", "bec.b_active", "bec.b_interactive"}


def test_sobols_indices_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--method", "sobol", "--samples", "2", "--factors", "interest=0.2:0.8", "--measure", "bec.b_active")
    document = call(capsys, *FEW, *given, "--json").document
    assert document["samples"] == 2
    assert unexplained(document) == set()
    assert document["indices"][0].keys() >= {"measure", "input", "S1", "ST", "ST_conf"}


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing is varied" in refusal(capsys, *FEW)
    assert "power of two" in refusal(capsys, *FEW, "--method", "sobol", "--samples", "3", "--factors", "interest=0:1")
    assert "no method" in refusal(capsys, *MORRIS, "--method", "guess")
    assert "no parameter" in refusal(capsys, *FEW, "--parameters", "joy.*")
    assert "from 0 to 1" in refusal(capsys, *FEW, "--factors", "interest=0.5:7")


def test_what_changes_nothing_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, *FEW, "--parameters", "attention.b*", "--trajectories", "2", "--measure", "bec.*")
    blocks = said.out.split("\n\n")
    assert "Without any effect: attention.board_distance" in said.out
    same = next(block for block in blocks if block.startswith("The same at"))
    assert "higher-order thinking (bec.c_high)" in " ".join(same.split())
    _, *found = [line.split() for line in said.out.splitlines() if line.startswith("attention.base ")]
    rows = [row for row in found if row[1] != "parameter"]
    assert rows == found != []
    assert all(float(row[1]) > 0 for row in rows)  # mu*, by which inputs are ranked, comes first


def test_it_says_beforehand_how_many_runs_are_left_and_how_long_they_take(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    loud = [argument for argument in MORRIS if argument != "--quiet"]
    said = call(capsys, *loud, "--out", tmp_path / "study")
    found = re.match(r"(\d+) of \1 runs are to be played, one after the other: about \d+ (s|min)\.\n", said.err)
    assert found, said.err
    assert re.search(rf"^runs +{found[1]}$", said.out, re.MULTILINE)
    assert call(capsys, *loud, "--out", tmp_path / "study").err == "", "nothing is left"
    assert call(capsys, *loud, "--json").err == ""
