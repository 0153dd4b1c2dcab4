"""Batches: calls that can wait go to a server together, as one file, for half the price, and come back within a day.

An endpoint of this kind takes calls as any other does, so that cache, budget, retries and reading are the caller's.
What comes until nobody has anything more to ask goes out as one file. Which call is in which batch is noted beside the
cache of answers, and the batch carries the fingerprint of its calls: whoever asks the same again, after a kill or on
another machine, waits for that batch instead of paying for another.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlencode

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.background_loop import count_busy
from eduverse_mesa.policies.llm.calling.cache import AnswerCache
from eduverse_mesa.policies.llm.calling.dialect import USUAL, Ability, request_body
from eduverse_mesa.policies.llm.calling.endpoint import Deadlines, Endpoint, Extras, lacking_package
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Complaint, Failure, excerpt
from eduverse_mesa.policies.llm.calling.limiter import Backoff, retry_after
from eduverse_mesa.policies.llm.calls import Call, Completion

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling.transport import Client, Reply, Transport

ABILITY: Ability = "strict"
"""A question of what a server can do would wait for a day."""
MOST = 50_000
"""Calls of one batch."""
_LARGEST_FILE = 190 * 10**6
"""Bytes of one batch's file; OpenAI takes 200 MB."""
BACKOFF = Backoff(base=0.0)
"""A call that failed waits for the next batch anyway."""
_WINDOW_HOURS = 24
_ATTEMPT = (_WINDOW_HOURS + 1) * 3600.0
_WHOLE = BACKOFF.attempts * _ATTEMPT
_MARK = "eduverse"
_LARGEST = 2**30
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_IN_VAIN = frozenset({"failed", "cancelling", "cancelled"})
_PATIENT = 40
"""Times in a row that looking after a batch may fail."""
_LOOKS = 4
"""Times in a row that nobody must have come, within the seconds of `gather`, for a batch to be closed."""
_PATH = "/v1/chat/completions"
_RARER, _RAREST = 1.5, 15.0
"""Growth of the wait between two looks after a batch, and how many times the first one it becomes."""
_REMIND = 900.0
"""Seconds after which a batch that has not changed is told of again."""
Result = TypeVar("Result")


class BatchEndpoint(Endpoint):
    """A base URL whose calls go out together; `gather` and `poll` are seconds."""

    one_by_one = False
    takes_tools = False
    """Not probed, since that could take a day; every server takes a form of the answer instead."""
    gather = 1.0
    """A batch is closed when nobody has come for so long, and nobody is at work who may come."""
    poll = 20.0
    """After so long it is asked for the first time whether a batch is done, and then more and more rarely."""
    cache: AnswerCache | None = None
    """Cache that notes which call is in which batch."""

    def __init__(
        self, base_url: str, key: str = "", deadlines: Deadlines | None = None, extras: Extras | None = None
    ) -> None:
        waits = deadlines or Deadlines()
        super().__init__(base_url, key, Deadlines(waits.connect, waits.read, _ATTEMPT, _WHOLE), extras)

    async def send(self, call: Call, ability: Ability, within: float | None = None) -> Completion:
        """One call of a batch. Raises AttemptFailedError."""
        self._batches()
        failure: Failure
        try:
            return await super().send(call, ability, within)
        except AttemptFailedError as error:
            # A line of a batch that failed says nothing of the server, and the next batch needs no wait of its own.
            failure = replace(error.failure, fault=False, limited=False, wait=None)
        raise AttemptFailedError(failure)

    def is_out(self, call: Call, ability: Ability) -> bool:
        """Return True if a call is in a batch that was sent and not read."""
        body = request_body(call, ability, self.dialects.get(call.model, USUAL), self._added)
        return self._batches().batch_of(_name(body)) is not None

    def _batches(self) -> _Batches:
        if self._client is None:
            try:
                from eduverse_mesa.policies.llm.calling.transport import Transport
            except ImportError:
                raise lacking_package() from None
            headers = dict(self.extras.headers) | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
            transport = Transport(self.deadlines, _LARGEST, proxy=self.extras.proxy or None)
            made = _Batches(self.base_url, headers, transport, self._key, self.gather, self.poll, self.cache)
            self._client = cast("Client", made)  # it has what an endpoint needs of one
        return cast("_Batches", self._client)


