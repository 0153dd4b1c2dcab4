"""All live lessons of a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import LessonError
from eduverse_mesa.runs.live_lessons import LiveLesson, LiveLessons
from tests.runs.courses import SEED
from tests.runs.test_live import COURSE


def test_lessons_are_found_by_id_token_and_browser(tmp_path: Path) -> None:
    lessons = LiveLessons()
    one = lessons.add(LiveLesson(str(tmp_path / "one.study"), COURSE, SEED))
    other = lessons.add(LiveLesson(str(tmp_path / "other.study"), COURSE, SEED))
    assert lessons.all() == (one, other)
    assert lessons.get(other.id) is other
    assert lessons.get("x") is None
    assert lessons.place_of("a") is None
    first, second = one.invite(), other.invite()
    place = lessons.join(second.token, "a")
    assert place.lesson is other
    assert lessons.place_of("a") is place
    with pytest.raises(LessonError, match="sits in another lesson"):
        lessons.join(first.token, "a")
    other.leave(place)
    assert lessons.join(first.token, "a").lesson is one
    with pytest.raises(LessonError, match="no lesson"):
        lessons.join("x", "b")
    one.close()
    assert lessons.all() == (other,)
    lessons.close()
    assert lessons.all() == ()
