"""Answers that were paid for once: an SQLite file, in which an answer is safe before anybody gets to see it.

An answer's address is what was asked (model, messages, sampling, schema, replicate), not of whom. The prompt itself is
not kept, only its fingerprint. Beside the answers stands which calls are out in batches: those are paid for, too.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, get_args

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Finish, Usage

_APPLICATION = 0x45564C4D
"""'EVLM' in the file's header: it is ours."""
_VERSION = 2
"""2: an answer says which model gave it."""
_WAIT_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 0.01
_TABLES = (
    "create table if not exists answers (key blob primary key, text text not null, finish text not null,"
    " tokens_in integer, tokens_out integer, tokens_cached integer, model text not null default '') without rowid",
    "create table if not exists facts (name text primary key, value text not null) without rowid",
    "create table if not exists sent (server text not null, call text not null, batch text not null, at real not null,"
    " primary key (server, call)) without rowid",
)
_BATCH_KEPT = 30 * 86_400.0
"""Seconds for which servers keep what came of a batch."""
_SELECT = "select text, finish, tokens_in, tokens_out, tokens_cached, model from answers where key=?"
_encode = msgspec.json.Encoder(order="sorted").encode


@dataclass(slots=True, eq=False)
class _Job:
    """Something to write, and who waits for it."""

    statement: str
    values: Sequence[Any]
    written: asyncio.Future[None]


def call_key(call: Call, extra: str = "") -> bytes:
    """The address of a call: the same on every machine and in every version of Python.

    `extra` is what the connection adds to every request.
    """
    if call.offers is not msgspec.UNSET:
        call = msgspec.structs.replace(call, offers=msgspec.UNSET)
    try:
        return blake2b(_encode(call) + extra.encode(), digest_size=20).digest()
    except UnicodeEncodeError:
        pass  # said outside, so that the error does not carry the prompt along
    raise CallFailedError("the prompt holds half characters, which no server takes", attempts=0)


class AnswerCache:
    """Answers by what was asked. Several threads and processes may share one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = self._connect()
        self._reading = threading.Lock()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="eduverse-answers", daemon=True)
        self._writer.start()
        self._closed = False

    def _connect(self) -> sqlite3.Connection:
        connection = None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._check(connection)
            _insist(connection, "pragma journal_mode=wal")
            # What is committed outlives the process, also a killed one; what a power cut takes is asked for again.
            connection.execute("pragma synchronous=normal")
            for statement in _TABLES:
                _insist(connection, statement)
            self._upgrade(connection)
        except (sqlite3.Error, OSError) as error:
            if connection is not None:
                connection.close()
            raise self._trouble(error) from None
        except PolicyError:
            if connection is not None:
                connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("pragma application_id").fetchone()
        (version,) = connection.execute("pragma user_version").fetchone()
        (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
        if application == 0 and tables == 0:
            _insist(connection, f"pragma application_id={_APPLICATION}")
            _insist(connection, f"pragma user_version={_VERSION}")
        elif application not in (0, _APPLICATION) or (application == 0 and tables):
            raise PolicyError("this file is no cache of answers.", where=str(self._path), mend="Name another file.")
        elif version > _VERSION:
            raise PolicyError(
                "a newer version of EduVerse made this cache.", where=str(self._path), mend="Name another file."
            )

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        """Bring an older cache up to date; of several programs that open it, one does."""
        if connection.execute("pragma user_version").fetchone() == (_VERSION,):
            return
        _insist(connection, "begin immediate")
        columns = {row[1] for row in connection.execute("pragma table_info(answers)")}
        if "model" not in columns:
            connection.execute("alter table answers add column model text not null default ''")
        connection.execute(f"pragma user_version={_VERSION}")
        connection.execute("commit")

    def _trouble(self, error: Exception) -> PolicyError:
        code = getattr(error, "sqlite_errorname", "")
        if code in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
            what, mend = "the cache of answers is damaged.", "Delete it, or name another file; its answers are lost."
        elif code == "SQLITE_FULL":
            what, mend = "the disk is full; an answer could not be kept.", "Make room, then resume."
        else:
            what, mend = "the cache of answers cannot be written.", "Name a file that you may write, or none."
        return PolicyError(what, where=str(self._path), mend=mend)

    def get(self, key: bytes) -> Completion | None:
        """The answer, where it was given before."""
        row = self._read(_SELECT, key)
        if row is None:
            return None
        numbers = (int, type(None))
        if (
            not isinstance(row[0], str)
            or row[1] not in get_args(Finish)
            or not all(isinstance(n, numbers) for n in row[2:5])
            or not isinstance(row[5], str)
        ):
            return None  # damaged; the call is made again, and its answer takes this one's place
        finish: Finish = row[1]
        return Completion(row[0], finish, Usage(row[2], row[3], row[4], model=row[5]), remembered=True)

    async def put(self, key: bytes, completion: Completion) -> None:
        """Keep an answer; it is safe when this returns. Answers that come together are written together."""
        usage = completion.usage
        took = usage.tokens_in, usage.tokens_out, usage.tokens_cached
        values = (key, completion.text, completion.finish, *took, usage.model)
        await self._put("insert or replace into answers values (?, ?, ?, ?, ?, ?, ?)", values)

    def fact(self, name: str) -> str | None:
        """Something learnt about a server."""
        row = self._read("select value from facts where name=?", name)
        return None if row is None else str(row[0])

    async def learn(self, name: str, value: str) -> None:
        """Keep something learnt about a server."""
        await self._put("insert or replace into facts values (?, ?)", (name, value))

    def batch_of(self, server: str, call: str) -> str | None:
        """The batch in which a call, by its fingerprint, was last sent to a server."""
        row = self._read("select batch from sent where server=? and call=?", server, call)
        return None if row is None else str(row[0])

    async def sent(self, server: str, batch: str, calls: Iterable[str]) -> None:
        """Note in which batch calls went out: whoever asks the same after a kill waits for that one. What is so old
        that servers have it no more is let go."""
        now = time.time()
        jobs = [
            self._put("insert or replace into sent values (?, ?, ?, ?)", (server, call, batch, now)) for call in calls
        ]
        jobs.append(self._put("delete from sent where at < ?", (now - _BATCH_KEPT,)))
        await asyncio.gather(*jobs)

    def clear(self) -> int:
        """Forget all answers, what was learnt about servers and what is out; gives how many answers there were."""
        self._insist_open()
        try:
            with self._reading:
                self._reader.execute("delete from facts")
                self._reader.execute("delete from sent")
                return self._reader.execute("delete from answers").rowcount
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def count(self) -> int:
        """Return the number of answers kept."""
        row = self._read("select count(*) from answers")
        return int(row[0])

    def close(self) -> None:
        """Finish writing and close the file."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        self._writer.join()
        with self._reading:
            self._reader.close()

    def _read(self, statement: str, *values: Any) -> Any:
        self._insist_open()
        try:
            with self._reading:
                return self._reader.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _put(self, statement: str, values: Sequence[Any]) -> asyncio.Future[None]:
        self._insist_open()
        job = _Job(statement, values, asyncio.get_running_loop().create_future())
        self._jobs.put(job)
        return job.written

    def _insist_open(self) -> None:
        if self._closed:
            raise PolicyError("the cache of answers is closed.", where=str(self._path))

    def _write(self) -> None:
        """The writer's thread: takes all that waits, commits it, and says so."""
        try:
            connection = self._connect()
        except PolicyError as error:
            while (job := self._jobs.get()) is not None:
                _tell([job], error)
            return
        last = False
        while not last:
            job = self._jobs.get()
            batch: list[_Job] = []
            while job is not None:
                batch.append(job)
                if self._jobs.empty():
                    break
                job = self._jobs.get()
            last = job is None
            if batch:
                _tell(batch, self._commit(connection, batch))
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[_Job]) -> PolicyError | None:
        try:
            connection.execute("begin immediate")
            for job in batch:
                connection.execute(job.statement, job.values)
            connection.execute("commit")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("rollback")
            return self._trouble(error)
        return None


