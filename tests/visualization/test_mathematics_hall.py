"""The hall in which dialogues go on: many threads come to one of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from eduverse_mesa.decisions.collaboration import Utter, Uttered
from eduverse_mesa.policies.embedded.collaboration.wording import utter
from eduverse_mesa.runs.collaboration import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.visualization.mathematics.hall import Hall
from eduverse_mesa.visualization.mathematics.minds import Minds
from tests.models.groups import Instead, setup


class Slow(Minds):
    """Peers take their time over every word: until they are told."""

    def __init__(self) -> None:
        super().__init__()
        self.at_it, self.go_on = Event(), Event()

    def of(self, setup: Any) -> Instead:
        return Instead(utter=self._utter)

    def _utter(self, decision: Utter) -> Uttered:
        self.at_it.set()
        assert self.go_on.wait(60)
        return utter(decision)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStudy]:
    with open_study(str(tmp_path / "s.study"), create=True) as opened:
        begin_talk(opened, GroupSpec(setup(people=["Mia"], wait_alone=0, wait_shared=0), 1), "r")
        yield opened


def test_a_dialogue_is_not_opened_anew_while_a_peer_thinks(opened: OpenStudy) -> None:
    """Whoever watches would be left with the old one, and hear nothing more."""
    minds = Slow()
    hall = Hall(opened, typing=0, minds=minds)
    live = hall.live("r")
    with ThreadPoolExecutor() as pool:
        advancing = pool.submit(hall._one, live)
        assert minds.at_it.wait(60)
        assert hall.live("r") is live
        minds.go_on.set()
        advancing.result()
    row = hall.say("r", "Mia", "I think it is 3 feet", "first")
    assert hall.live("r") is live
    assert [one.step for one in live.standing(0).messages] == [1, row.step]


def test_a_dialogue_that_is_erased_while_a_peer_thinks_stays_gone(opened: OpenStudy) -> None:
    minds = Slow()
    hall = Hall(opened, typing=0, minds=minds)
    live = hall.live("r")
    with ThreadPoolExecutor() as pool:
        advancing = pool.submit(hall._one, live)
        assert minds.at_it.wait(60)
        hall.forget(["r"])
        minds.go_on.set()
        advancing.exception()
    assert live.talk.broken
