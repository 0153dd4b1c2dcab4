"""Questions that can wait go out as one file, are found again after a kill, and come back as any other answer.

The server is a stand-in for `/files` and `/batches`; nobody's real one has ever been asked.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm import LLM
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint, open_batches
from eduverse_mesa.policies.llm.connection import first_limit, open_cache
from tests.llm.town import Move, Resident, Town, played
from tests.policies.llm.batch_server import KEY, BatchServer, Line, by_number, serving_batches

ROOT = Path(__file__).parents[4]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(BatchEndpoint, "gather", 0.02)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    with serving_batches(BatchServer()) as made:
        yield made


def model(server: BatchServer, **options: Any) -> LLM:
    return LLM("small", base_url=server.url, delivery="batch", **options)


def test_all_questions_of_a_step_are_one_batch(server: BatchServer) -> None:
    town = played(model(server), 2, residents=40)
    assert {one.status for one in town.responses} == {"ok"}
    assert [len(server.lines(name)) for name in server.batches] == [40, 40]
    for one, line in zip(town.responses, server.lines("batch-0"), strict=False):
        assert line["url"] == "/v1/chat/completions"
        assert one.usage.tokens_in == 100
    assert server.keys == {f"Bearer {KEY}"}
    assert town.llm.spent.tokens == 80 * 110


def test_answers_find_their_agents_in_whatever_order_they_come(server: BatchServer) -> None:
    town = Town(model(server), 12)
    places = [resident.place for resident in town.residents]
    town.step()
    assert [one.value.value == "go" for one in town.responses] == [place % 2 == 1 for place in places]


def test_a_line_that_failed_or_is_missing_is_asked_for_in_a_batch_of_its_own(server: BatchServer) -> None:
    troubles: list[tuple[int, Any] | None] = [(500, {"error": {"message": "oops"}}), None]
    server.answer = lambda line: troubles.pop() if troubles else by_number(line)
    town = played(model(server), 1, residents=6)
    assert {one.status for one in town.responses} == {"ok"}
    sizes = [len(server.lines(name)) for name in server.batches]
    assert sizes[0] == 6
    assert sum(sizes[1:]) == 2


def test_a_batch_that_is_answered_by_errors_only_is_not_waited_for_again(server: BatchServer) -> None:
    server.answer = lambda line: by_number(line) if len(server.batches) > 1 else (500, {})
    assert {one.status for one in played(model(server), 1, residents=2).responses} == {"ok"}


def test_looking_after_a_batch_may_fail_now_and_then(server: BatchServer) -> None:
    server.may_end.clear()
    town = Town(model(server), 3)
    thread = threading.Thread(target=town.step)
    thread.start()
    assert server.created.wait(90)
    server.refuse = [500, 429, 502]
    server.may_end.set()
    thread.join(90)
    assert {one.status for one in town.responses} == {"ok"}
    assert len(server.batches) == 1


def test_a_batch_that_is_refused_ends_the_run_with_the_servers_words(server: BatchServer) -> None:
    server.ended = "failed"
    with pytest.raises(PolicyError, match="the server refused the batch: line 1 is too long") as caught:
        played(model(server), 1)
    assert KEY not in str(caught.value)


def test_a_wrong_key_is_said(server: BatchServer) -> None:
    server.refuse = [401]
    with pytest.raises(PolicyError, match="does not accept the key") as caught:
        played(model(server), 1)
    assert KEY not in str(caught.value)


RUN = """
import sys
from eduverse_mesa.llm import LLM
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint, open_batches
from tests.llm.town import played
BatchEndpoint.gather = BatchEndpoint.poll = 0.02
played(LLM("small", base_url=sys.argv[1], delivery="batch"), 1, residents=8)
"""


def test_after_a_kill_the_batch_is_found_at_the_server(server: BatchServer) -> None:
    server.may_end.clear()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", RUN, server.url], env=environment, cwd=ROOT)
    try:
        assert server.created.wait(120)
    finally:
        child.kill()
        child.wait()
    server.may_end.set()
    town = played(model(server), 1, residents=8)
    assert {one.status for one in town.responses} == {"ok"}
    assert len(server.batches) == 1
    assert len(server.lines("batch-0")) == 8


KEPT = RUN.replace("residents=8", "residents=int(sys.argv[2])")


def test_what_is_in_a_batch_is_not_paid_for_again_whatever_is_asked_beside_it(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    server.may_end.clear()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", KEPT, server.url, "8"], env=environment, cwd=ROOT)
    try:
        assert server.created.wait(120)
        until = time.monotonic() + 90
        while server.looks < 2:  # it is noted by then which calls it holds
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        child.kill()
        child.wait()
    assert [len(server.lines(name)) for name in server.batches] == [8]
    server.may_end.set()
    server.batches["batch-0"]["metadata"] = {}  # nothing but our own note leads to it
    town = played(model(server), 1, residents=12)
    assert {one.status for one in town.responses} == {"ok"}
    assert [len(server.lines(name)) for name in server.batches] == [8, 4]


@pytest.mark.parametrize(("there", "sent"), [(True, 2), (False, 4)])
def test_a_batch_that_the_server_has_let_go_of_is_sent_anew(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool, sent: int
) -> None:
    before, after = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
    monkeypatch.setenv("EDUVERSE_CACHE", str(before))
    played(model(server), 1, residents=2)
    with closing(sqlite3.connect(before)) as cache, closing(sqlite3.connect(after)) as copy:
        cache.backup(copy)
        copy.execute("delete from answers")  # as where it was killed before anything came
        copy.commit()
    asked = server.asked
    if not there:
        server.batches.clear()
    monkeypatch.setenv("EDUVERSE_CACHE", str(after))  # a connection of its own, as another process has
    assert {one.status for one in played(model(server), 1, residents=2).responses} == {"ok"}
    assert asked + (0 if there else server.asked) == sent


def test_what_an_expired_batch_had_no_time_for_is_asked_again(server: BatchServer) -> None:
    late: list[str] = []

    def expires(line: Line) -> bool:
        first = len(server.batches) == 1 and len(late) < 3
        late.extend([line["custom_id"]] * first)
        return first

    server.expires = expires
    town = played(model(server), 1, residents=6)
    assert {one.status for one in town.responses} == {"ok"}
    assert [len(server.lines(name)) for name in server.batches] == [6, 3]
    assert {line["custom_id"] for line in server.lines("batch-1")} == set(late)


def test_a_call_that_expires_each_time_says_so(server: BatchServer) -> None:
    server.expires = lambda line: True
    with pytest.warns(UserWarning, match="ended without this answer: This request could not be executed in time"):
        town = played(model(server), 1, residents=6)
    assert {one.status for one in town.responses} == {"failed"}
    assert [len(server.lines(name)) for name in server.batches] == [6] * 5, "as often as live"


def test_a_server_with_a_bad_moment_is_asked_again_and_no_batch_is_made_twice(server: BatchServer) -> None:
    server.refuse = [503, 429]
    town = played(model(server), 1, residents=4)
    assert {one.status for one in town.responses} == {"ok"}
    assert [len(server.lines(name)) for name in server.batches] == [4]


def test_a_batch_is_of_one_model(server: BatchServer) -> None:
    async def ask() -> None:
        towns = [Town(LLM(name, base_url=server.url, delivery="batch"), 3) for name in ("small", "large")]
        asked = (town.llm.ask_async(town.agents, Resident.question, Move) for town in towns)
        for responses in await asyncio.gather(*asked):
            assert {one.status for one in responses} == {"ok"}

    asyncio.run(ask())
    models = [{line["body"]["model"] for line in server.lines(name)} for name in server.batches]
    assert sorted(models, key=str) == [{"large"}, {"small"}]


def test_a_batch_is_billed_at_its_own_price(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("models: {small: {in: 1000000, out: 10000000}}")
    monkeypatch.setenv("EDUVERSE_PRICES", str(prices))
    dear = LLM("small", base_url=server.url, delivery="batch")
    assert played(dear, 1, residents=2).llm.spent.usd == 2 * (100 * 1 + 10 * 10) / 2
    prices.write_text("batch: 0.25\nmodels: {small: {in: 1000000, out: 10000000}}")
    assert played(model(server, seed=9), 1, residents=2).llm.spent.usd == 2 * (100 * 1 + 10 * 10) / 4


def test_a_batch_that_nobody_waits_for_any_more_is_paid_and_counted_once(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after Ctrl-C in a notebook: it may even end before the same is asked again, within a budget that is just
    enough."""
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    llm = model(server, budget={"requests": 4})
    town = Town(llm, 4)

    async def interrupted() -> None:
        asked = asyncio.create_task(llm.ask_async(town.agents, Resident.question, Move))
        while server.looks < 2:
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    server.may_end.clear()
    asyncio.run(interrupted())
    while llm.bill.out:  # the calls hear of it in a thread of their own
        time.sleep(0.01)
    assert (llm.bill.requests, llm.bill.lost, llm.bill.failed) == (4, 4, 0)
    server.may_end.set()
    while open_batches():
        time.sleep(0.01)
    town.step()
    assert {one.status for one in town.responses} == {"ok"}
    assert len(server.batches) == 1
    assert (llm.bill.requests, llm.bill.untold, llm.bill.tokens, llm.bill.most_tokens) == (4, 0, 4 * 110, 0)


