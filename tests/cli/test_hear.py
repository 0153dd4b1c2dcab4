"""`eduverse hear`: lines in, what they meant out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.hearing import trainer
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS
from tests.cli.commands import call, refusal
from tests.hearing.kit import LINES

SAID: list[dict[str, Any]] = [
    {"text": "so is it 12?", "speaker": "Mia", "on_table": "fuel"},
    {"text": "no, 120 gallons, look at the zero", "speaker": "Leo", "before": [{"speaker": "Mia", "text": "it is 12"}]},
    {"text": "我觉得是五英里", "speaker": "小雨"},
]
FIELDS = {
    "text", "acts", "move", "about", "how", "right", "value", "reason_for", "to", "trouble", "confidence",
}  # fmt: skip


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in SAID) + "\n", encoding="utf-8")
    return file


def test_one_object_a_line_comes_out(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "hear", lines, "--listener", "peer", "--problem", "race_fuel", "--json")
    assert said.code == 0
    found = [json.loads(line) for line in said.out.splitlines()]
    assert [one["text"] for one in found] == [one["text"] for one in SAID]
    for one in found:
        assert set(one) == FIELDS
        assert set(one["acts"]) <= set(SPEECH_ACTS)
        assert one["how"] in MANNERS
    assert found[0]["how"] == "asked"
    assert found[0]["about"] == "fuel"
    again = call(capsys, "hear", lines, "--listener", "peer", "--problem", "race_fuel", "--json")
    assert again.out == said.out


def test_it_is_told_in_words_too(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "hear", lines, "--listener", "peer", "--problem", "race_fuel", "--letters")
    assert said.code == 0
    assert "Mia: so is it 12?" in said.out
    assert "about fuel" in said.out


def test_what_is_wrong_is_named(lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--listener" in refusal(capsys, "hear", lines)
    two = tmp_path / "two"
    two.mkdir()
    (two / "a.jsonl").write_text('{"text": "hm", "listener": "peer"}\n')
    (two / "b.jsonl").write_text('\n{"text": "hm"}\n')
    assert "b.jsonl, line 2" in refusal(capsys, "hear", two)
    assert "learner, tutor" in refusal(capsys, "hear", lines, "--listener", "cat")
    both = ("--problem", "race_fuel", "--unit", "1-LS1-1")
    assert "Keep one" in refusal(capsys, "hear", lines, "--listener", "peer", *both)
    assert "moon" in refusal(capsys, "hear", lines, "--listener", "peer", "--problem", "moon")
    assert "moon" in refusal(capsys, "hear", lines, "--listener", "tutor", "--unit", "moon")
    assert "cannot be read" in refusal(capsys, "hear", tmp_path / "none.jsonl", "--listener", "peer")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": 3}\n')
    assert "line 1: text" in refusal(capsys, "hear", bad, "--listener", "peer")
    assert "hears by itself" in refusal(capsys, "hear", lines, "--listener", "peer", "--policy", "local", "--letters")
    assert "labelled by" in refusal(capsys, "hear", lines, "--listener", "peer", "--score", "--letters")


def test_labelled_lines_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = tmp_path / "few.jsonl"
    lines = (LINES / "test" / "t1.jsonl").read_text(encoding="utf-8").splitlines()
    few.write_text("\n".join(lines[::20]), encoding="utf-8")
    said = call(capsys, "hear", few, "--score", "--letters", "--json")
    assert said.code == 0
    assert said.document["all"]["lines"] == 14
    assert said.document["en"]["lines"] + said.document["zh"]["lines"] == 14
    told = call(capsys, "hear", few, "--score", "--letters")
    assert "acts, mean F1" in told.out
    assert "at least 0.85" in told.out


def test_an_ear_of_one_s_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "ROUNDS", 5)
    folder = tmp_path / "lines"
    folder.mkdir()
    for writer in ("w1", "w2"):
        lines = (LINES / "train" / f"{writer}.jsonl").read_text(encoding="utf-8").splitlines()
        (folder / f"{writer}.jsonl").write_text("\n".join(lines[::7]), encoding="utf-8")
    out = tmp_path / "own"
    trained = call(capsys, "hear", folder, "--train", out, "--letters", "--json")
    assert trained.code == 0
    assert trained.document["writers"] == 2
    heard = call(capsys, "hear", folder, "--ear", out, "--json")
    assert heard.code == 0
    assert len(heard.out.splitlines()) == trained.document["lines"]
    assert "too few" in refusal(capsys, "hear", folder / "w1.jsonl", "--train", out, "--letters")
