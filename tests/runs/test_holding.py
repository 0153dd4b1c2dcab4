"""A run that another living program plays is not taken from it, and one whose program was killed is free at once."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.runs import open_study, record_course, resume_run
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.open_runs import LEFT_OPEN, note_open
from eduverse_mesa.store import Study
from tests.runs.courses import SEED, child, course, ended
from tests.runs.test_live import until
from tests.runs.test_rivals import _context

COURSE = course(lessons=1, steps=4, **{"people.wait": 0.05})


class Waiting:
    """Answers until the third step, and then not before it is let."""

    name = "embedded"

    def __init__(self, there: Any, go: Any) -> None:
        self._there, self._go = there, go
        self._rest: AnyPolicy = make_policy("embedded")

    def answer(self, decisions: Any) -> Any:
        if decisions[0].at.step == 3:
            self._there.set()
            self._go.wait(60)
        return self._rest.answer(decisions)  # type: ignore[union-attr]


def play_and_wait(path: str, there: Any, go: Any) -> None:
    record_course(path, COURSE, SEED, Waiting(there, go))


def sit_and_wait(path: str, there: Any, go: Any) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    lesson.join(lesson.invite("Wang Fang").token, "a", "Blue Heron")
    for _ in range(2):
        lesson.player.step()
    until(lambda: lesson.player.status == "paused")
    there.set()
    go.wait(60)


def signs(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.name.endswith(".open"))


def test_a_run_that_another_program_plays_is_refused_and_goes_on_there(tmp_path: Path) -> None:
    path = str(tmp_path / "one.study")
    there, go = _context().Event(), _context().Event()
    other = child(play_and_wait, path, there, go)
    assert there.wait(60)
    with open_study(path) as opened:
        run = opened.choose(None).id
        with pytest.raises(StudyError, match=rf"played by another program \(process {other.pid}\)"):
            resume_run(opened, run)
        assert opened.study.run(run).status == "running"
        go.set()
        assert ended(other) == 0
        assert opened.study.run(run).status == "complete"
        assert resume_run(opened, run).complete, "what is complete can be played again"
    assert signs(tmp_path) == []


def test_after_a_kill_the_run_is_free_and_nobody_sits_in_it(tmp_path: Path) -> None:
    path = str(tmp_path / "live.study")
    there, go = _context().Event(), _context().Event()
    other = child(sit_and_wait, path, there, go)
    assert there.wait(60)
    other.kill()
    assert ended(other) == -signal.SIGKILL
    with open_study(path) as opened:
        run = opened.choose(None).id
        assert [row.until for row in opened.study.sittings(run)] == [None]
        assert resume_run(opened, run).complete
        (row,) = opened.study.sittings(run)
    assert (row.agent, row.since, row.until, row.reason) == ("Wang Fang", (1, 1), (1, 2), LEFT_OPEN)
    assert signs(tmp_path) == []


def test_a_program_may_open_its_own_run_twice(tmp_path: Path) -> None:
    path = str(tmp_path / "one.study")
    with Study.open(path, create=True):
        pass
    leave, leave_again = note_open(path, "a"), note_open(path, "a")
    assert len(signs(tmp_path)) == 1
    leave()
    leave()
    assert len(signs(tmp_path)) == 1, "it is open once more"
    leave_again()
    assert signs(tmp_path) == []


def test_where_no_sign_can_be_made_a_run_is_played_without(tmp_path: Path) -> None:
    leave = note_open(str(tmp_path / "nowhere" / "one.study"), "a")
    leave()
