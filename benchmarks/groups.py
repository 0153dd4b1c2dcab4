"""Groups: one dialogue among virtual peers, and how long pupils wait for a peer when many talk with theirs at once."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from os import getloadavg
from pathlib import Path
from statistics import median, quantiles

import msgspec

from eduverse_mesa.models.groups import GroupModel
from eduverse_mesa.policies.llm.rehearsal import rehearsal_server
from eduverse_mesa.scenarios.loader import load_collaboration
from tests.pupils.mathematics import Client, School, served

_STUDENTS = 200
_SAYS = ("I think we need one step", "60 / 20 = 3", "ok", "I agree")
_EVERY = 5.0
"""Seconds from a peer's answer to the pupil's next message; quicker than anybody types."""
_HANDS = 16
"""Number of pupils who log in at once."""
_WAIT = 120.0
_SEEDS = range(1, 6)
_THINKERS, _THINKS, _LOOKS = 60, 4.0, 40
"""Pupils whose peers think with a language model; its seconds for a call; how often a page is asked for meanwhile."""
_POLICY = "peers=llm,rest=embedded"


def bench_groups() -> Iterator[str]:
    """A dialogue without a server, then a class of two hundred at one, then one whose peers think long."""
    yield from _dialogues()
    folder = Path(tempfile.mkdtemp())
    try:
        yield from _served(folder)
        yield from _thinking(folder)
    finally:
        shutil.rmtree(folder)


def _dialogues() -> Iterator[str]:
    group = load_collaboration()
    GroupModel(group, seed=0).run()  # phrases are read, patterns are made
    times, turns = [], []
    for problem in group.problems:
        for seed in _SEEDS:
            start = time.process_time()
            turns.append(GroupModel(group, problem=problem, seed=seed).run().turn)
            times.append(time.process_time() - start)
    each = sum(times) / sum(turns) * 1e3
    yield (
        f"Groups: a dialogue of {sum(turns) / len(turns):.1f} messages among virtual peers takes "
        f"{median(times) * 1e3:.0f} ms of processor time, {each:.1f} ms a message"
    )


@dataclass
class _Class:
    """Times that the pupils have measured, and failures that they have met."""

    acknowledged: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    """From a message that is sent to the peer's answer that is seen."""
    over: int = 0
    failed: list[str] = field(default_factory=list)


def _served(folder: Path) -> Iterator[str]:
    names = [f"pupil {number}" for number in range(_STUDENTS)]
    school = School(folder / "class.study", *names, wait_alone=600, wait_shared=0, goes_on=1)
    with served(school.path) as server, ThreadPoolExecutor(_HANDS) as pool:
        start = time.perf_counter()
        clients = list(pool.map(lambda name: Client(server.port, name), names))
        logged_in = time.perf_counter() - start
        runs = list(pool.map(lambda client: client.begin(school.work.id).run, clients))
        seen = _Class()
        threads = [
            threading.Thread(target=_talk, args=(server.port, client, run, place, seen))
            for place, (client, run) in enumerate(zip(clients, runs, strict=True))
        ]
        load, start = getloadavg()[0], time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - start
    yield (
        f"  {_STUDENTS} pupils with their peers on one server, a message every {_EVERY:.0f} s each; "
        f"all are logged in after {logged_in:.0f} s"
    )
    yield f"  a pupil's message is kept after {_spread(seen.acknowledged)}"
    yield f"  a peer's answer is seen after   {_spread(seen.answered)}"
    yield (
        f"  {len(seen.answered)} answers in {took:.0f} s, {seen.over} dialogues were over before; {len(seen.failed)} "
        f"failed; the machine's load was {load:.1f} before and {getloadavg()[0]:.1f} after, pupils included"
    )
    for reason in sorted(set(seen.failed)):
        yield f"    {reason}"


