"""`eduverse sweep`: run, status, resume, report, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import call, refusal

Capture = pytest.CaptureFixture[str]
TEXT = """
kind: sweep
name: rooms
factors:
  layout: [lecture, round]
  steps: [4]
seeds: 3
keep: ["bec.b_*", "outcomes.*"]
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "rooms.yaml"
    file.write_text(TEXT)
    return file


def test_a_sweep_from_its_file_to_its_report(capsys: Capture, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = call(capsys, "sweep", "run", file, "--out", out, "--engine", "serial")
    assert (said.code, said.err) == (0, "rooms: 2 points x 3 seeds = 6 runs\n")
    assert "rooms: 6 of 6 runs are done\n" in said.out
    assert call(capsys, "sweep", "status", out).out == said.out
    assert call(capsys, "sweep", "status", out, "--json").document["left"] == 0
    again = call(capsys, "sweep", "resume", out, "-q")
    assert (again.code, again.out) == (0, said.out)
    report = call(capsys, "sweep", "report", out, "--out", tmp_path / "page.html", "--measure", "bec.b_active")
    assert report.code == 0
    assert "layout: round" in report.out
    assert "bec.b_active" in (tmp_path / "page.html").read_text()
    document = call(capsys, "sweep", "report", out, "--json").document
    assert {row["measure"] for row in document["means"]} >= {"bec.b_active", "outcomes.ok"}
    assert "another sweep was begun here" in refusal(
        capsys, "sweep", "run", _with(file, "seeds: 4"), "--out", out, "--engine", "serial", "-q"
    )


def _with(file: Path, line: str) -> Path:
    other = file.with_name("other.yaml")
    other.write_text(TEXT.replace("seeds: 3", line))
    return other


def test_a_sweep_file_is_validated_and_has_a_schema(capsys: Capture, file: Path) -> None:
    said = call(capsys, "validate", file)
    assert (said.code, said.out) == (0, f"{file}: a valid sweep, 2 points x 3 seeds = 6 runs\n")
    said = call(capsys, "validate", _with(file, "sedes: 4"))
    assert said.code == 2
    assert "Did you mean 'seeds'?" in said.err
    schema = call(capsys, "schema", "sweep").document
    assert set(schema["properties"]) >= {"factors", "seeds", "design", "keep"}


def test_a_sweep_of_which_all_fails_is_stopped_and_told_in_plain_letters(
    capsys: Capture, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "of_a_user.py").write_text("def f(run):\n    raise ValueError('\\x1b[31mred\\u202e')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "of_a_user", raising=False)
    file.write_text(TEXT + 'measure: ["of_a_user:f"]')
    out = tmp_path / "my rooms"
    options = ("--engine", "serial", "-q")
    said = call(capsys, "sweep", "run", file, "--out", out, *options)
    assert said.code == 1
    assert "the first 4 runs have all failed; the last: ValueError: \ufffd[31mred\ufffd." in said.err
    assert f"eduverse sweep resume '{out}'" in said.err
    said = call(capsys, "sweep", "resume", out, "--keep-going", *options)
    assert said.code == 1
    assert "failed: 6" in said.out
    assert ": ValueError: \ufffd[31mred\ufffd\n" in said.out
    assert f"Go on: eduverse sweep resume '{out}'" in said.out
    assert "--timeout: engine 'serial' cannot end" in refusal(capsys, "sweep", "resume", out, "--timeout", 9, *options)


def test_what_cannot_be_is_refused(capsys: Capture, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "no sweep was begun here" in refusal(capsys, "sweep", "status", out)
    assert "no sweep was begun here" in refusal(capsys, "sweep", "resume", out)
    assert "there is no engine 'cloud'" in refusal(
        capsys, "sweep", "run", file, "--out", out, "--engine", "cloud", "-q"
    )
    assert "asks no language model" in refusal(capsys, "sweep", "run", file, "--out", out, "--model", "x", "-q")
    assert "there is no such file" in refusal(capsys, "sweep", "run", tmp_path / "no.yaml", "--out", out)
    for command in (("sweep", "run", "peers.yaml", "--out", out), ("validate", "peers.yaml")):
        assert "name the built-in 'peers', without '.yaml'" in refusal(capsys, *command)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(capsys: Capture, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "eduverse_mesa", "sweep", "run"]
    run = subprocess.Popen(
        [*command, str(_with(file, "seeds: 300")), "--out", str(out), "--workers", "2"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    until = time.monotonic() + 120
    while len(list(out.glob("results/*.parquet"))) < 3:
        assert time.monotonic() < until
        assert run.poll() is None
        time.sleep(0.02)
    assert call(capsys, "sweep", "status", out, "--json").document["running"]
    run.send_signal(signal.SIGINT)
    said, told = run.communicate(timeout=120)
    kept = len(list(out.glob("results/*.parquet")))
    assert run.returncode == 130
    assert f"stopped; {kept} of 600 runs are kept. Go on: eduverse sweep resume {out}" in told
    assert "Traceback" not in told
    assert said == ""
