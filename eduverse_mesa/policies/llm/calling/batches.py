"""Batches: calls that can wait go to a server together, as one file, for half the price, and come back within a day.

An endpoint of this kind takes calls as any other does, so that cache, budget, retries and reading are the caller's.
What comes within a moment goes out as one file. A batch is marked with the fingerprint of its calls: whoever asks the
same again, after a kill or on another machine, finds it at the server and waits for it instead of paying for another.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import msgspec

from eduverse_mesa.policies.llm.calling.body import Ability
from eduverse_mesa.policies.llm.calling.deadlines import Deadlines
from eduverse_mesa.policies.llm.calling.endpoint import Endpoint, Extras, lacking_package
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Failure, excerpt
from eduverse_mesa.policies.llm.calls import Call, Completion

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling.client import Client
    from eduverse_mesa.policies.llm.calling.transport import Reply, Transport

ABILITY: Ability = "strict"
"""A question of what a server can do would wait for a day."""
MOST = 50_000
"""Calls of one batch."""
_WINDOW_HOURS = 24
_WHOLE = (_WINDOW_HOURS + 1) * 3600.0
_MARK = "eduverse"
_LARGEST = 2**30
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_IN_VAIN = frozenset({"failed", "cancelling", "cancelled"})
_PATIENT = 40
"""Times in a row that looking after a batch may fail."""
_PATH = "/v1/chat/completions"


class BatchEndpoint(Endpoint):
    """A base URL whose calls go out together; `gather` and `poll` are seconds."""

    takes_tools = False
    """Whether a server has them could be found out within a day only; a form is taken by each of them."""
    gather = 1.0
    """A batch is closed when nobody has come for so long."""
    poll = 20.0
    """So often it is asked whether a batch is done."""

    def __init__(
        self, base_url: str, key: str = "", deadlines: Deadlines | None = None, extras: Extras | None = None
    ) -> None:
        waits = deadlines or Deadlines()
        super().__init__(base_url, key, Deadlines(waits.connect, waits.read, _WHOLE, _WHOLE), extras)

    async def send(self, call: Call, ability: Ability, within: float | None = None) -> Completion:
        """One call of a batch. Raises AttemptFailedError."""
        if self._client is None:
            try:
                from eduverse_mesa.policies.llm.calling.transport import Transport
            except ImportError:
                raise lacking_package() from None
            headers = dict(self.extras.headers) | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
            transport = Transport(self.deadlines, _LARGEST, proxy=self.extras.proxy or None)
            batches = _Batches(self.base_url, headers, transport, self._key, self.gather, self.poll)
            self._client = cast("Client", batches)
        return await super().send(call, ability, within)


@dataclass
class _Batches:
    """In the place of a client: `ask` waits for the batch in which its request goes out."""

    base_url: str
    headers: Mapping[str, str]
    transport: Transport
    key: str
    gather: float
    poll: float
    _waiting: dict[str, tuple[bytes, asyncio.Future[Reply]]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _read: set[str] = field(default_factory=set)
    """Batches whose answers were handed out: what is asked again is meant to be answered anew."""
    _newest: float = 0.0
    _gathering: bool = False

    async def ask(self, body: bytes) -> Reply:
        """The answer to one request, as if it had been sent alone."""
        name = blake2b(body, digest_size=16).hexdigest()
        loop = asyncio.get_running_loop()
        if name not in self._waiting:
            self._waiting[name] = (body, loop.create_future())
        self._newest = loop.time()
        if not self._gathering:
            self._gathering = True
            task = asyncio.create_task(self._send_together())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(self._waiting[name][1])

    async def close(self) -> None:
        """Wait no longer. What is at the server stays there, and can be asked for again."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.transport.aclose()

    async def _send_together(self) -> None:
        """Gather calls until nobody comes any more, send them, and hand out what comes back."""
        loop = asyncio.get_running_loop()
        while len(self._waiting) < MOST and (left := self._newest + self.gather - loop.time()) > 0:
            await asyncio.sleep(left)
        calls, self._waiting, self._gathering = self._waiting, {}, False
        try:
            found = await self._play({name: body for name, (body, _) in sorted(calls.items())})
        except AttemptFailedError as error:
            found = dict.fromkeys(calls, error.failure)
        except _RefusedError as refused:
            found = dict.fromkeys(calls, refused.reply)
        except asyncio.CancelledError:
            for _, answer in calls.values():
                answer.cancel()
            raise
        for name, (_, answer) in calls.items():
            result = found.get(name, _MISSING)
            if answer.done():
                continue
            if isinstance(result, Failure):
                answer.set_exception(AttemptFailedError(result))
                answer.exception()  # whoever asked may have gone; that is no mistake
            else:
                answer.set_result(result)

    async def _play(self, calls: Mapping[str, bytes]) -> dict[str, Reply | Failure]:
        """Find the batch of these calls or make it, wait for its end, and read its answers."""
        mark = blake2b("".join(calls).encode(), digest_size=16).hexdigest()
        batch = await self._find(mark) or await self._create(mark, calls)
        failures = 0
        while batch.get("status") not in _ENDED:
            await asyncio.sleep(self.poll)
            try:
                batch = await self._json("GET", f"/batches/{batch['id']}")
                failures = 0
            except (AttemptFailedError, _RefusedError):  # the batch goes on, whoever looks after it
                failures += 1
                if failures >= _PATIENT:
                    raise
        self._read.add(str(batch["id"]))
        found: dict[str, Reply | Failure] = {}
        for name in ("output_file_id", "error_file_id"):
            if batch.get(name):
                found |= dict(_lines((await self._exchange("GET", f"/files/{batch[name]}/content")).body))
        if not found and batch["status"] == "failed":
            raise AttemptFailedError(_refused(batch, self.key))
        return found

    async def _find(self, mark: str) -> dict[str, Any] | None:
        """The batch that carries this mark, where the server has one that brings answers."""
        after: dict[str, str] = {}
        while True:
            page = await self._json("GET", "/batches?" + urlencode({"limit": "100", **after}))
            batches = [one for one in page.get("data") or [] if isinstance(one, dict)]
            for one in batches:
                marked = isinstance(one.get("metadata"), dict) and one["metadata"].get(_MARK) == mark
                if marked and one.get("status") not in _IN_VAIN and one["id"] not in self._read:
                    return one
            if not page.get("has_more") or not batches:
                return None
            after = {"after": str(batches[-1]["id"])}

    async def _create(self, mark: str, calls: Mapping[str, bytes]) -> dict[str, Any]:
        lines = b"".join(
            b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}\n' % (name.encode(), _PATH.encode(), body)
            for name, body in calls.items()
        )
        kind, form = _form(mark, lines)
        file = await self._json("POST", "/files", form, kind)
        wanted = {
            "input_file_id": file["id"],
            "endpoint": _PATH,
            "completion_window": f"{_WINDOW_HOURS}h",
            "metadata": {_MARK: mark},
        }
        return await self._json("POST", "/batches", msgspec.json.encode(wanted))

    async def _json(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> dict[str, Any]:
        reply = await self._exchange(method, path, body, kind)
        try:
            document = msgspec.json.decode(reply.body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            document = None
        if not isinstance(document, dict) or ("id" not in document and "data" not in document):
            raise AttemptFailedError(Failure("the server takes no batches", "no batches", "endpoint", mend=_MEND))
        return document

    async def _exchange(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> Reply:
        reply = await self.transport.exchange(
            method, f"{self.base_url}{path}", {**self.headers, "Content-Type": kind}, body
        )
        if reply.status >= 300:
            raise _RefusedError(reply)
        return reply


_MEND = "Ask this server live: leave delivery='batch' out."
_MISSING = Failure("the batch ended without this answer", "batch", retry=True)


class _RefusedError(Exception):
    """A request about a batch was answered by an error."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply


def _refused(batch: Mapping[str, Any], key: str) -> Failure:
    """What the server had against a batch as a whole."""
    errors = batch.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    words = [str(one.get("message", "")) for one in listed or [] if isinstance(one, dict)]
    told = excerpt("; ".join(filter(None, words)), key)
    return Failure("the server refused the batch" + (f": {told}" if told else ""), "batch", "account", mend=_MEND)


def _lines(content: bytes) -> Iterator[tuple[str, Reply | Failure]]:
    from eduverse_mesa.policies.llm.calling.transport import Reply

    for line in content.splitlines():
        try:
            told = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # missed, and asked for again
        if not isinstance(told, dict) or not isinstance(name := told.get("custom_id"), str):
            continue
        response = told.get("response")
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            yield name, Reply(response["status_code"], {}, json.dumps(response.get("body")).encode())


def _form(mark: str, lines: bytes) -> tuple[str, bytes]:
    """A file as browsers send one; the mark does not stand in it, so that it can part its pieces."""
    start = f"--{mark}\r\nContent-Disposition: form-data; "
    body = (
        f'{start}name="purpose"\r\n\r\nbatch\r\n{start}name="file"; filename="batch.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return f"multipart/form-data; boundary={mark}", body.encode() + lines + f"\r\n--{mark}--\r\n".encode()