def _thinking(folder: Path) -> Iterator[str]:
    """Others' pages, while a peer of everybody thinks.

    Peers begin before pupils do, so that each message comes while one thinks, and waits for the end of that; the model
    is asked for the first time, and tried before, which takes it longer.
    """
    names = [f"pupil {number}" for number in range(_THINKERS)]
    school = School(folder / "thinking.study", *names, wait_alone=600, wait_shared=0, policy=_POLICY)
    seen, pages = _Class(), []
    with rehearsal_server(_THINKS) as url, ExitStack() as open_, ThreadPoolExecutor(_THINKERS) as pool:
        server = open_.enter_context(
            served(school.path, "--policy", _POLICY, "--base-url", url, "--model", "rehearsed")
        )
        with ThreadPoolExecutor(_HANDS) as hands:
            clients = list(hands.map(lambda name: Client(server.port, name), names))
            runs = list(hands.map(lambda client: client.begin(school.work.id).run, clients))
        streams = [
            open_.enter_context(closing(_Stream(server.port, client, run)))
            for client, run in zip(clients, runs, strict=True)
        ]

        def ask(client: Client, run: str, stream: _Stream) -> None:
            start = time.perf_counter()
            reply = client.say(run, "what do we have to do, Alice?", "message0000")
            seen.acknowledged.append(time.perf_counter() - start)
            if reply.status == 200 and stream.answered(msgspec.json.decode(reply.text)["step"]):
                seen.answered.append(time.perf_counter() - start)

        asking = [pool.submit(ask, *one) for one in zip(clients, runs, streams, strict=True)]
        other = Client(server.port)
        for _ in range(_LOOKS):
            start = time.perf_counter()
            other.get("/login")
            pages.append(time.perf_counter() - start)
            time.sleep(_THINKS / _LOOKS)
        for one in asking:
            one.result()
    yield f"  {_THINKERS} pupils whose peers think with a language model that takes {_THINKS:.0f} s for each call:"
    yield f"  another's page is there after   {_spread(pages)}"
    yield f"  a pupil's message is kept after {_spread(seen.acknowledged)}"
    yield f"  {len(seen.answered)} of them were answered, after   {_spread(seen.answered)}"


def _talk(port: int, client: Client, run: str, place: int, seen: _Class) -> None:
    """A pupil: says his or her four things, each after a peer has answered the one before."""
    try:
        with closing(_Stream(port, client, run)) as stream:
            for number, text in enumerate(_SAYS):
                # They do not all begin at once, and go on in the order in which they did.
                time.sleep(place * _EVERY / _STUDENTS if number == 0 else _EVERY)
                start = time.perf_counter()
                reply = client.say(run, text, f"message{number:04d}")
                if reply.status != 200:
                    seen.failed.append(f"{reply.status} {reply.text[:80]}")
                    return
                seen.acknowledged.append(time.perf_counter() - start)
                if not stream.answered(msgspec.json.decode(reply.text)["step"]):
                    seen.over += 1
                    return
                seen.answered.append(time.perf_counter() - start)
    except OSError as error:
        seen.failed.append(f"{type(error).__name__}: {error}")


class _Stream:
    """The stream of events to a page. Like a browser, it connects again when the stream ends."""

    def __init__(self, port: int, client: Client, run: str) -> None:
        self._port, self._client, self._run = port, client, run
        self._last, self._over = 0, False
        self._open()

    def _open(self) -> None:
        self._connection = HTTPConnection("127.0.0.1", self._port, timeout=_WAIT)
        where = f"/talk/{self._run}/events?after={self._last}"
        self._connection.request("GET", where, headers={"Cookie": self._client.cookie})
        self._lines = self._connection.getresponse()

    def answered(self, step: int) -> bool:
        """Wait for a peer's message after this step; False where the dialogue is over before."""
        while not self._over:
            line = self._lines.readline()
            if not line:
                self.close()
                self._open()
            elif line.startswith(b"data: "):
                event = msgspec.json.decode(line[6:])
                self._over = event["over"]
                self._last = max([self._last, *(one["step"] for one in event["messages"])])
                if any(one["step"] > step and one["speaker"] in ("Alice", "Bob") for one in event["messages"]):
                    return True
        return False

    def close(self) -> None:
        """Leave."""
        self._connection.close()


def _spread(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return "unknown"
    late = quantiles(seconds, n=20)[-1]
    return f"{median(seconds):5.2f} s (median), {late:5.2f} s (95th percentile), {max(seconds):5.2f} s (longest)"


if __name__ == "__main__":
    for line in bench_groups():
        print(line)
