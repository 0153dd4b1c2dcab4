"""`eduverse seat` as it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.scenarios import load_scenario
from tests.cli.commands import call, refusal
from tests.cli.test_json_reference import unexplained

FEW = ("seat", "first_lesson", "--set", "steps=3", "--budget", "8", "--seeds", "2", "--workers", "1", "--quiet")


def test_advice_in_words_and_on_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "advice.html"
    said = call(capsys, *FEW, "--objective", "engagement=0.6,equity=0.4", "--report", page)
    assert said.code == 0
    assert "objective  engagement 60%, equity 40%\n" in said.out
    for told in ("Judged on 2 pairs of runs", "engagement 60%, equity 40%"):
        assert told in said.out
        assert told in page.read_text(encoding="utf-8")


def test_a_plan_that_was_asked_for_is_written_and_can_be_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "plan.yaml"
    first, second, *_ = [student.name for student in load_scenario("first_lesson").roll.students]
    document = call(capsys, *FEW, "--apart", f"{first},{second}", "--out", out, "--json").document
    assert document["broken_now"] == [f"apart {first}, {second}"]
    assert document["verdict"] in {"as asked", "better"}
    assert document["file"] == str(out)
    assert unexplained(document) == set()
    assert {move["student"] for move in document["moves"]}
    assert call(capsys, "run", out, "-q").code == 0
    assert load_scenario(out).seating[first]


def test_nothing_is_written_where_nothing_is_better(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ",".join(student.name for student in load_scenario("first_lesson").roll.students)
    out = tmp_path / "plan.yaml"
    said = call(capsys, *FEW, "--fixed", names, "--out", out)  # the present plan is the only one
    assert "No plan was found to be better" in said.out
    assert "was not written" in said.out
    assert not out.exists()


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "is no goal" in refusal(capsys, *FEW, "--objective", "joy")
    assert "there is no student" in refusal(capsys, *FEW, "--front", "Nobody")
    assert "no seating plan keeps" in refusal(
        capsys, *FEW, "--apart", "Zhang Jie,Liu Li", "--together", "Zhang Jie,Liu Li"
    )
    assert "--budget" in refusal(capsys, "seat", "--budget", "0")
    assert "no built-in layout" in refusal(capsys, *FEW, "--layouts", "moon")
