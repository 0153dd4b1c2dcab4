"""Questions that can wait go out as one file, are found again after a kill, and come back as any other answer.

The server is a stand-in for `/files` and `/batches`; nobody's real one has ever been asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm import LLM
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
from tests.llm.town import Town, played

KEY = "sk-planted-3b9c0d1e2f44"
ROOT = Path(__file__).parents[4]
Line = dict[str, Any]


def by_number(line: Line) -> tuple[int, Any]:
    """Residents of odd numbers go."""
    asked = line["body"]["messages"][0]["content"]
    number = int(asked.split("number ")[1].split(",")[0])
    message = {"role": "assistant", "content": json.dumps({"answer": "go" if number % 2 else "stay"})}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return 200, {"model": "small-1", "choices": [{"finish_reason": "stop", "message": message}], "usage": usage}


@dataclass
class BatchServer:
    """Takes files and batches, and plays a batch when it may."""

    answer: Callable[[Line], tuple[int, Any] | None] = by_number
    ended: str = "completed"
    """How batches end."""
    may_end: threading.Event = field(default_factory=threading.Event)
    created: threading.Event = field(default_factory=threading.Event)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    refuse: list[int] = field(default_factory=list)
    """Statuses of the next answers, whatever was asked."""
    url: str = ""

    def lines(self, batch: str) -> list[Line]:
        """What was asked in a batch."""
        return [json.loads(line) for line in self.files[self.batches[batch]["input_file_id"]].splitlines()]

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.keys.add(request.headers.get("Authorization", ""))
        if self.refuse:
            return web.json_response({"error": {"message": f"no, {KEY}"}}, status=self.refuse.pop(0))
        return await handler(request)

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()  # type: ignore[union-attr]
        return web.json_response({"id": name})

    async def _create(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        name = f"batch-{len(self.batches)}"
        self.batches[name] = {"id": name, "status": "validating", **wanted}
        self.created.set()
        return web.json_response(self.batches[name])

    async def _list(self, request: web.Request) -> web.Response:
        names = list(reversed(self.batches))  # a page has one: others have hundreds
        start = names.index(request.query["after"]) + 1 if "after" in request.query else 0
        page = [self.batches[name] for name in names[start : start + 1]]
        return web.json_response({"data": page, "has_more": start + 1 < len(names)})

    async def _look(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["id"]]
        if self.may_end.is_set() and batch["status"] == "validating":
            self._play(batch)
        return web.json_response(batch)

    def _play(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.ended
        if self.ended == "failed":
            batch["errors"] = {"data": [{"message": f"line 1 is too long, {KEY}"}]}
            return
        outputs: dict[str, list[Line]] = {"output_file_id": [], "error_file_id": []}
        for line in reversed(self.lines(batch["id"])):
            told = self.answer(line)
            if told is not None:
                name = "output_file_id" if told[0] < 300 else "error_file_id"
                response = {"status_code": told[0], "body": told[1]}
                outputs[name].append({"custom_id": line["custom_id"], "response": response, "error": None})
        for name, answers in outputs.items():
            if answers:
                batch[name] = f"file-{len(self.files)}"
                self.files[batch[name]] = "\n".join(map(json.dumps, answers)).encode()

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["id"]])

    def serve(self, ready: threading.Event, over: threading.Event) -> None:
        """Until it is over."""

        async def run() -> None:
            app = web.Application(middlewares=[self._door], client_max_size=1 << 26)
            app.router.add_post("/v1/files", self._upload)
            app.router.add_get("/v1/files/{id}/content", self._content)
            app.router.add_post("/v1/batches", self._create)
            app.router.add_get("/v1/batches", self._list)
            app.router.add_get("/v1/batches/{id}", self._look)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            ready.set()
            await asyncio.to_thread(over.wait)
            await runner.cleanup()

        asyncio.run(run())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(BatchEndpoint, "gather", 0.02)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    made, ready, over = BatchServer(), threading.Event(), threading.Event()
    made.may_end.set()
    thread = threading.Thread(target=made.serve, args=(ready, over), daemon=True)
    thread.start()
    assert ready.wait(90)
    yield made
    over.set()
    thread.join(90)


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
from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
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


def test_another_run_is_another_batch(server: BatchServer) -> None:
    played(model(server), 1)
    played(model(server, seed=4), 1)
    assert len(server.batches) == 2


def test_batches_and_anthropics_protocol_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PolicyError, match="OpenAI-compatible servers only"):
        LLM("claude-x", provider="anthropic", delivery="batch")
    with pytest.raises(PolicyError, match="Known: live, batch"):
        LLM("small", base_url="http://127.0.0.1:9/v1", delivery="pigeon")  # type: ignore[arg-type]