# --- what is out ---


@dataclass(slots=True)
class _Open:
    """A batch that is waited for."""

    name: str
    calls: int
    status: str = "sent"
    done: int = 0
    failed: int = 0
    since: float = field(default_factory=time.time)
    """When it was made, by the server's clock where that is told."""
    _told: tuple[tuple[str, int, int], float] = (("", 0, 0), -math.inf)
    """What was told of it last, and when."""

    def read(self, batch: Mapping[str, Any]) -> None:
        """Take over what the server says of it."""
        self.status = excerpt(str(batch.get("status", "")), "")[:40]
        counts = batch.get("request_counts")
        told = counts if isinstance(counts, dict) else {}
        self.done, self.failed = (n if isinstance(n := told.get(name), int) else 0 for name in ("completed", "failed"))
        if isinstance(made := batch.get("created_at"), int):
            self.since = min(made, time.time())
        now, state = time.monotonic(), (self.status, self.done, self.failed)
        if state != self._told[0] or now - self._told[1] >= _REMIND:
            self._told = state, now
            for listener in tuple(_LISTENERS):
                listener.hear(self.words)

    @property
    def words(self) -> str:
        """The state of the batch in a line."""
        failed = f", {self.failed:,} failed" if self.failed else ""
        lasting = _lasting(time.time() - self.since)
        return f"batch {self.name}: {self.status}, {self.done:,} of {self.calls:,} answered{failed}, {lasting} so far"


