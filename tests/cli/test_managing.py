"""`eduverse rename`, `delete`, `participants`, `erase` and `export --participant`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eduverse_mesa.runs import open_study
from tests.cli.commands import call, refusal
from tests.runs.courses import course
from tests.runs.people import SEAT, play_with

Capture = pytest.CaptureFixture[str]
LABEL, WORDS = "Zelda Quill", "Xylophones remind me of my aunt."


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    path = tmp_path / "a.study"
    play_with(path, course(lessons=1, steps=4), {SEAT: (LABEL, [WORDS])})
    return path


def run_of(study: Path) -> str:
    with open_study(str(study), read_only=True) as opened:
        return opened.runs()[0]


def test_a_title_is_shown_where_runs_are_listed(study: Path, capsys: Capture) -> None:
    run = run_of(study)
    assert call(capsys, "rename", study, run, "First try").out == f"Run {run} is called 'First try'.\n"
    assert call(capsys, "list", study).out.startswith(f"{run}  'First try', complete")
    assert call(capsys, "list", study, "--json").document[0]["title"] == "First try"
    assert call(capsys, "rename", study, run, "").out == f"Run {run} has no title.\n"
    assert "First try" not in call(capsys, "list", study).out
    assert "no run 'x'" in refusal(capsys, "rename", study, "x", "title")


def test_a_title_does_not_steer_the_terminal(study: Path, capsys: Capture) -> None:
    call(capsys, "rename", study, run_of(study), "\x1b[31mred" + "x" * 1000)
    said = call(capsys, "list", study).out
    assert "\x1b" not in said
    assert "�[31mred" in said
    assert len(said) < 250


def test_runs_are_deleted_only_where_it_is_meant(study: Path, capsys: Capture) -> None:
    run = run_of(study)
    fork = call(capsys, "fork", study, "--at", "2", "--policy", "embedded", "--json").document["run"]
    assert "cannot be undone" in refusal(capsys, "delete", study, fork)
    assert "with its forks" in refusal(capsys, "delete", study, run, "--yes")
    assert "no run 'x'" in refusal(capsys, "delete", study, "x", "--yes")
    said = call(capsys, "delete", study, run, "--with-forks", "--yes")
    assert (said.code, said.out) == (0, f"Deleted: {run}\nDeleted: {fork}\n")
    assert call(capsys, "list", study).out == "No runs yet.\n"


def test_people_are_listed_handed_out_and_erased(study: Path, capsys: Capture, tmp_path: Path) -> None:
    run = run_of(study)
    said = call(capsys, "participants", study).out
    assert said.startswith(f"p1  '{LABEL}', student, since 20")
    assert f"as {SEAT} in {run}, from 1:1 on" in said
    (person,) = call(capsys, "participants", study, "--json").document
    assert (person["label"], person["sittings"][0]["agent"]) == (LABEL, SEAT)
    document = call(capsys, "export", study, "--participant", "p1").document
    assert call(capsys, "export", study, "--participant", "p1", "--out", tmp_path / "p1.json").code == 0
    assert json.loads((tmp_path / "p1.json").read_text("utf-8")) == document
    assert WORDS in json.dumps(document)
    (tmp_path / "p1.json").unlink()
    assert "cannot be undone" in refusal(capsys, "erase", study, "p1")
    assert WORDS.encode() in study.read_bytes()
    done = call(capsys, "erase", study, "p1", "--yes")
    assert done.code == 0
    assert "Found nowhere." in done.out
    assert LABEL not in done.out
    assert not any(WORDS.encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert call(capsys, "participants", study).out.startswith("p1  erased, student")
    assert call(capsys, "replay", study, "--json").code == 0


def test_the_proof_is_a_document(study: Path, capsys: Capture) -> None:
    proof = call(capsys, "erase", study, "p1", "--yes", "--json").document
    assert (proof["complete"], proof["found"], proof["texts"]) == (True, [], 1)
    assert {"a.study", "a.study-wal"} <= {one["name"] for one in proof["searched"]}
    assert WORDS not in json.dumps(proof)


def test_what_is_still_there_is_said_aloud(study: Path, capsys: Capture) -> None:
    with open_study(str(study)) as opened:
        first = opened.study.runs()[0]
        opened.study.add_run(first._replace(id=f"of {LABEL}"))
        opened.study.set_status(f"of {LABEL}", "complete")
    done = call(capsys, "erase", study, "p1", "--yes")
    assert done.code == 1
    assert "STILL THERE: 1 in runs.id" in done.err
    assert "Found nowhere" not in done.out


def test_mistakes_are_said(study: Path, capsys: Capture, tmp_path: Path) -> None:
    assert "no participant 'p9'" in refusal(capsys, "erase", study, "p9", "--yes")
    assert "no participant 'p9'" in refusal(capsys, "export", study, "--participant", "p9")
    assert "all runs" in refusal(capsys, "export", study, run_of(study), "--participant", "p1")
    assert str(study) in refusal(capsys, "export", study, "--participant", "p1", "--out", study / "x")
    for command in (("participants",), ("erase", "p1", "--yes"), ("delete", "x", "--yes"), ("rename", "x", "y")):
        missing = tmp_path / "missing"
        assert "missing" in refusal(capsys, command[0], missing, *command[1:])


def test_every_field_of_the_proof_is_explained(study: Path, capsys: Capture) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text("utf-8")
    proof = call(capsys, "erase", study, "p1", "--yes", "--json").document
    assert {name for name in (*proof, *proof["searched"][0]) if f"`{name}`" not in page} == set()
