"""`eduverse run`: what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.policies import ScriptedPolicy, make_policy, registry
from eduverse_mesa.scenarios import describe
from tests.cli.commands import SHORT, call, refusal
from tests.scenarios.documents import LAYOUT, LESSON, ROLL, write_all

Capture = pytest.CaptureFixture[str]
LAYOUTS = [row.name for row in describe("layouts")]
LESSONS = [row.name for row in describe("lessons")]


def test_the_document_is_the_same_bytes_each_time(capsys: Capture) -> None:
    one, other = (call(capsys, "run", *SHORT, "--json", "--seed", "7") for _ in range(2))
    assert one == other
    assert list(one.document) == ["run", "seed", "steps", "bec", "irf", "network", "equity", "outcomes", "wishes"]
    assert one.document["seed"] == 7
    assert (one.code, one.err) == (0, "")
    assert call(capsys, "run", *SHORT, "--json", "--seed", "8").out != one.out


def test_a_kept_run_has_the_same_document(capsys: Capture, tmp_path: Path) -> None:
    assert (
        call(capsys, "run", *SHORT, "--json", "--out", tmp_path / "a").out == call(capsys, "run", *SHORT, "--json").out
    )


def pairs() -> list[Any]:
    """Each lesson in two rooms, each room with several lessons; the other pairs are for `make slow`."""
    return [
        pytest.param(lesson, layout, marks=() if (place - number) % len(LAYOUTS) < 2 else pytest.mark.slow)
        for number, lesson in enumerate(LESSONS)
        for place, layout in enumerate(LAYOUTS)
    ]


@pytest.mark.parametrize(("lesson", "layout"), pairs())
def test_every_lesson_runs_in_every_room(layout: str, lesson: str, capsys: Capture) -> None:
    said = call(capsys, "run", *SHORT, "--json", "--layout", layout, "--lesson", lesson)
    assert said.code == 0
    assert said.err == ""
    assert said.document["steps"] >= 1
    assert said.document["outcomes"]["failed"] == 0


@pytest.mark.parametrize("scenario", [row.name for row in describe("scenarios")])
def test_every_built_in_scenario_runs(scenario: str, capsys: Capture) -> None:
    assert call(capsys, "run", scenario, *SHORT).code == 0


def test_options_change_the_run(capsys: Capture) -> None:
    plain = call(capsys, "run", *SHORT, "--json").document
    assert call(capsys, "run", *SHORT, "--json", "--set", "gate.threshold=0.99").document["run"] != plain["run"]
    ten = call(capsys, "run", *SHORT, "--students", "10")
    assert "10 students" in ten.out
    fixed = ("--set", "pacing.mode=fixed")
    assert call(capsys, "run", *SHORT, *fixed, "--json", "--sessions", "3").document["steps"] == 12
    huge = 10**30
    assert call(capsys, "run", *SHORT, "--json", "--seed", huge).document["seed"] == huge


def test_the_report_is_written(capsys: Capture, tmp_path: Path) -> None:
    said = call(capsys, "run", *SHORT, "--report", tmp_path / "new" / "report.html")
    assert said.code == 0
    assert "<html" in (tmp_path / "new" / "report.html").read_text(encoding="utf-8")


WRONG = {
    "option": (["--colour", "red"], "--colour"),
    "layout": (["--layout", "lectur"], "lecture"),
    "lesson": (["--lesson", "spring_9"], "spring_"),
    "class": (["--students", "sixx"], "six"),
    "scenario": (["first_lessn"], "first_lesson"),
    "policy": (["--policy", "embeded"], "embedded"),
    "policy-kind": (["--policy", "plam=embedded"], "plan"),
    "policy-empty": (["--policy", ""], "embedded"),
    "key": (["--set", "gate.treshold=0.5"], "threshold"),
    "not-a-pair": (["--set", "gate.threshold"], "KEY=VALUE"),
    "value": (["--set", "gate.threshold=much"], "gate.threshold"),
    "range": (["--set", "gate.threshold=7"], "gate.threshold"),
    "no-steps": (["--steps", "0"], "--steps"),
    "text-steps": (["--steps", "ten"], "--steps"),
    "too-many-steps": (["--steps", "100000"], "--steps"),
    "negative-seed": (["--seed", "-1"], "seed"),
    "text-seed": (["--seed", "one"], "--seed"),
    "no-sessions": (["--sessions", "0"], "--sessions"),
    "no-students": (["--students", "0"], "--students"),
    "too-many-students": (["--students", "9" * 5000], "--students"),
    "missing-file": (["missing.yaml"], "missing.yaml"),
    "study-in-a-folder": (["--steps", "1", "--out", "."], "folder"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said(what: str, capsys: Capture) -> None:
    arguments, hint = WRONG[what]
    assert hint in refusal(capsys, "run", *arguments)


def test_a_report_that_cannot_be_written_is_said(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file" / "report.html"):
        assert str(place) in refusal(capsys, "run", *SHORT, "--report", place)


BAD_FILES: dict[str, dict[str, str]] = {
    "not-yaml": {"by_the_sea": "a: [1, 2\nb: }"},
    "binary": {"by_the_sea": "\x00\x01\x02"},
    "ten-megabytes": {"by_the_sea": "# " + "x" * 10_000_000},
    "alias-bomb": {
        "by_the_sea": "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    },
    "deep": {"by_the_sea": "[" * 10_000 + "]" * 10_000},
    "empty": {"by_the_sea": ""},
    "list": {"by_the_sea": "- a\n"},
    "no-students": {"trio": "kind: class\nname: trio\nteacher: {name: Ms Hill}\nstudents: []\n"},
    "no-phases": {"tides": LESSON[: LESSON.index("phases:")] + "phases: []\n"},
    "two-in-a-cell": {"nook": LAYOUT.replace("at: [4, 3]", "at: [2, 3]")},
    "off-the-grid": {"nook": LAYOUT.replace("at: [2, 5]", "at: [2, 50]")},
    "student-twice": {"trio": ROLL.replace("Cai", "Bob")},
    "missing-group": {"nook": LAYOUT + "  - {rule: groups, groups: [north]}\n"},
    "wrong-type": {"nook": LAYOUT.replace("width: 8", "width: wide")},
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_refused(what: str, capsys: Capture, tmp_path: Path) -> None:
    path = write_all(tmp_path, **BAD_FILES[what])
    message = refusal(capsys, "run", path, *SHORT)
    assert any(f"{name}.yaml" in message for name in (*BAD_FILES[what], "by_the_sea"))
    said = call(capsys, "validate", path)
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err


def test_a_good_file_runs(capsys: Capture, tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert call(capsys, "run", path, *SHORT).code == 0
    assert call(capsys, "validate", path).code == 0


def test_failed_answers_are_exit_code_1(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = ScriptedPolicy(
        lambda decision: None, rest=ScriptedPolicy(lambda decision: None, name="rest"), name="failing"
    )
    half = ScriptedPolicy(
        lambda decision: failing.answer([decision])[0] if decision.at.step == 2 else None,
        rest=make_policy("embedded"),  # type: ignore[arg-type]
        name="failing",
    )
    monkeypatch.setitem(registry.MAKERS, "failing", lambda _: half)
    path = tmp_path / "f.study"
    said = call(capsys, "run", *SHORT, "--policy", "failing", "--json", "--out", path)
    assert said.code == 1
    assert said.document["outcomes"]["failed"] > 0
    assert call(capsys, "replay", path, "--json").out == said.out
    assert call(capsys, "fork", path, "--at", "3", "--act", "lecturing", "--json").code == 1
