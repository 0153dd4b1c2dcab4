"""`eduverse show`, and problems where documents are listed and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import call, refusal
from tests.scenarios.documents import PROBLEM

Capture = pytest.CaptureFixture[str]


def test_a_problem_is_listed_validated_and_shown(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "pens.yaml"
    file.write_text(PROBLEM, encoding="utf-8")
    assert "steps_and_distance" in call(capsys, "list", "problems").out
    assert "a valid problem, grade 6, easy" in call(capsys, "validate", file).out
    shown = call(capsys, "show", file, "--out", tmp_path / "pens.html").out
    assert shown.startswith("Pens\n====\n\ngrade 6, easy (en)\n")
    assert "$0.50 per pen" in shown
    assert "$0.50 per pen" in (tmp_path / "pens.html").read_text(encoding="utf-8")
    assert call(capsys, "schema", "problem").document["properties"]["misconceptions"]["minItems"] == 1
    file.write_text(PROBLEM.replace("paid / pens", "paid + pens"), encoding="utf-8")
    assert "pens.yaml:16:" in refusal(capsys, "show", file)
    assert "Built in: desert_growth" in refusal(capsys, "show", "pence")
