"""Options that subcommands share: what one of them has of a language model, all of them have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer.main

from eduverse_mesa.cli.commands import app
from eduverse_mesa.cli.options import ModelOptions
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
from eduverse_mesa.runs import open_study
from tests.cli.commands import SHORT, call, refusal
from tests.models.learners import document
from tests.policies.llm.batch_server import BatchServer, in_form, serving_batches
from tests.policies.llm.fake_server import Exchange, FakeServer, says
from tests.runs.model_servers import answers, asks, serving
from tests.runs.test_bill import keyed

__all__ = ["keyed"]
Capture = pytest.CaptureFixture[str]
SHARED = frozenset(field.name for field in fields(ModelOptions))
OF_LESSONS = frozenset({"fidelity"})
OF_THE_RUN = frozenset({"model", "fidelity"})
LIMITS = frozenset({"budget_usd", "budget_tokens", "budget_requests", "useless"})
WITHOUT: dict[str, frozenset[str]] = {
    "resume": OF_THE_RUN,
    "fork": OF_THE_RUN,
    "hear": OF_LESSONS,
    "learner teach": OF_LESSONS,
    "learner go-on": OF_LESSONS,
    "mathvc play": OF_LESSONS,
    "mathvc serve": OF_LESSONS | {"delivery"},  # pupils take part, and would wait for a day
    "tutor evaluate": OF_LESSONS,  # its `model` is that of a tutor's server
    "tutor compare": OF_LESSONS,
    "realism": frozenset({"delivery"}),  # these play on all cores, and a batch is one process's
    "seat": frozenset({"delivery"}),
    "sensitivity": frozenset({"delivery"}),
    "sweep resume": OF_THE_RUN | LIMITS,  # they stand in the folder
    "estimate": LIMITS | {"base_url", "cache", "delivery"},  # nothing is sent
    "tutor estimate": SHARED,
    "bench llm": LIMITS | {"cache", "delivery"},  # live, with nothing remembered
}
"""Subcommands that lack some of the options about a language model."""


def subcommands(group: Any, *words: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Each subcommand by its words, with its parameters."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from subcommands(command, *words, name)
        else:
            yield " ".join([*words, name]), frozenset(one.name for one in command.params)


COMMANDS = dict(subcommands(typer.main.get_command(app)))
ASKING = {name: given for name, given in COMMANDS.items() if "policy" in given or given & SHARED - {"model"}}


def test_every_subcommand_that_may_ask_a_model_has_the_same_options_about_it() -> None:
    assert len(ASKING) > 15
    assert {name: SHARED - given for name, given in ASKING.items()} == {
        name: WITHOUT.get(name, frozenset()) for name in ASKING
    }


def test_no_exception_is_kept_of_a_subcommand_that_is_gone() -> None:
    assert set(WITHOUT) <= set(ASKING)


def test_these_options_stand_nowhere_by_themselves() -> None:
    """What a subcommand has of them, it has with the words of all others."""
    helps = {one.name: one.help for one in typer.main.get_command(app).commands["run"].params}  # type: ignore[attr-defined]

    def told(group: Any) -> Iterator[tuple[str, str, str]]:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from told(command)
            else:
                yield from ((name, one.name, one.help) for one in command.params if one.name in SHARED)

    others = {(name, one) for name, one, words in told(typer.main.get_command(app)) if words != helps[one]}
    own = {("serve-model", "model"), ("evaluate", "model"), ("compare", "model")}
    assert others == own


def useless(exchange: Exchange) -> Any:
    """Words for no lesson."""
    return says("Hm.") if asks(exchange.body) else None


@pytest.mark.usefixtures("keyed")
def test_a_fork_goes_on_with_more_useless_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("EDUVERSE_MODEL", "small")
    study = tmp_path / "a.study"
    assert call(capsys, "run", *SHORT, "--set", "pacing.mode=fixed", "--out", study).code == 0
    with serving(FakeServer(usual=answers(useless))) as server:
        command = ("fork", study, "--at", "2", "--policy", "llm", "--base-url", server.url, "-q")
        stopped = call(capsys, *command)
        assert stopped.code == 5
        assert "could not be used" in stopped.err
        forked = call(capsys, *command, "--useless", "1", "--json")
    assert forked.code == 0
    assert forked.document["outcomes"]["fallback"] > 12


@pytest.mark.usefixtures("keyed")
def test_a_run_may_begin_with_more_useless_answers(capsys: Capture) -> None:
    with serving(FakeServer(usual=answers(useless))) as server:
        command = ("run", *SHORT, "--policy", "llm", "--model", "small", "--base-url", server.url, "--cache", "none")
        assert call(capsys, *command).code == 5
        assert call(capsys, *command, "--useless", "1", "--json").document["outcomes"]["fallback"] > 12


def test_learners_are_taught_in_batches_as_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.02)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3b9c0d1e2f44")
    plan = tmp_path / "pond.json"
    plan.write_text(json.dumps(document(grades=[1, 1], turns=2)), encoding="utf-8")
    command = ("learner", "teach", plan, "--policy", "tutor=llm,rest=embedded", "--model", "planted", "--useless", "1")
    with serving_batches(BatchServer(answer=in_form)) as server:
        told = {}
        for delivery in ("live", "batch"):
            study, cache = tmp_path / f"{delivery}.study", tmp_path / f"{delivery}.sqlite"
            options = ("--base-url", server.url, "--delivery", delivery, "--cache", cache, "--out", study, "--json")
            told[delivery] = call(capsys, *command, *options)
            assert told[delivery].code == 0, told[delivery].err
        sent = server.asked
    assert "Answers come in batches. A run asks about" in told["batch"].err
    assert "batch batch-0: completed, " in told["batch"].err
    assert sent > len(server.batches) > 0
    digests = {}
    for delivery in told:
        with open_study(str(tmp_path / f"{delivery}.study"), read_only=True) as opened:
            digests[delivery] = opened.study.digests(opened.newest())
    assert digests["live"] == digests["batch"]


@pytest.mark.parametrize(
    "command",
    [
        ("learner", "teach"),
        ("mathvc", "play", "--watch"),
        ("tutor", "evaluate", "--tutor", "built-in"),
        ("run", *SHORT),
    ],
    ids=" ".join,
)
def test_batches_of_nobody_are_refused(command: tuple[str, ...], capsys: Capture) -> None:
    assert "--delivery batch: no server is asked. Add --policy llm" in refusal(capsys, *command, "--delivery", "batch")
    assert "policy 'embedded' asks no language model" in refusal(capsys, *command, "--useless", "1")
