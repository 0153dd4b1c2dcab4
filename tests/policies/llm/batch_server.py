"""A stand-in for a server with `/files` and `/batches` over real sockets; it answers live as well, and the same."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from aiohttp import web

from eduverse_mesa.policies.llm.calling.dialect import strict
from eduverse_mesa.policies.llm.rehearsal import sketch

KEY = "sk-planted-3b9c0d1e2f44"
Line = dict[str, Any]
Told = tuple[int, Any] | None
"""Status and body; None: no answer comes."""


def saying(text: str) -> Told:
    """An answer with these words."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return 200, {"model": "small-1", "choices": [{"finish_reason": "stop", "message": message}], "usage": usage}


def by_number(line: Line) -> Told:
    """Residents of odd numbers go."""
    asked = line["body"]["messages"][0]["content"]
    number = int(asked.split("number ")[1].split(",")[0])
    return saying(json.dumps({"answer": "go" if number % 2 else "stay"}))


def in_form(line: Line) -> Told:
    """An answer in the form that is asked for: the same for the same messages and seed, live or in a batch, where
    schemas have no bounds."""
    body = line["body"]
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form is None:
        return saying("Yes.")
    luck = crc32(json.dumps([body["messages"], body.get("seed")]).encode())
    return saying(json.dumps(sketch(strict(form), luck, 0.3)))


@dataclass
class BatchServer:
    """Takes files and batches, and plays a batch when it may; it takes single questions, too."""

    answer: Callable[[Line], Told] = by_number
    expires: Callable[[Line], bool] = lambda line: False
    """Lines for which a batch had no time: then it ends as expired."""
    ended: str = "completed"
    """How batches end."""
    latency: float = 0.0
    """Seconds that a single question takes."""
    may_end: threading.Event = field(default_factory=threading.Event)
    created: threading.Event = field(default_factory=threading.Event)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    live: int = 0
    """Single questions so far."""
    looks: int = 0
    """How often somebody has looked after a batch."""
    stop_after: int | None = None
    """Batches after this many wait, as if the server took hours for them."""
    keys: set[str] = field(default_factory=set)
    refuse: list[int] = field(default_factory=list)
    """Statuses of the next answers, whatever was asked."""
    url: str = ""

    def lines(self, batch: str) -> list[Line]:
        """What was asked in a batch."""
        return [json.loads(line) for line in self.files[self.batches[batch]["input_file_id"]].splitlines()]

    @property
    def asked(self) -> int:
        """Lines of all batches."""
        return sum(len(self.lines(name)) for name in self.batches)

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.keys.add(request.headers.get("Authorization", ""))
        if self.refuse:
            return web.json_response({"error": {"message": f"no, {KEY}"}}, status=self.refuse.pop(0))
        return await handler(request)

    async def _chat(self, request: web.Request) -> web.Response:
        self.live += 1
        told = self.answer({"body": await request.json()})
        await asyncio.sleep(self.latency)
        status, body = told or (500, {})
        return web.json_response(body, status=status)

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
        self.looks += 1
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        waits = self.stop_after is not None and list(self.batches).index(batch["id"]) >= self.stop_after
        if self.may_end.is_set() and not waits and batch["status"] in ("validating", "in_progress"):
            self._play(batch)
        return web.json_response(batch)

    def _play(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.ended
        if self.ended == "failed":
            batch["errors"] = {"data": [{"message": f"line 1 is too long, {KEY}"}]}
            return
        outputs: dict[str, list[Line]] = {"output_file_id": [], "error_file_id": []}
        for line in reversed(self.lines(batch["id"])):
            if self.expires(line):
                batch["status"] = "expired"
                error = {"code": "batch_expired", "message": "This request could not be executed in time."}
                outputs["error_file_id"].append({"custom_id": line["custom_id"], "response": None, "error": error})
            elif (told := self.answer(line)) is not None:
                name = "output_file_id" if told[0] < 300 else "error_file_id"
                response = {"status_code": told[0], "body": told[1]}
                outputs[name].append({"custom_id": line["custom_id"], "response": response, "error": None})
        done, failed = (len(answers) for answers in outputs.values())
        batch["request_counts"] = {"total": done + failed, "completed": done, "failed": failed}
        for name, answers in outputs.items():
            if answers:
                batch[name] = f"file-{len(self.files)}"
                self.files[batch[name]] = "\n".join(map(json.dumps, answers)).encode()

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["id"]])

    def serve(self, ready: threading.Event, over: threading.Event) -> None:
        """Until it is over."""

        async def run() -> None:
            app = web.Application(middlewares=[self._door], client_max_size=1 << 28)
            app.router.add_post("/v1/chat/completions", self._chat)
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


@contextmanager
def serving_batches(server: BatchServer) -> Iterator[BatchServer]:
    """The server, listening; batches end at once unless `may_end` is cleared."""
    ready, over = threading.Event(), threading.Event()
    server.may_end.set()
    thread = threading.Thread(target=server.serve, args=(ready, over), daemon=True)
    thread.start()
    assert ready.wait(90)
    try:
        yield server
    finally:
        over.set()
        thread.join(90)
