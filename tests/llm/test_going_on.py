"""A run that was broken off goes on exactly: what came is not asked for again, and its record is replayed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mesa
import pytest

from eduverse_mesa.errors import BudgetError, PolicyError
from eduverse_mesa.llm import LLM
from eduverse_mesa.policies.llm.policy import UselessError
from tests.llm.town import Town, by_number, decides, played
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, silent
from tests.runs.model_servers import serving

PROBE = 1
caught_outside = pytest.mark.skipif(
    hasattr(mesa.Model, "_do_step"), reason="since Mesa 3.5 a model whose step has raised takes no further step"
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """Nothing but the run itself remembers answers."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    with serving(FakeServer(usual=decides(by_number))) as running:
        yield running


def model(server: FakeServer, **options: Any) -> LLM:
    return LLM("small", base_url=server.url, **options)


class Patient(Town):
    """Gets a larger budget within its step, and takes it again."""

    def step(self) -> None:
        try:
            super().step()
        except BudgetError:
            self.llm.go_on(budget={"requests": 18})
            super().step()


def test_a_step_is_taken_again_within_itself(server: FakeServer, tmp_path: Path) -> None:
    whole = played(model(server), 3)
    before, kept = len(server.requests), tmp_path / "run.jsonl"
    town = Patient(model(server, budget={"requests": 9}, keep=kept))
    for _ in range(3):
        town.step()
    assert town.history == whole.history
    assert len(server.requests) - before == 18 == town.llm.spent.requests, "nothing is asked twice"
    assert played(LLM.replay(kept), 3).history == whole.history


@caught_outside
@pytest.mark.parametrize("back", [True, False], ids=["step-taken-back", "step-counted"])
def test_a_run_goes_on_with_a_larger_budget(server: FakeServer, tmp_path: Path, back: bool) -> None:
    whole = played(model(server), 3)
    before, kept = len(server.requests), tmp_path / "run.jsonl"
    town = Town(model(server, budget={"requests": 9}, keep=kept))
    town.step()
    with pytest.raises(BudgetError, match=r"LLM\(\"small\"\).*llm.go_on\(budget=") as caught:
        town.step()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises(BudgetError):
        town.step()
    town.llm.go_on(budget={"requests": 18})
    if back:
        town.steps = 1
    town.step()
    town.step()
    assert town.history == whole.history
    assert len(server.requests) - before == 18 == town.llm.spent.requests, "nothing is asked twice"
    assert played(LLM.replay(kept), 3).history == whole.history


@caught_outside
def test_a_run_goes_on_after_an_interrupt(server: FakeServer, tmp_path: Path) -> None:
    whole = played(model(server), 2)
    asked: list[str] = []
    stuck = threading.Event()

    def choose(exchange: Exchange) -> str | Behaviour:
        asked.append(exchange.question)
        if "resident 6." in exchange.question and not stuck.is_set():
            return waits_for_others
        return by_number(exchange)

    async def waits_for_others(exchange: Exchange) -> None:
        while len(asked) < 12:
            await asyncio.sleep(0)
        stuck.set()
        await silent()(exchange)

    town = Town(model(server, keep=tmp_path / "run.jsonl"))
    town.step()
    server.usual = decides(choose)
    asked.extend([""] * 6)

    def interrupt() -> None:
        assert stuck.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        town.step()
    thread.join()
    town.step()
    assert town.history == whole.history
    assert played(LLM.replay(tmp_path / "run.jsonl"), 2).history == whole.history


@caught_outside
def test_a_broken_otherwise_pays_nothing_twice(server: FakeServer) -> None:
    server.usual = decides(lambda exchange: "Hm." if "resident 2." in exchange.question else by_number(exchange))

    def broken(resident: Any) -> Any:
        raise RuntimeError("a mistake in the program")

    town = Town(model(server, reasks=0), otherwise=broken)
    with pytest.raises(
        PolicyError, match=r"^Resident 2, step 1: otherwise has failed .* a mistake in the program"
    ) as caught:
        town.step()
    assert isinstance(caught.value.__cause__, RuntimeError)
    sent = len(server.requests)
    town.options = {}
    town.step()
    assert len(server.requests) == sent
    assert [one.status for one in town.responses].count("failed") == 1


def test_useless_answers_are_in_the_table_and_the_record_and_no_replay_takes_them(
    server: FakeServer, tmp_path: Path
) -> None:
    kept = tmp_path / "run.jsonl"
    town = Town(model(server, keep=kept, reasks=0), residents=12)
    town.step()
    server.usual = decides(lambda exchange: "I would rather not say.")
    with pytest.raises(UselessError, match=r"LLM\(..., max_tokens=...\)"):
        town.step()
    table = town.llm.table()
    assert table["taken"].tolist() == 12 * [True] + 12 * [False]
    assert set(table["said"][12:]) == {"I would rather not say."}
    assert town.llm.summary().startswith("12 answers: 12 ok")
    assert "I would rather not say." in kept.read_text("utf-8")
    assert played(LLM.replay(kept), 1, residents=12).history == town.history


def test_a_run_goes_on_with_more_useless_answers(server: FakeServer, tmp_path: Path) -> None:
    """What was said counts once, and is not asked for again."""
    kept = tmp_path / "run.jsonl"
    server.usual = decides(lambda exchange: "I would rather not say.")
    town = Lenient(model(server, keep=kept, reasks=0), residents=12)
    with pytest.warns(UserWarning, match="no answer of 12 could be used"):
        town.step()
    assert [one.status for one in town.responses] == 12 * ["failed"]
    assert len(server.requests) == PROBE + 12
    assert re.search(r"or allow more \(llm\.go_on\(useless=1\)\)\.$", town.told)
    server.usual = decides(by_number)
    town.step()
    assert [one.status for one in town.responses[12:]] == 12 * ["ok"]
    with pytest.warns(UserWarning, match="no answer of 12 could be used"):
        assert played(LLM.replay(kept), 2, residents=12).history == town.history


class Lenient(Town):
    """Allows more useless answers within its step, and takes it again."""

    def step(self) -> None:
        try:
            super().step()
        except UselessError as error:
            self.told = str(error)
            self.llm.go_on(useless=1)
            super().step()


@pytest.mark.parametrize("share", [-1, 2, "many"])
def test_a_share_of_useless_answers_is_checked(server: FakeServer, share: Any) -> None:
    with pytest.raises(PolicyError, match="useless: "):
        model(server).go_on(useless=share)


def test_what_spends_nothing_has_no_budget() -> None:
    with pytest.raises(PolicyError, match="scripted spends nothing"):
        LLM.scripted(lambda resident: True).go_on(budget={"usd": 1})


def test_a_budget_is_checked(server: FakeServer) -> None:
    with pytest.raises(PolicyError, match=r"budget\.euro"):
        model(server).go_on(budget={"euro": 1})
    with pytest.raises(PolicyError, match="needs the price"):
        model(server).go_on(budget={"usd": 1})


def test_a_run_over_an_earlier_one_says_that_its_budget_begins_anew(server: FakeServer, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    before = played(LLM("small", base_url=server.url, keep=path), 1, residents=4).llm
    words = r"had taken 4 requests, .* budget begins anew: 9 of 9 requests are left"
    with pytest.warns(UserWarning, match=words):
        again = LLM("small", base_url=server.url, keep=path, overwrite=True, budget={"requests": 9})
    assert again.spent.requests == 0 < before.spent.requests
    LLM("small", base_url=server.url, keep=path, overwrite=True, budget={"requests": 9})  # it holds no answer now
