"""`eduverse tutor`: what it plays, prints, writes and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.commands import call, refusal
from tests.policies.llm.fake_server import FakeServer, fails, says
from tests.runs.model_servers import answers, serving

Capture = pytest.CaptureFixture[str]
SMALL = ("--units", "2-LS2-1", "--visits", "1", "--grade", "2")
HERE = "tests.experiments.tutors.bad_tutors"
COHORT = """\
kind: cohort
name: pair
learners: [{name: Ann}, {name: Bo, ability: 0.9}]
"""


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    file = tmp_path / "pair.yaml"
    file.write_text(COHORT, encoding="utf-8")
    return file


def test_a_tutor_is_evaluated_on_a_cohort_and_everything_is_written(
    capsys: Capture, tmp_path: Path, pair: Path
) -> None:
    out = tmp_path / "out"
    said = call(capsys, "tutor", "evaluate", "--tutor", f"{HERE}:asking", "--cohort", pair, *SMALL, "--out", out)
    assert said.code == 0, said.err
    assert said.out.startswith(f"The tutor {HERE}:asking\n")
    assert re.search(r"^learners +2\ngrade +2\n", said.out, re.MULTILINE)
    assert "learning gain" in said.out
    assert "are too few to go by" in said.out
    assert "do not say what children would learn" in said.out
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["learners"] == 2
    assert "Who is left behind" in (out / "report.html").read_text(encoding="utf-8")
    assert pd.read_parquet(out / "learners.parquet")["learner"].tolist() == ["Ann", "Bo"]
    assert set(pd.read_parquet(out / "lines.parquet")["speaker"]) == {"tutor", "learner"}


def test_a_tutor_that_crashes_is_told_with_how_often_and_why(capsys: Capture, pair: Path) -> None:
    said = call(capsys, "tutor", "compare", "built-in", f"{HERE}:crashing", "--cohort", pair, *SMALL)
    assert said.code == 1
    told = " ".join(said.out.split())
    assert re.search(r"built-in tutor \d+ 0 0 ", told)
    assert re.search(r"tutor \d+ 14 0 14 x it crashed:", told)
    assert "ZeroDivisionError" in told
    assert "learning gain" in said.out


def test_what_a_tutors_server_took_is_told_beside_the_rest(
    capsys: Capture, tmp_path: Path, pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its greeting, what failed and was tried again, and every turn; what learners and judge took by themselves."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    teaches = FakeServer([says("Hello!", usage=(1000, 50, 0)), fails(500)], says("Why?", usage=(1000, 50, 0)))
    learns = FakeServer(usual=answers())
    with serving(teaches) as tutor, serving(learns) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("EDUVERSE_MODEL", "small")
        asked = ("--endpoint", tutor.url, "--cohort", pair, *SMALL, "--learners", "1", "--out", tmp_path)
        said = call(capsys, "tutor", "evaluate", *asked, "--policy", "judge=llm,rest=embedded")
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    took, rest = document["tutor_server"], document["models"]
    assert (took["calls"], took["failed_calls"]) == (len(teaches.requests), 1)
    assert (took["tokens_in"], took["tokens_out"]) == (1000 * (took["calls"] - 1), 50 * (took["calls"] - 1))
    assert (rest["calls"], rest["tokens_in"]) == (len(learns.requests), 1000 * len(learns.requests))
    told = " ".join(said.out.split())
    for who, use in (("the tutor's server", took), ("learners and judge", rest)):
        counted = f"{use['calls']} {use['failed_calls']} {use['tokens_in']:,} {use['tokens_out']:,}"
        assert f"{who} {counted}" in told
    assert "What language models took" in (tmp_path / "report.html").read_text("utf-8")


def test_two_tutors_are_compared_as_one_document(capsys: Capture, pair: Path) -> None:
    told = (f"{HERE}:telling", f"{HERE}:telling", "--cohort", pair, *SMALL, "--learners", "1", "--json")
    document = call(capsys, "tutor", "compare", *told).document
    assert document["first"] == document["second"]
    gain = next(row for row in document["paired"] if row["outcome"] == "gain")
    assert gain["difference"] == {"mean": 0.0, "low": None, "high": None, "n": 1}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "name one tutor"),
        (("--tutor", "built-in", "--endpoint", "http://127.0.0.1:9/v1"), "name one tutor"),
        (("--tutor", "built-in", "--model", "x"), "only an endpoint has models"),
        (("--tutor", "no_such_module:tutor"), "there is no module"),
        (("--endpoint", "http://127.0.0.1:9/v1"), "cannot be reached"),
        (("--tutor", "built-in", "--grade", "9"), "no units of grade 9"),
        (("--tutor", "built-in", "--units", "tea"), "no unit 'tea'"),
        (("--tutor", "built-in", "--learners", "3"), "has 2 learners"),
    ],
)
def test_mistakes_are_told_with_their_mend(capsys: Capture, pair: Path, given: tuple[str, ...], said: str) -> None:
    assert said in refusal(capsys, "tutor", "evaluate", "--cohort", pair, *given)


def test_learners_are_of_the_grade_of_the_units_unless_another_is_named(capsys: Capture, pair: Path) -> None:
    def graded(*more: str) -> int:
        given = ("--tutor", "built-in", "--cohort", pair, "--units", "1-LS1-1,3-LS1-1", "--visits", "1", "--turns", "2")
        return int(call(capsys, "tutor", "evaluate", *given, "--json", *more).document["grade"])

    assert graded() == 3
    assert graded("--grade", "2") == 2
