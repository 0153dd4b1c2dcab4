"""A run that useless answers have ended goes on with another limit: by the command and by Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eduverse_mesa.policies.llm.policy import UselessError
from eduverse_mesa.runs import open_study, results, resume_run
from tests.cli.commands import call
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, says
from tests.runs.model_servers import answers, asks, serving
from tests.runs.test_bill import keyed

__all__ = ["keyed"]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A model that finds no words for a lesson."""

    def choose(exchange: Exchange) -> Behaviour | None:
        return says("Hm.") if asks(exchange.body) else None

    with serving(FakeServer(usual=answers(choose))) as running:
        yield running


@pytest.fixture
def stopped(server: FakeServer, keyed: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> Path:
    """A study with a run that has stopped before its first step."""
    study = tmp_path / "a.study"
    said = call(
        capsys,
        *("run", "--policy", "llm", "--model", "small", "--base-url", server.url, "--steps", 2, "-q"),
        *("--set", "llm.reasks=0", "--set", "pacing.mode=fixed", "--out", study),
    )
    assert said.code == 5
    assert "eduverse resume --useless 1" in said.err
    return study


def by_command(study: Path, share: float, capsys: Capture) -> None:
    said = call(capsys, "resume", study, "--useless", share, "-q", "--json")
    if said.code:
        raise UselessError(said.err)
    assert said.document["outcomes"]["fallback"] > 12


def by_python(study: Path, share: float, capsys: Capture) -> None:
    with open_study(str(study)) as opened:
        played = resume_run(opened, opened.newest(), useless=share)
        assert results(played)["outcomes"]["fallback"] > 12


@pytest.mark.parametrize("resume", [by_command, by_python], ids=["command", "python"])
def test_it_goes_on_where_more_useless_answers_are_allowed(
    resume: Callable[[Path, float, Capture], None], stopped: Path, server: FakeServer, capsys: Capture
) -> None:
    with pytest.raises(UselessError, match="in a row could not be used"):
        resume(stopped, 0.9, capsys)
    resume(stopped, 1, capsys)
    with open_study(str(stopped), read_only=True) as opened:
        run = opened.study.run(opened.newest())
        assert run.status == "complete"
        assert opened.choose(run.id).spec.scenario.settings.llm.useless == pytest.approx(1 / 3), (
            "the scenario is what it was"
        )


BUDGETS = {
    "study": (
        ("--out", "a.study"),
        "the complete steps are kept in a.study. Give a larger one (--budget-requests). Go on:",
    ),
    "cache": ((), "nothing else was kept. Give a larger one (--budget-requests). With --out STUDY the complete"),
    "nothing": (("--cache", "none"), "are spent. Nothing was kept. Give a larger one (--budget-requests). With --out"),
}


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("case", BUDGETS)
def test_a_used_up_budget_says_what_is_kept_and_what_can_be_done(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    options, words = BUDGETS[case]
    with serving(FakeServer(usual=answers(lambda exchange: None))) as running:
        asked = ("--policy", "llm", "--model", "small", "--base-url", running.url, "--budget-requests", "3")
        said = call(capsys, "run", "--steps", "2", "-q", *asked, *options)
    assert said.code == 4
    assert "the budget of requests is used up: 3 of 3 are spent" in said.err
    assert words in said.err
    remembered = "What the model has answered is remembered, and not asked for again; " in said.err
    assert remembered == (case != "nothing")


def test_a_share_is_checked(stopped: Path, capsys: Capture) -> None:
    assert "--useless" in call(capsys, "resume", stopped, "--useless", 3).err
