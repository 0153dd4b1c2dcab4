"""After trouble with its study a live lesson goes on, with its links and with whoever sat in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import LessonError, StudyError
from eduverse_mesa.runs import open_study, replay_run
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.store import Study
from tests.runs.courses import SEED, course
from tests.runs.test_live import until

COURSE = course(lessons=2, steps=3, **{"people.wait": 0.05})


@pytest.fixture
def lesson(tmp_path: Path) -> Iterator[LiveLesson]:
    one = LiveLesson(str(tmp_path / "live.study"), COURSE, SEED)
    yield one
    one.close()


def break_off(lesson: LiveLesson, tmp_path: Path, steps: int) -> Path:
    """Let some steps be taken, take the study away, and wait until the lesson has noticed."""
    for _ in range(steps):
        lesson.player.step()
    until(lambda: lesson.player.status == "paused")
    kept = (tmp_path / "live.study").rename(tmp_path / "elsewhere")
    lesson.player.step()
    until(lambda: lesson.player.status == "failed")
    return kept


def test_a_lesson_that_could_not_be_written_goes_on_when_it_can(lesson: LiveLesson, tmp_path: Path) -> None:
    link = lesson.invite("Wang Fang")
    place, gone = lesson.join(link.token, "a"), lesson.join(lesson.invite("Liu Li").token, "b")
    lesson.leave(gone)
    kept = break_off(lesson, tmp_path, 2)
    assert isinstance(lesson.player.error, StudyError)
    assert not place.seated
    with pytest.raises(StudyError):
        lesson.go_on()
    assert lesson.player.status == "failed", "it cannot be written still"
    kept.rename(tmp_path / "live.study")
    lesson.go_on()
    assert (place.seated, gone.seated) == (True, False)
    assert lesson.join(link.token, "a") is place
    lesson.player.play()
    until(lambda: lesson.player.status == "complete")
    with open_study(str(tmp_path / "live.study")) as opened:
        assert replay_run(opened, lesson.player.run.id).complete
        sat = [(row.agent, row.since, row.until) for row in opened.study.sittings(lesson.player.run.id)]
    assert sat == [("Wang Fang", (1, 1), (1, 2)), ("Wang Fang", (1, 3), (2, 3))]


def test_who_comes_while_a_lesson_is_made_again_answers_from_where_it_goes_on(tmp_path: Path) -> None:
    path = str(tmp_path / "live.study")
    first = LiveLesson(path, COURSE, SEED)
    for _ in range(2):
        first.player.step()
    until(lambda: first.player.status == "paused")
    first.close()
    again = LiveLesson.resume(path, first.player.run.id)
    again.join(again.invite("Wang Fang").token, "a")  # at once: it may still be loading
    with Study.open(path) as study:
        assert [row.since for row in study.sittings(first.player.run.id)] == [(1, 3)]
    again.close()


def test_a_lesson_that_has_not_failed_is_not_begun_again(lesson: LiveLesson) -> None:
    with pytest.raises(LessonError, match="has not failed"):
        lesson.go_on()
    assert lesson.attempt == 1