def _tell(batch: list[_Job], trouble: PolicyError | None) -> None:
    """Wake those who wait, once for each loop: a wake-up costs more than the writing of an answer."""
    for loop in {job.written.get_loop() for job in batch}:
        futures = [job.written for job in batch if job.written.get_loop() is loop]
        with suppress(RuntimeError):  # a loop that is closed has nobody waiting
            loop.call_soon_threadsafe(_resolve, futures, trouble)


def _resolve(futures: list[asyncio.Future[None]], trouble: PolicyError | None) -> None:
    for future in futures:
        if future.done():
            continue
        if trouble is None:
            future.set_result(None)
        else:
            future.set_exception(trouble)


def _insist(connection: sqlite3.Connection, statement: str) -> None:
    """Processes that open a new file together are turned away by SQLite without waiting while one sets it up."""
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() > until:
                raise
        time.sleep(_LOOK_AGAIN_SECONDS)


HOUR, DAY = 3600.0, 86400.0


class _Kept(msgspec.Struct, frozen=True):
    """A fact as it stands in the file."""

    value: str
    until: float
    """Seconds since 1970."""


class Facts:
    """Facts by name. Without a cache they live as long as this object."""

    def __init__(self, cache: AnswerCache | None = None, clock: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._clock = clock
        self._known: dict[str, _Kept] = {}

    def get(self, name: str) -> str | None:
        """The fact, where it is known and not too old."""
        kept = self._known.get(name)
        if kept is None and self._cache is not None:
            kept = _read(self._cache.fact(name))
            if kept is not None:
                self._known[name] = kept
        return kept.value if kept is not None and kept.until > self._clock() else None

    async def learn(self, name: str, value: str, lasts: float) -> None:
        """Keep a fact for so many seconds."""
        kept = _Kept(value, self._clock() + lasts)
        self._known[name] = kept
        if self._cache is not None:
            await self._cache.learn(name, msgspec.json.encode(kept).decode())


def _read(text: str | None) -> _Kept | None:
    try:
        return None if text is None else msgspec.json.decode(text, type=_Kept)
    except (msgspec.DecodeError, ValueError):
        return None  # an earlier version's, without a date


def forget_answers(path: Path, holds: Callable[[str], bool]) -> int:
    """Forget the answers whose text is like that; gives how many. The file must be a cache of answers."""
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)) as connection:
            connection.execute("pragma secure_delete=on")
            rows = connection.execute("select key, text from answers").fetchall()
            found = [(key,) for key, text in rows if isinstance(text, str) and _any(text, holds)]
            connection.executemany("delete from answers where key = ?", found)
            if found:
                connection.execute("vacuum")
            (busy, _, _) = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    except sqlite3.Error as error:
        raise PolicyError(
            f"the cache of answers cannot be searched: {error}.",
            where=str(path),
            mend="Close what uses it and try again, or delete it: its answers are asked for again.",
        ) from None
    if busy:
        raise PolicyError(
            "another program reads the cache of answers.", where=str(path), mend="Close it, and try again."
        )
    return len(found)


def _any(text: str, holds: Callable[[str], bool]) -> bool:
    """The text as it is, or any text within it where it is JSON: there, letters may be written as escapes."""
    if holds(text):
        return True
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str) and holds(part):
            return True
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
    return False
