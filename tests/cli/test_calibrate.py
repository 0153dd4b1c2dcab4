"""`eduverse calibrate`, and the file of parameters it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eduverse_mesa.cli import main
from eduverse_mesa.scenarios.parameters import read_parameters
from tests.experiments.calibration.kit import shorten_fits

Capture = pytest.CaptureFixture[str]

SMALL = [
    "--members",
    "8",
    "--assimilations",
    "1",
    "--judge",
    "1",
    "--predict",
    "0",
    "--profiles",
    "0",
    "--workers",
    "1",
    "--quiet",
]
FREE = ["--free", "emotion.confused_cut"]


def test_a_fit_leaves_parameters_and_a_page_and_runs_with_them(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten_fits(monkeypatch)
    out = tmp_path / "fit"
    assert main(["calibrate", "--out", str(out), *SMALL, *FREE]) == 0
    printed = capsys.readouterr().out
    assert "emotion.confused_cut" in printed
    assert "BEC shares, single lessons" in printed
    assert "200 parameters were drawn and moved with the others and never played" in printed
    found = read_parameters(out / "parameters.yaml")
    assert list(found.values) == ["emotion.confused_cut"]
    assert found.provenance["members"] == 8
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "What the model cannot reproduce" in page
    assert "https://cdn" not in page

    assert main(["run", "--steps", "2", "--json", "--parameters", str(out / "parameters.yaml")]) == 0
    with_file = json.loads(capsys.readouterr().out)
    value = found.values["emotion.confused_cut"]
    assert main(["run", "--steps", "2", "--json", "--set", f"parameters.emotion.confused_cut={value}"]) == 0
    assert json.loads(capsys.readouterr().out) == with_file

    kept = (out / "ensemble-0.jsonl").read_bytes()
    assert main(["calibrate", "--out", str(out), *SMALL, *FREE, "--json"]) == 0
    assert (out / "ensemble-0.jsonl").read_bytes() == kept  # nothing was played twice
    document = json.loads(capsys.readouterr().out)
    assert set(document["values"]) == {"emotion.confused_cut"}
    [fitted] = document["parameters"]
    chance = document["learned_by_chance"]
    assert chance["mean"] < chance["floor"] < 1
    assert fitted["told"] == (fitted["learned"] > chance["floor"])
    assert ("  nothing\n" in printed) == (not fitted["told"])

    assert main(["calibrate", "--out", str(out), *SMALL, "--free", "habit.rate"]) == 2
    assert "something else is being fitted there: the free parameters differ" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [(["--members", "2"], "too little"), (["--free", "nothing"], "no parameter matches")],
)
def test_what_cannot_be_fitted(options: list[str], told: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["calibrate", "--out", str(tmp_path / "fit"), *options]) == 2
    assert told in capsys.readouterr().err


def test_a_file_that_holds_no_parameters_is_told(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("kind: parameters\nvalues:\n  emotion.confuse: 1\n")
    assert main(["run", "--parameters", str(file)]) == 2
    assert "mine.yaml:3" in capsys.readouterr().err
