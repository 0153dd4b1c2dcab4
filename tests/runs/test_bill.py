"""What a whole lesson shows of its bill is what its server charged, or says of how many calls nobody told."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.decisions import Bill
from eduverse_mesa.runs import open_study, replay_run, results
from eduverse_mesa.runs.classroom import fork_run
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.tables import bill_document
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.reports.run import bill_lines, told_of_untold, use_lines
from eduverse_mesa.visualization.words import load_words
from tests.cli.commands import call
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, drips, ends, hangs_up, head, sends, silent
from tests.runs.model_servers import KEY, asks, in_form, serving

READ, WRITTEN = 1000, 50
CHARGE = READ + WRITTEN
"""Tokens that every request costs, whatever becomes of its answer."""
STEPS = 1
TOLD: dict[str, Any] = {"prompt_tokens": READ, "completion_tokens": WRITTEN}
_PATIENCE = 120
_PEOPLE = 7
"""Who may be asked at the same time: six students, and the teacher."""

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A key in the environment, and nothing remembered: every answer is paid for."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    return monkeypatch


def document(exchange: Exchange, usage: Any = TOLD, model: str = "") -> bytes:
    """A good answer; `usage` is put as it is, and left out where it is None."""
    message = {"role": "assistant", "content": in_form(exchange.body)}
    body: dict[str, Any] = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    if usage is not None:
        body["usage"] = usage
    if model:
        body["model"] = model
    return json.dumps(body).encode()


@dataclass
class Charging:
    """Answers and charges; with some questions something goes wrong, with each of them once."""

    fault: Callable[[Exchange], Behaviour] | None = None
    faulty: int = 0

    def __post_init__(self) -> None:
        self._hit: set[str] = set()

    async def __call__(self, exchange: Exchange) -> None:
        question = exchange.question
        wrong = asks(exchange.body) and "You are Liu Li, " in question and question not in self._hit
        if self.fault is not None and wrong:
            self._hit.add(question)
            self.faulty += 1
            await self.fault(exchange)(exchange)
            return
        await exchange.send(document(exchange))


def always(behave: Behaviour) -> Callable[[Exchange], Behaviour]:
    return lambda _: behave


def with_usage(usage: Any) -> Callable[[Exchange], Behaviour]:
    return lambda exchange: sends(document(exchange, usage))


_BEGUN = head(2000) + b'{"choices": [{"index": 0, "mess'
TELLING = {
    "choices-empty": always(sends(json.dumps({"choices": [], "usage": TOLD}).encode())),
    "choices-missing": always(sends(json.dumps({"usage": TOLD}).encode())),
    "usage-as-text": lambda exchange: sends(
        document(exchange, {"prompt_tokens": f"{READ}", "completion_tokens": f"{WRITTEN}"})
    ),
    "usage-with-points": lambda exchange: sends(
        document(exchange, {"prompt_tokens": float(READ), "completion_tokens": float(WRITTEN)})
    ),
    "bytes-no-text": lambda exchange: sends(document(exchange).replace(b'"stop"', b'"st\xff\xfep"')),
}
"""What goes wrong while the server still tells what it charges."""
UNTOLD = {
    "choices-empty-and-no-usage": always(sends(b'{"choices": []}')),
    "reset-in-body": always(hangs_up(_BEGUN)),
    "end-in-body": always(ends(_BEGUN)),
    "reset-at-once": always(hangs_up()),
    "drip": always(drips(0.2)),
    "encoding-broken": always(sends(b"this is not packed", 200, Content_Encoding="gzip")),
    "json-broken": always(sends(b'{"choices": [')),
    "usage-missing": with_usage(None),
    "usage-in-part": with_usage({"prompt_tokens": READ}),
    "usage-negative": with_usage({"prompt_tokens": -READ, "completion_tokens": WRITTEN}),
    "usage-as-fractions": with_usage({"prompt_tokens": READ + 0.5, "completion_tokens": WRITTEN + 0.5}),
    "usage-beyond-reason": with_usage({"prompt_tokens": 10**12, "completion_tokens": WRITTEN}),
    "usage-a-list": with_usage([READ, WRITTEN]),
}
"""What goes wrong so that nobody learns what it costs."""


def lesson(server: FakeServer, *more: object) -> list[object]:
    return [
        *("run", "--policy", "llm", "--model", "horizon", "--base-url", server.url, "--steps", STEPS),
        *("--set", "pacing.mode=fixed", "-q", *more),
    ]


def check(models: dict[str, Any], server: FakeServer) -> None:
    """Every token that was charged is shown, or is one of a call that is said to be untold."""
    told, untold = models["tokens_in"] + models["tokens_out"], models["untold"]
    assert models["calls"] == len(server.requests)
    assert told + CHARGE * untold["calls"] == CHARGE * len(server.requests)
    assert bool(untold["tokens_at_most"]) == bool(untold["calls"]), "there is an estimate of what was not told"


@pytest.mark.parametrize("fault", ["none", *TELLING, *UNTOLD])
def test_the_bill_is_what_the_server_charged_or_says_what_is_not_known(
    fault: str, capsys: Capture, tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    charging = Charging({**TELLING, **UNTOLD}.get(fault))
    study = tmp_path / "a.study"
    with serving(FakeServer(usual=charging)) as server:
        impatient = ("--set", "llm.deadlines={attempt: 3}") if fault == "drip" else ()
        models = call(capsys, *lesson(server, "--json", "--out", study, *impatient)).document["models"]
        check(models, server)
    assert bool(charging.faulty) == (fault != "none")
    if fault in UNTOLD:
        assert models["untold"]["calls"] >= charging.faulty
    elif fault in TELLING:
        assert models["untold"]["calls"] == 0
    assert models["untold"]["broken_off"] == 0
    replayed = call(capsys, "replay", study, "--json").document["models"]
    assert replayed == models, "the study knows the same"
    printed = call(capsys, "replay", study).out
    said = f"{models['untold']['calls']} of {models['calls']} calls did not tell what they took. Estimate: at most"
    assert (said in printed) == (fault in UNTOLD)
    with open_study(str(study)) as opened:
        bill = Bill.read(opened.study.runs()[0].spent)
    assert (bill.tokens, bill.untold, bill.out) == (
        CHARGE * (bill.requests - bill.untold),
        models["untold"]["calls"],
        0,
    )


def test_after_three_kills_every_call_is_in_the_bill(
    capsys: Capture, tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study, kills = tmp_path / "a.study", 3
    charging, enough = Charging(), 0.0

    async def until_enough(exchange: Exchange) -> None:
        await (charging if exchange.number <= enough else silent())(exchange)  # it cannot outrun the kill

    with serving(FakeServer(usual=until_enough)) as server:
        begin = lesson(server, "--out", study, "--steps", 3)
        for number in range(kills):
            command = [sys.executable, "-m", "eduverse_mesa", *map(str, begin if not number else ["resume", study])]
            enough = len(server.requests) + 4
            process = subprocess.Popen(command, env=os.environ.copy(), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            until = time.monotonic() + _PATIENCE
            while len(server.requests) <= enough and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert process.returncode == -signal.SIGKILL
        enough = math.inf
        models = call(capsys, "resume", study, "-q", "--json").document["models"]
        charged = CHARGE * len(server.requests)
    told, untold = models["tokens_in"] + models["tokens_out"], models["untold"]
    assert told <= charged <= told + CHARGE * untold["calls"]
    assert untold["broken_off"] == untold["calls"]
    # A call that was noted and not sent yet at a kill counts as one that may have been.
    assert 0 <= models["calls"] - len(server.requests) <= untold["calls"]
    assert untold["calls"] <= kills * _PEOPLE, "no more than were on their way"


def test_a_change_of_the_models_name_within_a_run_is_a_warning(
    capsys: Capture, tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "a.study"

    async def behave(exchange: Exchange) -> None:
        name = "horizon-2025" if exchange.number < 10 else "horizon-2026"
        await exchange.send(document(exchange, model=name))

    with serving(FakeServer(usual=behave)) as server:
        said = call(capsys, *lesson(server, "--out", study, "--report", tmp_path / "report.html"))
    warning = "!! horizon was asked for, and its server has answered as horizon-2025 (from 1:1 on), horizon-2026"
    assert warning in said.out
    assert "may not be the same model throughout" in (tmp_path / "report.html").read_text("utf-8")
    models = call(capsys, "replay", study, "--json").document["models"]
    assert models["renamed"] == {"horizon": ["horizon-2025", "horizon-2026"]}
    assert [one["model"] for one in models["named"]] == ["horizon-2025", "horizon-2026"]
    call(capsys, "export", study, "--format", "jsonl", "--out", tmp_path / "log")
    rows = [json.loads(line) for line in next((tmp_path / "log").glob("*.jsonl")).read_text("utf-8").splitlines()]
    assert {row.get("model") for row in rows if row["source"] == "llm"} >= {"horizon-2025", "horizon-2026"}


def test_the_name_of_the_model_changes_nothing_in_a_run(
    capsys: Capture, tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    digests, logs = [], []
    for name in ("", "horizon-2026"):
        study = tmp_path / f"{name or 'nameless'}.study"

        async def behave(exchange: Exchange, name: str = name) -> None:
            await exchange.send(document(exchange, model=name))

        with serving(FakeServer(usual=behave)) as server:
            keyed.setenv("OPENAI_BASE_URL", server.url)
            call(capsys, *lesson(server, "--out", study))
        with open_study(str(study)) as opened:
            (run,) = opened.runs()
            digests.append(opened.study.digests(run))
            rows = opened.study.answers(run)
            logs.append([row._replace(latency_ms=None, model=None) for row in rows])
            assert {row.model for row in rows if row.source == "llm"} == {name}
        assert call(capsys, "replay", study, "--json").code == 0
    assert digests[0] == digests[1]
    assert logs[0] == logs[1]


def test_a_lesson_that_is_kept_in_the_middle_has_its_whole_bill_and_a_fork_one_of_its_own(
    tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = str(tmp_path / "a.study")
    settings = {"steps": 3, "policy": "llm", "llm.model": "horizon", "pacing.mode": "fixed"}
    with serving(FakeServer(usual=Charging())) as server:
        keyed.setenv("OPENAI_BASE_URL", server.url)
        player = LessonPlayer(load_scenario(settings=settings), 1)
        player.play(until=(1, 1))
        assert player.wait(_PATIENCE) == "paused"
        before = len(server.requests)
        assert (player.run.bill or Bill()).tokens == player.spending.bill.tokens == CHARGE * before
        run = player.keep(study)
        player.stop()
        assert player.wait(_PATIENCE) == "stopped"
        with open_study(study) as opened:
            assert Bill.read(opened.study.run(run).spent).tokens == CHARGE * before
        there = len(server.requests)
        again = LessonPlayer.go_on(player.run)
        again.play(until=(1, 2))
        assert again.wait(_PATIENCE) == "paused"
        assert (again.run.bill or Bill()).tokens == CHARGE * len(server.requests) > CHARGE * there
        again.stop()
        assert again.wait(_PATIENCE) == "stopped"
        there = len(server.requests)
        with open_study(study) as opened:
            forked = fork_run(opened, run, (1, 1), [])
            assert results(forked)["models"]["tokens_in"] == READ * (len(server.requests) - there) > 0
            assert results(replay_run(opened, forked.id))["models"] == results(forked)["models"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_not_known_is_said_in_every_language(language: str) -> None:
    use = {
        "calls": 40,
        "untold": {"calls": 3, "broken_off": 2, "tokens_at_most": 4500, "usd_at_most": 0.25},
    }
    [told, broken_off] = told_of_untold(use, load_words(language))
    assert all(number in told for number in ("40", "3", "4500", "0.2500"))
    assert "2" in broken_off
    assert not told_of_untold({"calls": 1, "untold": {"calls": 0}}, load_words(language))


UNKNOWN = {"en": "price unknown", "zh": "价格未知"}
PAID = {"en": "US dollars", "zh": "美元"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("bill", "unknown", "paid"),
    [
        (Bill(), False, False),
        (Bill(5, failed=5), False, False),
        (Bill(3, untold=3, most_tokens=900), False, False),
        (Bill(4, tokens_in=100, tokens_out=20, unpriced=4), True, False),
        (Bill(4, tokens_in=100, tokens_out=20, usd=0.25), False, True),
        (Bill(4, tokens_in=100, tokens_out=20, usd=0.25, unpriced=1), True, True),
    ],
)
def test_a_price_is_told_where_something_was_taken_and_is_unknown_where_it_is(
    language: str, bill: Bill, unknown: bool, paid: bool
) -> None:
    lines = "\n".join(bill_lines(bill_document(bill), load_words(language)))
    assert (UNKNOWN[language] in lines, PAID[language] in lines) == (unknown, paid)
    assert "EDUVERSE_PRICES" in lines or not unknown
    assert ("0.2500" in lines) == paid
    if language == "en":
        told = str(bill)
        assert ("price" in told and "unknown" in told, "US dollars" in told) == (unknown, paid)


def test_a_report_says_why_answers_and_calls_differ(capsys: Capture, keyed: pytest.MonkeyPatch) -> None:
    with serving(FakeServer(usual=Charging())) as server:
        said = call(capsys, *lesson(server, "--steps", 2)).out
        asked = len(server.requests)
        again = call(capsys, *lesson(server, "--steps", 2, "--json")).document
    lines = [line.strip() for line in said.splitlines()]
    start = lines.index("LANGUAGE MODELS")
    answers, calls, differ = lines[start + 1 : start + 4]
    assert answers.startswith("Answers: ")
    assert calls == f"Calls to a model: {asked}"
    assert differ.startswith("Answers and calls differ: a call may bring several answers")
    alike = {**again["models"], "sources": {"llm": 7}, "calls": 7}
    assert not any("differ" in line for line in use_lines(alike, load_words("en")))


def test_a_run_that_goes_on_says_what_it_has_taken_and_what_is_left(
    capsys: Capture, tmp_path: Path, keyed: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "a.study"
    with serving(FakeServer(usual=Charging())) as server:
        stopped = call(capsys, *lesson(server, "--out", study, "--steps", 2, "--budget-requests", 20))
        assert "the budget of requests is used up" in stopped.err
        there = len(server.requests)
        on = call(capsys, "resume", study, "--budget-requests", there + 5)
        assert f"has taken before: {there} requests" in on.err
        assert f"Left of its budget, which is the whole run's: 5 of {there + 5} requests." in on.err
        assert len(server.requests) <= there + 5, "and that is so"
        quiet = call(capsys, "resume", study, "-q")
        assert "has taken before" not in quiet.err
