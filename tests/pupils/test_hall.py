"""The hall in which dialogues go on: many threads come to one of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from anyio.to_thread import current_default_thread_limiter, run_sync
from starlette.applications import Starlette

from eduverse_mesa.decisions.groups import Utter, Uttered
from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies.embedded.groups.wording import utter
from eduverse_mesa.pupils.dialogues import Dialogues, Live, Minds, OverError, Watcher
from eduverse_mesa.pupils.request import Site
from eduverse_mesa.pupils.server import make_app
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import OpenStudy, open_study
from tests.models.groups import Instead, setup
from tests.pupils.mathematics import apart


class Slow(Minds):
    """Peers take their time over every word: until they are told."""

    def __init__(self) -> None:
        super().__init__()
        self.at_it, self.go_on = Event(), Event()
        self.at_it_now = 0

    def of(self, setup: Any) -> Instead:
        return Instead(utter=self._utter)

    def _utter(self, decision: Utter) -> Uttered:
        self.at_it.set()
        self.at_it_now += 1
        assert self.go_on.wait(120)
        return utter(decision)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStudy]:
    with open_study(str(tmp_path / "s.study"), create=True) as opened:
        begin_talk(opened, GroupSpec(setup(people=["Mia"], wait_alone=0, wait_shared=0), 1), "r")
        yield opened


def test_a_dialogue_is_not_opened_anew_while_a_peer_thinks(opened: OpenStudy) -> None:
    """Whoever watches would be left with the old one, and hear nothing more."""
    minds = Slow()
    hall = Dialogues(opened, typing=0, minds=minds)
    live = hall.live("r")
    with ThreadPoolExecutor() as pool:
        advancing = pool.submit(hall._one, live)
        assert minds.at_it.wait(120)
        assert hall.live("r") is live
        minds.go_on.set()
        advancing.result()
    row = hall.say("r", "Mia", "I think it is 3 feet", "first")
    assert hall.live("r") is live
    assert [one.step for one in live.standing(0).messages] == [1, row.step]


def test_a_dialogue_that_is_erased_while_a_peer_thinks_stays_gone(opened: OpenStudy) -> None:
    minds = Slow()
    hall = Dialogues(opened, typing=0, minds=minds)
    live = hall.live("r")
    with ThreadPoolExecutor() as pool:
        advancing = pool.submit(hall._one, live)
        assert minds.at_it.wait(120)
        hall.forget(["r"])
        minds.go_on.set()
        advancing.exception()
    assert live.talk.broken


def test_who_is_asked_by_a_peer_is_told_that_it_waits(opened: OpenStudy) -> None:
    hall = Dialogues(opened, typing=0)
    live = hall.live("r")
    assert live.standing(0).waits == "", "anybody may begin"
    while live.talk.due is not None:
        hall._one(live)
    waits = live.standing(0).waits
    assert waits == live.talk.messages[-1].speaker, "peers have said enough without an answer"
    assert waits in live.talk.model.names_of_peers
    hall.say("r", "Mia", "I think it is 3 feet", "first")
    assert live.standing(0).waits == "", "now it is the peers' turn"
    hall._one(live)
    live.talk.model.floor = replace(live.talk.model.floor, holders=("Mia",))
    assert live.standing(0).waits == live.talk.messages[-1].speaker, "Mia alone is spoken to"
    hall.close(["r"], True)
    assert live.standing(0).waits == ""


def test_what_comes_after_a_set_was_ended_is_not_said_and_what_came_before_is_told_again(opened: OpenStudy) -> None:
    hall = Dialogues(opened, typing=0)
    row = hall.say("r", "Mia", "I think it is 3 feet", "first")
    hall.close(["r"], True)
    with pytest.raises(OverError):
        hall.say("r", "Mia", "and more", "second")
    assert hall.say("r", "Mia", "I think it is 3 feet", "first") == row
    hall.close(["r"], False)
    assert hall.say("r", "Mia", "and more", "second").step > row.step


def test_nothing_of_who_was_erased_while_a_peer_thought_comes_into_the_log(
    opened: OpenStudy, caplog: pytest.LogCaptureFixture
) -> None:
    hall = Dialogues(opened, typing=0)
    live = hall.live("r")

    def erased(live: Live) -> None:
        hall.forget(["r"])
        raise StudyError("there is no run 'r'.")

    hall._one = erased  # type: ignore[method-assign]
    apart(lambda: asyncio.run(hall._advance(live)))
    assert live.failed is not None
    assert not caplog.messages


def test_one_dialogue_that_cannot_be_looked_at_silences_no_other(
    opened: OpenStudy, caplog: pytest.LogCaptureFixture
) -> None:
    begin_talk(opened, GroupSpec(setup(people=["Mia"], wait_alone=0, wait_shared=0), 1), "other")
    hall = Dialogues(opened, typing=0)

    async def until_the_other_speaks() -> None:
        broken = hall.live("r")
        broken.watchers.add(Watcher())
        broken.talk.model.floor = None  # type: ignore[assignment]
        driving = asyncio.create_task(hall.drive())
        async for standing in hall.watch("other", 0, lambda: True):
            if standing is not None and standing.messages:
                break
        driving.cancel()

    apart(lambda: asyncio.run(asyncio.wait_for(until_the_other_speaks(), 120)))
    (line,) = caplog.messages
    assert "AttributeError" in line


def test_peers_that_think_long_keep_no_page_and_no_message_waiting(opened: OpenStudy) -> None:
    """More of them than there are threads for pages; and as many who want to say something meanwhile."""
    slow = ["slow 1", "slow 2", "slow 3"]
    for run in slow:
        begin_talk(opened, GroupSpec(setup(people=["Mia"], wait_alone=0, wait_shared=0), 1), run)
    minds = Slow()
    hall = Dialogues(opened, typing=0, minds=minds)
    app = make_app(Site(opened, hall))
    kept: list[int] = []

    async def speak(run: str) -> None:
        async with hall.turn(run):
            kept.append((await run_sync(hall.say, run, "Mia", "I think it is 3 feet", f"key of {run}")).step)

    async def look(run: str) -> None:
        async for _ in hall.watch(run, 0, lambda: True):
            pass

    async def all_at_once() -> None:
        current_default_thread_limiter().total_tokens = 2
        tasks = [asyncio.create_task(hall.drive()), *(asyncio.create_task(look(run)) for run in slow)]
        while minds.at_it_now < len(slow):
            await asyncio.sleep(0.01)
        speaking = [asyncio.create_task(speak(run)) for run in slow]
        await run_sync(hall.touch, slow[0], "Mia")
        assert await status_of(app, "/login") == 200
        await speak("r")
        assert kept == [1], "at once, while those whose peers think wait"
        minds.go_on.set()
        await asyncio.gather(*speaking)
        for task in tasks:
            task.cancel()

    apart(lambda: asyncio.run(asyncio.wait_for(all_at_once(), 120)))
    assert kept == [1, *[2] * len(slow)], "each after what the peer said, and before anything else"


async def status_of(app: Starlette, path: str) -> int:
    """What a page is answered with."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [],
        "client": None,
    }
    await app(scope, receive, send)
    return int(sent[0]["status"])
