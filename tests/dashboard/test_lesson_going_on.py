"""A lesson on the classroom page that could not be written: 'Go on' is there, and goes on when it can be."""

from __future__ import annotations

from pathlib import Path

from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson
from eduverse_mesa.runs import open_study, record_course
from eduverse_mesa.store import Study
from tests.runs.courses import SEED, course
from tests.runs.test_live import until

COURSE = course(lessons=1, steps=4)


def log(path: Path, run: str) -> list[str]:
    with Study.open(str(path)) as study:
        return list(study.export_log(run))


def test_a_lesson_goes_on_in_its_study_when_that_is_back(tmp_path: Path) -> None:
    path, lesson = tmp_path / "a.study", ClassroomLesson()
    lesson.begin(COURSE, SEED)
    lesson.keep(str(path))
    run = lesson.player.run.id
    lesson.step()
    until(lambda: lesson.player.status == "paused")
    until(lambda: not lesson.broken)
    path.rename(tmp_path / "elsewhere")
    lesson.player.step()
    until(lambda: lesson.broken)
    until(lambda: lesson.error is not None)
    lesson.go_on()
    until(lambda: lesson.broken)
    assert "no such study" in str(lesson.error)
    (tmp_path / "elsewhere").rename(path)
    lesson.go_on()
    until(lambda: lesson.error is None)
    lesson.player.play()
    until(lambda: lesson.player.status == "complete")
    lesson.close()
    whole = record_course(str(tmp_path / "whole.study"), COURSE, SEED).id
    assert log(path, run) == log(tmp_path / "whole.study", whole)
    with open_study(str(path)) as opened:
        assert opened.study.run(run).status == "complete"
