"""`eduverse realism` as it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import call, refusal
from tests.cli.test_json_reference import unexplained

FEW = ("realism", "--lessons", "3", "--students", "8-12", "--workers", "1", "--quiet")


def test_the_report_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, *FEW)
    assert said.code == 0
    assert "231 mathematics lessons of 14 teachers" in said.out
    assert "gap_evidence_reasoning_vs_accuracy" in said.out
    assert "in rows: participation in front minus at" in said.out
    assert "Aims" in said.out


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = call(capsys, *FEW, "--json", "--set", "parameters.attention.base=1").document
    assert document["design"]["students"] == [8, 12]
    assert len(document["measures"]) == 27
    assert {"gap", "basis", "mean", "real_mean", "shuffled", "within"} <= document["gaps"][0].keys()
    assert unexplained(document) == set()


def test_the_page_needs_no_network(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "pages" / "realism.html"
    said = call(capsys, *FEW, "--out", page)
    assert f"Report: {page}" in said.out
    text = page.read_text(encoding="utf-8")
    assert "Simulated lessons beside real ones" in text
    assert 'src="http' not in text
    assert "<table>" in text
    assert ">fitted<" in text
    assert "is no test of the model" in text


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "range" in refusal(capsys, "realism", "--students", "many")
    assert "no lesson 'nothing'" in refusal(capsys, "realism", "--lesson", "nothing").replace("built-in ", "")
    assert "asks no language model" in refusal(capsys, "realism", "--model", "some-model")
    assert "none.csv" in refusal(capsys, "realism", "--reference", tmp_path / "none.csv")
    assert "cannot be written" in refusal(capsys, *FEW, "--out", tmp_path)