def _lasting(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


_OPEN: dict[str, _Open] = {}
_READ: list[int] = []
"""Number of calls of each batch that was read in this process."""


@dataclass
class _Listener:
    """Somebody who is told of batches. An error of theirs must not end the waiting for a batch that is paid for."""

    tell: Callable[[str], object]
    error: Exception | None = None

    def hear(self, words: str) -> None:
        """Tell them, as long as they listen."""
        if self.error is None:
            try:
                self.tell(words)
            except Exception as error:  # anything
                self.error = error


_LISTENERS: list[_Listener] = []


@contextmanager
def telling(tell: Callable[[str], object]) -> Iterator[None]:
    """Tell a line of each batch that is waited for inside, whenever its state changes, and now and then without."""
    listener = _Listener(tell)
    _LISTENERS.append(listener)
    try:
        yield
    finally:
        _LISTENERS.remove(listener)
    if listener.error is not None:
        raise PolicyError(
            f"what is told of batches has failed: {type(listener.error).__name__}: {listener.error}",
            where="tell",
            mend="Mend that function. The answers came, and are not paid for twice.",
        ) from listener.error


def open_batches() -> tuple[str, ...]:
    """The ids of the batches that this process waits for."""
    return tuple(_OPEN)


def batch_words() -> str:
    """Return the state of the open batches, as the server tells it; empty if there are none."""
    if not _OPEN:
        return ""
    before = f" ({len(_READ):,} done before, {sum(_READ):,} calls)" if _READ else ""
    return "; ".join(one.words for one in list(_OPEN.values())) + before


# --- a server's batches ---


@dataclass
class _Asked:
    """A request, and who waits for what comes of it."""

    body: bytes
    reply: asyncio.Future[Reply]
    waiting: int = 0


def _name(body: bytes) -> str:
    """The name of a request in batches."""
    return blake2b(body, digest_size=16).hexdigest()


@dataclass
class _Batches:
    """In the place of a client: `ask` waits for the batch in which its request goes out."""

    base_url: str
    headers: Mapping[str, str]
    transport: Transport
    key: str
    gather: float
    poll: float
    cache: AnswerCache | None = None
    backoff: Backoff = field(default_factory=Backoff)
    _waiting: dict[str, _Asked] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _read: dict[str, set[str]] = field(default_factory=dict)
    """Calls whose answers were handed out to somebody, by batch."""
    _came: int = 0
    _gathering: bool = False

    async def ask(self, body: bytes) -> Reply:
        """The answer to one request, as if it had been sent alone."""
        name = _name(body)
        if name not in self._waiting:
            self._waiting[name] = _Asked(body, asyncio.get_running_loop().create_future())
        self._came += 1
        if not self._gathering:
            self._gathering = True
            self._begin(self._send_together())
        asked = self._waiting[name]
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.reply)
        finally:
            asked.waiting -= 1

    def batch_of(self, name: str) -> str | None:
        """Return the batch in which a request has gone out; None if it has not, or if its answer was handed out: what
        is asked again is meant to be answered anew."""
        batch = None if self.cache is None else self.cache.batch_of(self.base_url, name)
        return None if batch is None or name in self._read.get(batch, ()) else batch

    async def close(self) -> None:
        """Wait no longer. What is at the server stays there, and can be asked for again."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.transport.aclose()

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send_together(self) -> None:
        """Gather calls until nobody comes any more, and part them: batches that are out already, and new ones."""
        looks = 0
        while looks < _LOOKS and len(self._waiting) < MOST:
            came = self._came
            await asyncio.sleep(self.gather / _LOOKS)
            looks = looks + 1 if came == self._came and not count_busy() else 0
        calls, self._waiting, self._gathering = self._waiting, {}, False
        known: dict[str, dict[str, _Asked]] = {}
        new: dict[str, _Asked] = {}
        for name, asked in sorted(calls.items()):
            batch = self.batch_of(name)
            if batch is None:
                new[name] = asked
            else:
                known.setdefault(batch, {})[name] = asked
        for batch, those in known.items():
            self._begin(self._deliver(those, batch))
        for those in _files(new):
            self._begin(self._deliver(those))

    async def _deliver(self, calls: Mapping[str, _Asked], batch: str = "") -> None:
        """Hand out what comes of a batch: one that is known, or one of these calls."""
        try:
            found = await self._play(calls, batch)
        except AttemptFailedError as error:
            found = dict.fromkeys(calls, error.failure)
        except _RefusedError as refused:
            found = dict.fromkeys(calls, refused.reply)
        except asyncio.CancelledError:
            for asked in calls.values():
                asked.reply.cancel()
            raise
        for name, asked in calls.items():
            result = found.get(name, _MISSING)
            if asked.reply.done():
                continue
            if isinstance(result, Failure):
                asked.reply.set_exception(AttemptFailedError(result))
                asked.reply.exception()  # whoever asked may have gone; that is no mistake
            else:
                asked.reply.set_result(result)

    async def _play(self, calls: Mapping[str, _Asked], known: str) -> dict[str, Reply | Failure]:
        """Find the batch of these calls or make it, wait for its end, and read its answers."""
        batch = await self._again(known) if known else None
        if batch is None:
            mark = blake2b("".join(calls).encode(), digest_size=16).hexdigest()
            batch = await self._steadily(lambda: self._find_or_create(mark, calls))
            if self.cache is not None:
                await self.cache.sent(self.base_url, str(batch["id"]), calls)
        name = str(batch["id"])
        _OPEN[name] = _Open(name, len(calls))
        try:
            batch = await self._end_of(batch)
            found = await self._answers(batch)
        finally:
            _OPEN.pop(name, None)
        _READ.append(len(calls))
        self._read.setdefault(name, set()).update(call for call, asked in calls.items() if asked.waiting)
        if not found and batch["status"] == "failed":
            raise AttemptFailedError(_refused(batch, self.key))
        return found

    async def _end_of(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch when it has ended."""
        failures, name, wait = 0, str(batch["id"]), self.poll
        _OPEN[name].read(batch)
        while batch.get("status") not in _ENDED:
            await asyncio.sleep(wait)
            wait = min(wait * _RARER, self.poll * _RAREST)
            try:
                batch = await self._json("GET", f"/batches/{name}")
                failures = 0
            except (AttemptFailedError, _RefusedError):  # the batch goes on, whoever looks after it
                failures += 1
                if failures >= _PATIENT:
                    raise
            _OPEN[name].read(batch)
        return batch

    async def _answers(self, batch: Mapping[str, Any]) -> dict[str, Reply | Failure]:
        """Return the replies and failures that a batch has brought, by the names of its calls."""
        found: dict[str, Reply | Failure] = {}
        for file in (batch.get(name) for name in ("output_file_id", "error_file_id")):
            if file:
                content = await self._steadily(partial(self._exchange, "GET", f"/files/{file}/content"))
                found |= dict(_lines(content.body, self.key))
        return found

    async def _again(self, name: str) -> dict[str, Any] | None:
        """A batch that went out before, as far as anything can still come of it."""
        try:
            batch = await self._steadily(lambda: self._json("GET", f"/batches/{name}"))
        except _RefusedError as refused:
            if refused.reply.status == 404:  # servers let go of what is old
                return None
            raise
        return None if batch.get("status") in _IN_VAIN and not batch.get("output_file_id") else batch

    async def _steadily(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Try something about a batch again where its server has a bad moment."""
        failures = 0
        while True:
            wait: float | None = None
            try:
                return await work()
            except AttemptFailedError as error:
                failures += 1
                if not error.failure.retry or failures >= self.backoff.attempts:
                    raise
            except _RefusedError as refused:
                failures += 1
                if not refused.passing or failures >= self.backoff.attempts:
                    raise
                wait = retry_after(refused.reply.headers.get("retry-after"))
            await asyncio.sleep(self.backoff.wait(failures, wait))

    async def _find_or_create(self, mark: str, calls: Mapping[str, _Asked]) -> dict[str, Any]:
        """Looked for each time: of one whose making broke off nobody knows whether it was made."""
        return await self._find(mark) or await self._create(mark, calls)

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

    async def _create(self, mark: str, calls: Mapping[str, _Asked]) -> dict[str, Any]:
        lines = b"".join(
            b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}\n' % (name.encode(), _PATH.encode(), asked.body)
            for name, asked in calls.items()
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


_MEND = "Ask this server live (llm.delivery: live)."
_MISSING = Failure("the batch ended without this answer", "batch", retry=True)


class _RefusedError(Exception):
    """A request about a batch was answered by an error."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply

    @property
    def passing(self) -> bool:
        """It may be better in a moment."""
        return self.reply.status >= 500 or self.reply.status in (408, 409, 425, 429)


class _Named(msgspec.Struct):
    model: str = ""


def _files(calls: Mapping[str, _Asked]) -> Iterator[dict[str, _Asked]]:
    """The calls as the files that a server takes: of one model each, not too many and not too large."""
    by_model: dict[str, dict[str, _Asked]] = {}
    for name, asked in calls.items():
        by_model.setdefault(msgspec.json.decode(asked.body, type=_Named).model, {})[name] = asked
    for those in by_model.values():
        part: dict[str, _Asked] = {}
        size = 0
        for name, asked in those.items():
            if part and (len(part) >= MOST or size + len(asked.body) > _LARGEST_FILE):
                yield part
                part, size = {}, 0
            part[name] = asked
            size += len(asked.body) + _AROUND
        yield part


_AROUND = 200
"""Bytes of a line around its request, at most."""


def _refused(batch: Mapping[str, Any], key: str) -> Failure:
    """Return the failure of a batch that the server refused as a whole."""
    errors = batch.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    words = [str(one.get("message", "")) for one in listed or [] if isinstance(one, dict)]
    told = excerpt("; ".join(filter(None, words)), key)
    return Failure("the server refused the batch" + (f": {told}" if told else ""), "batch", "account", mend=_MEND)


def _lines(content: bytes, key: str) -> Iterator[tuple[str, Reply | Failure]]:
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
        elif isinstance(told.get("error"), dict):  # it was not even tried, as in a batch that has expired
            words = excerpt(Complaint.of(told).message, key).rstrip(".")
            yield name, replace(_MISSING, reason=f"{_MISSING.reason}: {words}") if words else _MISSING


def _form(mark: str, lines: bytes) -> tuple[str, bytes]:
    """A file as browsers send one; the mark does not stand in it, so that it can part its pieces."""
    start = f"--{mark}\r\nContent-Disposition: form-data; "
    body = (
        f'{start}name="purpose"\r\n\r\nbatch\r\n{start}name="file"; filename="batch.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return f"multipart/form-data; boundary={mark}", body.encode() + lines + f"\r\n--{mark}--\r\n".encode()
