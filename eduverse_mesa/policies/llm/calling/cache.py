"""Answers that were paid for once: an SQLite file, in which an answer is safe before anybody gets to see it.

An answer's address is what was asked (model, messages, sampling, schema, replicate), not of whom. The prompt itself is
not kept, only its fingerprint.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calls import Call, Completion, Finish, Usage

_APPLICATION = 0x45564C4D
"""'EVLM' in the file's header: it is ours."""
_VERSION = 1
_WAIT_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 0.01
_TABLES = (
    "create table if not exists answers (key blob primary key, text text not null, finish text not null,"
    " tokens_in integer, tokens_out integer, tokens_cached integer) without rowid",
    "create table if not exists facts (name text primary key, value text not null) without rowid",
)
_encode = msgspec.json.Encoder(order="sorted").encode

Job = tuple[str, Sequence[Any], "Future[None]"]


def call_key(call: Call) -> bytes:
    """The address of a call: the same on every machine and in every version of Python."""
    return blake2b(_encode(call), digest_size=20).digest()


class AnswerCache:
    """Answers by what was asked. Several threads and processes may share one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = self._connect()
        self._reading = threading.Lock()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
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
            connection.execute("pragma synchronous=full")
            for statement in _TABLES:
                _insist(connection, statement)
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
        row = self._read("select text, finish, tokens_in, tokens_out, tokens_cached from answers where key=?", key)
        if row is None:
            return None
        finish: Finish = row[1]
        return Completion(row[0], finish, Usage(row[2], row[3], row[4]), remembered=True)

    def put(self, key: bytes, completion: Completion) -> Future[None]:
        """Keep an answer. It is safe when the future is done; answers that come together are written together."""
        usage = completion.usage
        values = (key, completion.text, completion.finish, usage.tokens_in, usage.tokens_out, usage.tokens_cached)
        return self._put("insert or ignore into answers values (?, ?, ?, ?, ?, ?)", values)

    def fact(self, name: str) -> str | None:
        """Something learnt about a server."""
        row = self._read("select value from facts where name=?", name)
        return None if row is None else str(row[0])

    def learn(self, name: str, value: str) -> Future[None]:
        """Keep something learnt about a server."""
        return self._put("insert or replace into facts values (?, ?)", (name, value))

    def clear(self) -> int:
        """Forget all answers; gives how many there were."""
        count = self.count()
        self._put("delete from answers", ()).result()
        return count

    def count(self) -> int:
        """How many answers there are."""
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
        try:
            with self._reading:
                return self._reader.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _put(self, statement: str, values: Sequence[Any]) -> Future[None]:
        if self._closed:
            raise PolicyError("the cache of answers is closed.", where=str(self._path))
        done: Future[None] = Future()
        self._jobs.put((statement, values, done))
        return done

    def _write(self) -> None:
        try:
            connection = self._connect()
        except PolicyError as error:
            self._refuse(error)
            return
        while (job := self._jobs.get()) is not None:
            batch, last = [job], False
            while not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    last = True
                    break
                batch.append(following)
            self._commit(connection, batch)
            if last:
                break
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[Job]) -> None:
        trouble: PolicyError | None = None
        try:
            connection.execute("begin immediate")
            for statement, values, _ in batch:
                connection.execute(statement, values)
            connection.execute("commit")
        except sqlite3.Error as error:
            trouble = self._trouble(error)
            if connection.in_transaction:
                connection.execute("rollback")
        for _, _, done in batch:
            if trouble is None:
                done.set_result(None)
            else:
                done.set_exception(trouble)

    def _refuse(self, error: PolicyError) -> None:
        while (job := self._jobs.get()) is not None:
            job[2].set_exception(error)


def _insist(connection: sqlite3.Connection, statement: str) -> None:
    """Processes that open a new file together are turned away by SQLite without waiting while one sets it up."""
    _until_free(lambda: connection.execute(statement))


def _until_free(action: Callable[[], object]) -> None:
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() > until:
                raise
        time.sleep(_LOOK_AGAIN_SECONDS)
