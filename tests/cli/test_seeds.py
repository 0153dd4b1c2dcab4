"""`eduverse run --seeds` and `eduverse export --all`: several runs, and what is made of all of them."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pandas as pd
import pytest

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.exports import FORMATS
from tests.cli.commands import SHORT, call, refusal
from tests.cli.test_json_reference import unexplained

Capture = pytest.CaptureFixture[str]
THREE = ("run", *SHORT, "--seed", "5", "--seeds", "3")


@pytest.fixture
def study(capsys: Capture, tmp_path: Path) -> Path:
    path = tmp_path / "three.study"
    assert call(capsys, *THREE, "--out", path).code == 0
    return path


def test_several_seeds_are_several_runs_and_their_means(capsys: Capture, tmp_path: Path) -> None:
    document = call(capsys, *THREE, "--json", "--out", tmp_path / "a.study").document
    assert [run["seed"] for run in document["runs"]] == [5, 6, 7]
    assert document["runs"][1] == call(capsys, "run", *SHORT, "--seed", "6", "--json").document
    shares = [run["bec"]["b_offtask"] for run in document["runs"]]
    found = document["means"]["bec.b_offtask"]
    assert found["mean"] == pytest.approx(mean(shares))
    assert found["low"] <= found["mean"] <= found["high"]
    assert found["n"] == 3
    assert unexplained({"runs": document["runs"], "means": [found]}) == set()
    with open_study(str(tmp_path / "a.study"), read_only=True) as opened:
        assert opened.runs() == [run["run"] for run in document["runs"]]


def test_seeds_in_words_and_on_a_page(capsys: Capture, tmp_path: Path) -> None:
    page = tmp_path / "seeds.html"
    said = call(capsys, *THREE, "--report", page)
    assert said.code == 0
    assert "3 seeds" in said.out
    assert [line.split()[1] for line in said.out.splitlines() if line.startswith("first_lesson-s")] == ["5", "6", "7"]
    assert "Gini of turns" in said.out
    assert "3 seeds are too few to go by: play 5 or more." in said.out
    assert "too few" not in call(capsys, *THREE[:-1], "5").out
    assert f"Report: {page}" in said.out
    written = page.read_text(encoding="utf-8")
    numbers = [line.split()[-5:] for line in said.out.splitlines() if line.startswith("Gini of turns ")]
    assert len(numbers) == 1
    assert all(number in written for number in numbers[0])


def test_ctrl_c_between_seeds_says_how_to_play_the_rest(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, path = ClassroomModel.step, tmp_path / "i.study"

    def stop(model: ClassroomModel) -> None:
        if model.seed == 6 and model.state.step == 2:
            raise KeyboardInterrupt
        step(model)

    with monkeypatch.context() as patch:
        patch.setattr(ClassroomModel, "step", stop)
        said = call(capsys, *THREE, "--out", path)
    assert said.code == 130
    assert f"1 of 3 runs are kept in {path}, and the complete steps of the next." in said.err
    assert said.err.endswith("The same command goes on.\n")
    on = call(capsys, *THREE[:3], *THREE[4:], "--out", path, "--json")
    assert f"{path} already holds 2 of these 3 runs (same scenario, seed, policy)." in on.err
    assert "read: 1; interrupted, and gone on with: 1." in on.err
    whole = call(capsys, *THREE, "--json").document["runs"]
    assert on.document["runs"] == whole
    with open_study(str(path), read_only=True) as opened:
        assert [row["status"] for row in opened.overview()] == ["complete"] * 3
        assert [row["run"] for row in opened.overview()] == [run["run"] for run in whole]


def test_a_study_is_given_the_same_run_once(capsys: Capture, study: Path) -> None:
    def runs() -> list[str]:
        with open_study(str(study), read_only=True) as opened:
            return opened.runs()

    three, before = runs(), study.read_bytes()
    said = refusal(capsys, "run", *SHORT, "--seed", "6", "--out", study)
    assert f"{study}: this study already holds this run (same scenario, seed, policy): {three[1]}." in said
    assert f"eduverse replay {study} {three[1]}" in said
    assert "--again" in said
    assert call(capsys, *THREE, "--out", study).code == 0
    assert (runs(), study.read_bytes()) == (three, before)
    assert call(capsys, "run", *SHORT, "--seed", "5", "--seeds", "4", "--out", study).code == 0
    assert [run.partition("-s")[2][0] for run in runs()] == ["5", "6", "7", "8"]
    assert call(capsys, "run", *SHORT, "--seed", "6", "--again", "--out", study).code == 0
    assert runs()[-1] == f"{three[1]}-2"
    assert call(capsys, "run", *SHORT, "--seed", "6", "--set", "gate.threshold=0.9", "--out", study).code == 0
    assert len(runs()) == 6


def test_a_run_that_was_interrupted_is_not_begun_anew(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: ClassroomModel) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "half.study"
    with monkeypatch.context() as patch:
        patch.setattr(ClassroomModel, "step", stop)
        assert call(capsys, "run", *SHORT, "--out", path).code == 130
    assert f"Go on with it: eduverse resume {path} first_lesson-s1" in refusal(capsys, "run", *SHORT, "--out", path)


def test_all_runs_of_a_study_are_exported(study: Path, capsys: Capture, tmp_path: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        runs = opened.runs()
    single = {}
    for run in runs:
        call(capsys, "export", study, run, "--format", "parquet", "--out", tmp_path / run)
        single[run] = pd.read_parquet(tmp_path / run / "sentences.parquet")
    for form in FORMATS:
        said = call(capsys, "export", study, "--all", "--format", form, "--out", tmp_path / "all" / form)
        assert said.code == 0
        assert all(Path(line).stat().st_size for line in said.out.splitlines())
        if form not in ("csv", "parquet"):
            assert {Path(line).parent.name for line in said.out.splitlines()} == set(runs)
    together = pd.read_parquet(tmp_path / "all" / "parquet" / "sentences.parquet")
    pd.testing.assert_frame_equal(together, pd.concat(single.values(), ignore_index=True), check_dtype=False)
    written = pd.read_csv(tmp_path / "all" / "csv" / "sentences.csv", keep_default_na=False)
    assert list(written.columns) == list(together.columns)
    assert written["run"].tolist() == together["run"].tolist()


def test_all_runs_are_not_one_run(study: Path, capsys: Capture) -> None:
    assert "Leave the run out" in refusal(capsys, "export", study, "some-run", "--all")
