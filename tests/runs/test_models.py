"""Whole runs with a model server over real sockets: paid once, stopped whole, gone on with, and no secret kept."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa import ClassroomModel
from eduverse_mesa.errors import PolicyError
from tests.cli.commands import call
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, fails, hangs_up, says, sends
from tests.runs.courses import child, ended, log_of
from tests.runs.model_servers import KEY, answers, asks, serving

STEPS = 2


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A key in the environment, and a cache of the test's own."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "cache" / "answers.sqlite"))
    # `--base-url` tells this process whose key it is; what it writes into the environment goes with the test.
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    return monkeypatch


def arguments(server: FakeServer, *more: object, fidelity: str = "fused") -> list[object]:
    return [
        *("run", "--policy", "llm", "--model", "planted", "--base-url", server.url, "--fidelity", fidelity),
        *("--steps", STEPS, "--set", "pacing.mode=fixed", "-q", *more),
    ]


def questions(server: FakeServer) -> list[str]:
    return [json.dumps(body["messages"]) for body in server.requests if asks(body)]


@pytest.mark.parametrize("fidelity", ["fused", "staged"])
def test_a_lesson_over_sockets(
    fidelity: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "a.study"
    with serving(FakeServer(usual=answers())) as server:
        first = call(capsys, *arguments(server, "--json", "--out", study, fidelity=fidelity)).document
    assert first["outcomes"]["fallback"] == first["outcomes"]["failed"] == 0
    assert first["models"]["calls"] == len(server.requests)
    assert first["models"]["prefix_hits"] == 0.6
    assert len(set(questions(server))) == len(questions(server))

    # Again, with nobody there: every answer is remembered, nothing is asked, nothing is paid.
    again = call(capsys, *arguments(server, "--json", "--out", tmp_path / "b.study", fidelity=fidelity)).document
    assert again["models"]["calls"] == 0
    assert {**again, "models": None} == {**first, "models": None}
    assert log_of(tmp_path / "b.study") == log_of(study)

    # And from its log, without a cache.
    keyed.setenv("EDUVERSE_CACHE", "none")
    assert call(capsys, "replay", study, "--json").document["bec"] == first["bec"]


FAULTS: dict[str, Behaviour] = {
    "refused-request": fails(400, "what is this"),
    "no-access": fails(403),
    "unprocessable": fails(422),
    "context": fails(400, "This model's maximum context length is 4096 tokens", "context_length_exceeded"),
    "html": sends(b"<html><body>Sign in</body></html>", 200, Content_Type="text/html"),
    "empty": says(""),
    "null": says(None),
    "prose": says("I raise my hand and wait."),
    "length": says('{"thought": "and then I thou', finish="length"),
    "refusal": says(None, refusal="I cannot help with that."),
    "wrong-enum": says('{"thought": "x", "behaviour": "fly"}'),
    "nan": says('{"score": NaN}'),
    "foreign": says(json.dumps({"thought": "我不知道应该说什么，也不想说。"})),
    "megabyte": says("y" * 1_000_000),
    "deep": says("[" * 50_000),
    "surrogates": says('{"thought": "\\ud800", "behaviour": "\\udfff"}'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_one_agents_calls_ends_in_a_fallback_and_harms_nobody(
    fault: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    def choose(exchange: Exchange) -> Behaviour | None:
        return FAULTS[fault] if "You are Liu Li, " in str(exchange.body["messages"]) else None

    with serving(FakeServer(usual=answers(choose))) as server:
        said = call(capsys, *arguments(server, "--json", "--out", tmp_path / "a.study", "--steps", 1))
    assert said.code == 0, said.err
    outcomes = said.document["outcomes"]
    reasons = said.document["models"]["reasons"]
    assert outcomes["failed"] == outcomes["repaired"] == 0
    assert outcomes["fallback"] == sum(entry["count"] for entry in reasons) >= 3
    assert all(entry["source"] == "embedded" and entry["reason"] for entry in reasons)
    if fault in ("refused-request", "no-access", "unprocessable", "context", "html"):
        assert len({entry["reason"] for entry in reasons}) == 1, "one clear message"
    assert outcomes["ok"] > outcomes["fallback"]


@pytest.mark.parametrize("fault", ["reset", "limited", "overloaded"])
def test_a_fault_that_passes_leaves_no_trace(
    fault: str, capsys: pytest.CaptureFixture[str], keyed: pytest.MonkeyPatch
) -> None:
    hit: set[str] = set()
    faults = {"reset": hangs_up(), "limited": fails(429, Retry_After="0.01"), "overloaded": fails(529)}

    def choose(exchange: Exchange) -> Behaviour | None:
        text = exchange.question
        if "You are Liu Li, " not in text or text in hit:
            return None
        hit.add(text)
        return faults[fault]

    with serving(FakeServer(usual=answers(choose))) as server:
        document = call(capsys, *arguments(server, "--json", "--steps", 1)).document
    assert hit
    assert document["outcomes"]["ok"] == sum(document["outcomes"].values())
    assert document["models"]["calls"] == len(server.requests)


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [(401, None, "key"), (404, "model_not_found", "model"), (429, "insufficient_quota", "quota")],
)
def test_a_server_that_takes_nothing_is_one_message_and_no_lesson(
    status: int, code: str | None, message: str, capsys: pytest.CaptureFixture[str], keyed: pytest.MonkeyPatch
) -> None:
    with serving(FakeServer(usual=fails(status, "no", code))) as server:
        said = call(capsys, *arguments(server))
    assert (said.code, said.out) == (4, "")
    assert said.err.count("error:") == 1
    assert message in said.err
    assert len(server.requests) == 1, "none of these is tried again"


def test_a_budget_stops_a_run_at_a_step_and_a_larger_one_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study, whole = tmp_path / "a.study", tmp_path / "whole.study"
    with serving(FakeServer(usual=answers())) as server:
        stopped = call(capsys, *arguments(server, "--out", study, "--budget-requests", 18))
        assert stopped.code == 4
        assert "budget" in stopped.err
        assert len(server.requests) <= 18
        listed = call(capsys, "list", study, "--json").document
        assert [run["status"] for run in listed] == ["interrupted"]
        went_on = call(capsys, "resume", study, "-q", "--json", "--budget-requests", 500)
        assert went_on.code == 0, went_on.err
    assert max(Counter(questions(server)).values()) == 1, "nothing was paid for twice"
    keyed.setenv("EDUVERSE_CACHE", str(tmp_path / "other.sqlite"))
    with serving(FakeServer(usual=answers())) as fresh:
        call(capsys, *arguments(fresh, "--out", whole))
    assert log_of(study) == log_of(whole)


def test_a_budget_in_dollars_needs_a_price(capsys: pytest.CaptureFixture[str], keyed: pytest.MonkeyPatch) -> None:
    with serving(FakeServer(usual=answers())) as server:
        said = call(capsys, *arguments(server, "--budget-usd", 1))
    assert said.code == 4
    assert "price" in said.err
    assert server.requests == []


def test_killed_in_the_middle_of_a_step_it_goes_on_without_paying_twice(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study, whole = tmp_path / "a.study", tmp_path / "whole.study"
    paid: list[str] = []

    def choose(exchange: Exchange) -> Behaviour | None:
        if asks(exchange.body):
            paid.append(json.dumps(exchange.body["messages"]))
        return None

    with serving(FakeServer(usual=answers(choose, delay=0.05))) as server:
        command = [sys.executable, "-m", "eduverse_mesa", *map(str, arguments(server, "--out", study))]
        process = subprocess.Popen(command, env=os.environ.copy(), stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while len(paid) < 12 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        before = len(paid)
        assert before >= 12
        assert call(capsys, "resume", study, "-q", "--json").code == 0
    again = [question for question in paid[before:] if question in paid[:before]]
    # Those in flight at the kill had not come back: nobody can know what they said. All others are not asked again.
    assert len(again) <= server.most_out
    with serving(FakeServer(usual=answers())) as fresh:
        keyed.setenv("EDUVERSE_CACHE", str(tmp_path / "other.sqlite"))
        call(capsys, *arguments(fresh, "--out", whole))
    assert log_of(study) == log_of(whole)


def test_a_planted_key_is_found_nowhere(
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    keyed: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []

    def keep(*given: object) -> Any:
        heard = call(capsys, *given)
        said.append(heard.out + heard.err)
        return heard

    echo = fails(400, f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}", f"code {KEY}")

    def choose(exchange: Exchange) -> Behaviour | None:
        return echo if "You are Liu Li, " in str(exchange.body["messages"]) else None

    study = tmp_path / "a.study"
    with serving(FakeServer(usual=answers(choose))) as server:
        assert keep(*arguments(server, "--out", study, "--report", tmp_path / "report.html")).code == 0
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    with serving(FakeServer(usual=echo)) as server:
        keep(*arguments(server, "--cache", tmp_path / "new.sqlite"))
    for form in ("csv", "parquet", "jsonl", "growth", "graphml", "xapi", "transcript"):
        keep("export", study, "--format", form, "--out", tmp_path / f"export-{form}")
    keep("list", study, "--json")
    keep("replay", study, "--json")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 10
    hidden = KEY.encode()
    assert [file for file in files if hidden in file.read_bytes()] == []
    assert KEY not in "".join(said) + caplog.text


def test_a_quota_that_ends_in_the_middle_of_a_round_stops_before_the_step(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study, used = tmp_path / "a.study", fails(429, "no more", "insufficient_quota")
    paid_up: list[bool] = []

    def choose(exchange: Exchange) -> Behaviour | None:
        return used if exchange.number > 14 and not paid_up else None

    with serving(FakeServer(usual=answers(choose))) as server:
        said = call(capsys, *arguments(server, "--out", study))
        assert said.code == 4
        assert "quota" in said.err
        answered, sent = questions(server)[:13], len(questions(server))
        paid_up.append(True)
        assert call(capsys, "resume", study, "-q", "--json").document["outcomes"]["fallback"] == 0
        assert not set(answered) & set(questions(server)[sent:])


def test_a_budget_holds_however_often_a_run_is_resumed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "a.study"
    with serving(FakeServer(usual=answers())) as server:
        assert call(capsys, *arguments(server, "--out", study, "--budget-requests", 12)).code == 4
        for _ in range(4):
            assert call(capsys, "resume", study, "-q").code == 4
        assert len(server.requests) <= 12
        assert call(capsys, "resume", study, "-q", "--budget-requests", 16).code == 4
        assert len(server.requests) <= 16


def test_what_a_killed_step_has_paid_for_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "a.study"
    with serving(FakeServer(usual=answers(delay=0.05))) as server:
        command = [sys.executable, "-m", "eduverse_mesa"]
        command += map(str, arguments(server, "--out", study, "--budget-requests", 20))
        process = subprocess.Popen(command, env=os.environ.copy(), stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while len(server.requests) < 14 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        in_flight = server.most_out
        assert call(capsys, "resume", study, "-q").code == 4
        assert len(server.requests) <= 20 + in_flight, "only what was out at the kill is nobody's to count"


def test_a_model_whose_step_was_broken_off_does_not_go_on_from_the_middle(keyed: pytest.MonkeyPatch) -> None:
    settings = {"llm.model": "planted", "llm.budget.requests": 14}
    with serving(FakeServer(usual=answers())) as server:
        keyed.setenv("OPENAI_BASE_URL", server.url)
        model = ClassroomModel(steps=STEPS, seed=1, policy="llm", settings=settings)
        model.step()
        with pytest.raises(PolicyError, match="budget"):
            model.step()
        broken = model.state.step
        with pytest.raises(PolicyError, match=f"step {broken} was broken off"):
            model.step()
        assert model.state.step == broken


def _forks_within_a_lesson(report: Any, environment: dict[str, str]) -> None:
    """In a process without the threads of other tests, whose locks a fork would inherit and nobody open again."""
    os.environ.update(environment)
    model = ClassroomModel(steps=3, seed=1, policy="llm", settings={"llm.model": "planted"})
    model.step()  # it has connections, a cache and threads by now
    forked = multiprocessing.get_context("fork").Process(target=_lesson_in_a_child, args=(report,))
    forked.start()
    forked.join(60)
    assert forked.exitcode == 0
    while model.running:
        model.step()  # and its own still stand
    report.send({entry.answer.status for entry in model.journal.answers})


def _lesson_in_a_child(report: Any) -> None:
    model = ClassroomModel(steps=1, seed=2, policy="llm", settings={"llm.model": "planted"})
    while model.running:
        model.step()
    report.send({entry.answer.status for entry in model.journal.answers})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
def test_a_forked_child_asks_for_itself(keyed: pytest.MonkeyPatch) -> None:
    here, there = multiprocessing.Pipe()
    with serving(FakeServer(usual=answers())) as server:
        keyed.setenv("OPENAI_BASE_URL", server.url)
        needed = {name: os.environ[name] for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EDUVERSE_CACHE")}
        parent = child(_forks_within_a_lesson, there, needed)
        for _ in ("the child", "the parent"):
            assert here.poll(60), "it hangs"
            assert here.recv() == {"ok"}
        assert ended(parent) == 0
        assert len(server.requests) > 3
