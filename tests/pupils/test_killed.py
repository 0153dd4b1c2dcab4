"""Twenty students talk at once, and the server is killed in the middle."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from threading import Barrier, Event, Lock

from eduverse_mesa.runs.groups import open_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store.dialogues import messages_of
from tests.pupils.mathematics import Client, School, Served

STUDENTS, SAID = 20, 4


class Killed:
    """A server that is killed as soon as enough was answered, and starts again at the same place."""

    def __init__(self, study: Path, after: int) -> None:
        self.server = Served(study)
        self._study, self._left = study, after
        self._lock = Lock()
        self.due = Event()

    def answered(self) -> None:
        """One more answer has come."""
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self.due.set()

    def kill_when_due(self) -> None:
        assert self.due.wait(120)
        self.server.kill()
        self.server = Served(self._study, port=self.server.port)


def talk(killed: Killed, school: School, name: str, ready: Barrier) -> tuple[str, list[str], set[int]]:
    """A student's whole work: what was answered is remembered, what was not is sent again, as the page does it."""
    client = Client(killed.server.port, name)
    run = client.begin(school.work.id).run
    seen = {row["step"] for row in client.events(run, 0, 1)}
    ready.wait(120)
    said = []
    for number in range(SAID):
        text = f"{name} says its sentence {number}"
        while True:
            try:
                answer = client.say(run, text, f"{name.replace(' ', '')}sentence{number}")
            except (OSError, HTTPException):  # nobody is there, or has answered
                time.sleep(0.05)
                continue
            assert answer.status == 200, answer.text
            break
        killed.answered()
        said.append(text)
    return run, said, seen


def test_killed_in_the_middle_of_twenty_dialogues_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    names = [f"student {number}" for number in range(STUDENTS)]
    school = School(tmp_path / "a.study", *names, goes_on=3)
    killed, ready = Killed(school.path, after=STUDENTS * SAID // 2), Barrier(STUDENTS)
    try:
        with ThreadPoolExecutor(STUDENTS + 1) as pool:
            killing = pool.submit(killed.kill_when_due)
            found = list(pool.map(lambda name: talk(killed, school, name, ready), names))
            killing.result()
    finally:
        killed.server.kill()
    with open_study(str(school.path)) as opened:
        for name, (run, said, seen) in zip(names, found, strict=True):
            rows = messages_of(opened.study, run)
            assert [row.step for row in rows] == list(range(1, len(rows) + 1))
            assert seen <= {row.step for row in rows}
            assert [row.text for row in rows if row.speaker == name] == said
            again = open_talk(opened, run)  # it is compared with its log, step by step
            assert again.messages == rows
            assert [message.text for message in again.model.dialogue] == [row.text for row in rows if row.speaker]
