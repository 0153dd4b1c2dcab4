"""`eduverse learner`, and what the commands of a study make of learners and their tutors."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.cli.frame import INTERRUPTED
from eduverse_mesa.models.tutoring import TutoringModel, read_saved
from eduverse_mesa.runs.exports import TAUGHT_FORMATS
from tests.cli.commands import call, refusal
from tests.cli.test_json_reference import unexplained
from tests.models.learners import document

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "pond.json"
    file.write_text(json.dumps(document(grades=[1, 1], turns=3)), encoding="utf-8")
    return file


@pytest.fixture
def study(plan: Path, capsys: Capture) -> Path:
    path = plan.with_suffix(".study")
    call(capsys, "learner", "teach", plan, "--out", path, "-q")
    return path


def test_learners_are_taught_kept_listed_named_and_deleted(capsys: Capture, plan: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    alone = call(capsys, "learner", "teach", plan, "--json").document
    kept = call(capsys, "learner", "teach", plan, "--out", path, "--json").document
    assert kept == alone
    assert kept["complete"]
    assert unexplained(kept) == set()
    assert kept["coverage"][0]["learner"] == "Ann"
    said = call(capsys, "learner", "teach", plan, "--out", path)
    assert "Ann at the end of grade 1: " in said.out
    assert f"Kept as run {kept['run']}-2 in {path}." in said.out
    call(capsys, "rename", path, kept["run"], "By the pond")
    listed = call(capsys, "list", path)
    assert f"{kept['run']}  'By the pond', complete, seed 1, learners of ponds" in listed.out
    rows = call(capsys, "list", path, "--json").document
    assert [(row["kind"], row["cohort"]) for row in rows] == [("tutoring", "pair")] * 2
    assert call(capsys, "replay", path, kept["run"], "--json").document == kept
    assert not call(capsys, "replay", path, kept["run"], "--to", "1:2", "--json").document["complete"]
    assert call(capsys, "delete", path, kept["run"], "--yes").code == 0
    assert len(call(capsys, "list", path, "--json").document) == 1


def test_what_is_interrupted_is_gone_on_with(capsys: Capture, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, own, steps = plan.with_suffix(".study"), TutoringModel.step, []
    whole = call(capsys, "learner", "teach", plan, "--json").document

    def step(self: TutoringModel) -> None:
        steps.append(self)
        if len(steps) == 4:
            raise KeyboardInterrupt
        own(self)

    with monkeypatch.context() as patch:
        patch.setattr(TutoringModel, "step", step)
        said = call(capsys, "learner", "teach", plan, "--out", path)
    assert said.code == INTERRUPTED
    assert f"the complete turns are kept in {path}. Go on: eduverse resume" in said.err
    assert call(capsys, "resume", path, "--json").document == whole
    assert "is complete already" in call(capsys, "resume", path).err


def test_copies_go_on_after_any_session_and_one_is_taken_out(capsys: Capture, study: Path, tmp_path: Path) -> None:
    (first,) = (row["run"] for row in call(capsys, "list", study, "--json").document)
    whole = call(capsys, "replay", study, "--json").document
    again = call(capsys, "learner", "go-on", study, "--after", "1", "--json").document
    assert again["coverage"] == whole["coverage"]
    assert again["sessions"] == whole["sessions"] - 1
    raft = ("--unit", "raft", "--dialogues", "2", "--every", "7", "--learner", "Bo")
    taught = call(capsys, "learner", "go-on", study, first, *raft, "--json").document
    assert taught["learners"] == [{"learner": "Bo", "episodes": whole["learners"][1]["episodes"] + 2}]
    further = call(capsys, "learner", "go-on", study, first, "--set", "grades=[1, 2]", "--json").document
    assert {row["grade"] for row in further["coverage"]} == {2}
    forks = [row for row in call(capsys, "list", study, "--json").document if row["parent"] == first]
    assert len(forks) == 3
    file = tmp_path / "bo.json"
    call(capsys, "learner", "save", study, first, "--learner", "Bo", "--after", "2", "--out", file)
    saved = read_saved(file.read_bytes())
    assert (saved.name, saved.session, saved.memory.lived) == ("Bo", 3, 2)
    assert json.loads(file.read_text())["person"]["traits"]["neuroticism"] == 0.9


def test_learners_are_exported_beside_lessons(capsys: Capture, study: Path, tmp_path: Path) -> None:
    call(capsys, "run", "--steps", "2", "-q", "--out", study)
    for form in TAUGHT_FORMATS:
        assert (
            call(capsys, "export", study, _taught(capsys, study), "--format", form, "--out", tmp_path / form).code == 0
        )
    assert {file.name for file in (tmp_path / "transcript").iterdir()} == {"Ann.csv", "Bo.csv"}
    spoken = pd.read_csv(tmp_path / "transcript" / "Bo.csv")
    assert set(spoken["speaker"]) == {"tutor", "Bo"}
    lines = pd.read_parquet(tmp_path / "parquet" / "lines.parquet")
    assert len(spoken) == (lines["learner"] == "Bo").sum()
    assert set(lines["curriculum"]) == {"ponds"}
    call(capsys, "export", study, "--all", "--out", tmp_path / "all")
    assert {"sentences.csv", "lines.csv", "concepts.csv"} <= {file.name for file in (tmp_path / "all").iterdir()}
    [log] = (tmp_path / "jsonl").iterdir()
    assert len(log.read_text(encoding="utf-8").splitlines()) > 10


def _taught(capsys: Capture, study: Path) -> str:
    rows = call(capsys, "list", study, "--json").document
    return next(row["run"] for row in rows if row["kind"] == "tutoring")


def test_mistakes_are_told(capsys: Capture, study: Path, plan: Path) -> None:
    run = _taught(capsys, study)
    for told, *command in (
        ("there is no xapi of it", "export", study, run, "--format", "xapi"),
        ("of learners and their tutors, not of lessons", "fork", study, run, "--at", "1"),
        ("there are several learners. Name one of Ann, Bo", "learner", "save", study),
        ("--learner: there is no learner 'Zoe'", "learner", "save", study, "--learner", "Zoe"),
        ("session 9 of run", "learner", "go-on", study, "--after", "9"),
        ("all that is on the agenda has been taught", "learner", "go-on", study),
        ("the curriculum has no unit 'moon'", "learner", "go-on", study, "--unit", "moon"),
        ("there is no learner 'Zoe'", "learner", "go-on", study, "--after", "1", "--learner", "Zoe"),
        ("there is no such page", "replay", study, "--report", "a.html"),
        ("asks no language model", "learner", "teach", plan, "--model", "gpt"),
    ):
        assert told in refusal(capsys, *command)
    call(capsys, "run", "--steps", "2", "-q", "--out", study.with_name("b.study"))
    assert "holds no run of learners" in refusal(capsys, "learner", "save", study.with_name("b.study"))