def test_what_goes_out_in_a_batch_says_nothing_of_how_much_a_server_takes_at_once(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "answers.sqlite"))
    played(model(server), 1, residents=40)
    assert first_limit(server.url, open_cache(str(tmp_path / "answers.sqlite")), 64) == first_limit("", None, 64)


def test_another_run_is_another_batch(server: BatchServer) -> None:
    played(model(server), 1)
    played(model(server, seed=4), 1)
    assert len(server.batches) == 2


def test_what_is_waited_for_is_told_with_its_name_its_state_and_its_time(
    server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.may_end.clear()
    town = Town(model(server), 3)
    thread = threading.Thread(target=town.step)
    thread.start()
    assert server.created.wait(90)
    server.batches["batch-0"]["created_at"] = int(time.time()) - 3 * 3600
    server.may_end.set()
    thread.join(90)
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("batch batch-0: validating, 0 of 3 answered, ")
    assert told[-1] == "batch batch-0: completed, 3 of 3 answered, 3.0 hours so far"
    assert len(told) == 2, "what has not changed is not told again"


def test_what_is_told_goes_where_the_program_wants_it(server: BatchServer, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    played(model(server, tell=told.append), 1, residents=2)
    assert told[-1].startswith("batch batch-0: completed, 2 of 2 answered, 0 s")
    played(model(server, tell=None, seed=5), 1, residents=2)

    async def ask() -> None:
        town = Town(model(server, tell=told.append, seed=6), 2)
        await town.llm.ask_async(town.agents, Resident.question, Move)

    asyncio.run(ask())
    assert told[-1].startswith("batch batch-2: completed")
    assert not any("batch-1" in line for line in told)
    assert capsys.readouterr().err == ""


def test_a_broken_listener_ends_no_waiting_and_is_named(server: BatchServer) -> None:
    def broken(line: str) -> None:
        raise ZeroDivisionError("a mistake")

    town = Town(model(server, tell=broken), 2)
    with pytest.raises(PolicyError, match=r"^tell: .* has failed: ZeroDivisionError: a mistake") as caught:
        town.llm.ask(town.agents, Resident.question, Move)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(PolicyError, match=r"^tell: "):
        model(server, tell=broken, seed=5).ask(town.agents, Resident.question, Move)
    assert len(server.batches) == 2


def test_a_batch_is_looked_after_more_and_more_rarely(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if server.looks >= 9:
            server.may_end.set()
        await real(0)

    server.may_end.clear()
    monkeypatch.setattr(BatchEndpoint, "gather", 0.0)
    monkeypatch.setattr("eduverse_mesa.policies.llm.calling.batches.asyncio.sleep", sleep)
    town = played(model(server, poll=8), 1, residents=2)
    assert {one.status for one in town.responses} == {"ok"}
    looks = [wait for wait in waits if wait]
    assert looks == [8, 12, 18, 27, 40.5, 60.75, 91.125, 120, 120, 120]


@pytest.mark.parametrize("poll", [0, -1, True, "often", float("inf")])
def test_a_time_between_looks_is_checked(server: BatchServer, poll: Any) -> None:
    with pytest.raises(PolicyError, match=r"^poll: .* is no time. Write seconds"):
        model(server, poll=poll)
    with pytest.raises(PolicyError, match=r"^tell: 3 is no function\. Write tell=print"):
        model(server, tell=3)
    with pytest.raises(PolicyError, match=r"^poll: only batches are looked after\."):
        LLM("small", base_url=server.url, poll=5)


def test_batches_and_anthropics_protocol_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PolicyError, match="compatible servers only; Anthropic's own batches are not built"):
        LLM("claude-x", provider="anthropic", delivery="batch")
    with pytest.raises(PolicyError, match="Known: live, batch"):
        LLM("small", base_url="http://127.0.0.1:9/v1", delivery="pigeon")  # type: ignore[arg-type]
