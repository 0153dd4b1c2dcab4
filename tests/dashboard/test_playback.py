"""What was seen already is shown again, and let go of again: without a browser."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eduverse_mesa.dashboard.lessons.host import LiveView, host
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson
from eduverse_mesa.dashboard.lessons.playback import Film, Roller
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.scenarios import load_scenario
from tests.policies.test_waiting import PATIENCE


def rollers() -> int:
    return sum(thread.name == "eduverse-film" for thread in threading.enumerate())


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def played() -> Iterator[ClassroomLesson]:
    """A lesson that was played to its end, looked at from its beginning."""
    lesson = ClassroomLesson()
    lesson.begin(load_scenario(steps=8, settings={"pacing.mode": "fixed"}), 1)
    lesson.set_pace(None)
    lesson.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    lesson.seek(0)
    yield lesson
    lesson.close()


def test_pausing_and_playing_again_is_no_faster(played: ClassroomLesson) -> None:
    played.set_pace(4.0)
    began = time.monotonic()  # also where the machine is so busy that the first step comes before the last pause
    for _ in range(3):
        played.play()
        time.sleep(0.02)
        played.pause()
    played.play()
    until(lambda: played.at >= 2)
    assert time.monotonic() - began > 0.4
    until(lambda: rollers() == 1)
    played.pause()
    at = played.at
    until(lambda: rollers() == 0)
    assert played.at == at


def test_what_was_played_back_to_its_end_rests_there(played: ClassroomLesson) -> None:
    played.set_pace(100.0)
    played.play()
    assert played.playing
    until(lambda: not played.playing)
    assert played.at == played.last
    played.seek(0)
    played.play()
    assert played.playing


def test_who_passes_a_step_by_sees_the_room_and_the_rest_when_resting(played: ClassroomLesson) -> None:
    told: list[str] = []
    played.moved.listen(lambda: told.append(f"all {played.at}"))
    played.passed.listen(lambda: told.append(f"room {played.at}"))
    for place in (3, 5, 99):
        played.glance(place)
    played.rest()
    assert told == ["room 3", "room 5", f"room {played.last}", f"all {played.last}"]


def test_a_hand_that_passes_by_stops_what_is_played_back(played: ClassroomLesson) -> None:
    played.set_pace(0.5)
    played.play()
    goes_on = [played.playing]
    played.glance(4)
    assert [*goes_on, played.playing] == [True, False]
    assert played.at == 4


def test_a_click_while_a_step_comes_onto_the_film_asks_for_one_more() -> None:
    """What was filmed and is not told yet is no step to look at: the click would be lost."""
    lesson, clicks = ClassroomLesson(), iter([lambda: lesson.step()])

    def make(film: Film) -> LessonPlayer:
        def take(model: ClassroomModel) -> None:
            film.take(model)
            for click in clicks:
                click()

        return LessonPlayer(load_scenario(steps=8), 1, progress=take)

    lesson.open(make)
    lesson.step()
    until(lambda: lesson.last >= 1 and lesson.player.status == "paused")
    assert (lesson.last, lesson.at) == (2, 2)
    lesson.close()


def test_playing_twice_is_one_roll() -> None:
    roller, steps = Roller("twice"), []
    assert roller.start(lambda: steps.append(1) or len(steps) < 3, lambda: 0.01)  # type: ignore[func-returns-value]
    assert not roller.start(lambda: True, lambda: 0.01)
    until(lambda: not roller.going)
    assert len(steps) == 3
    assert not roller.stop()


# --- who listens ---


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveLesson]:
    lesson = LiveLesson(str(tmp_path / "class.study"), load_scenario(steps=4), 1)
    yield lesson
    lesson.close()


def listeners(lesson: LiveLesson) -> int:
    return len(lesson.player._listeners._all)


def take_a_step(lesson: LiveLesson) -> None:
    head = lesson.player.head
    lesson.player.step()
    until(lambda: lesson.player.head != head)
    lesson.player.wait(PATIENCE)


def test_views_that_went_leave_no_listener_and_share_one_film(live: LiveLesson) -> None:
    before = listeners(live)
    views = [LiveView(live, drives=False) for _ in range(20)]
    assert listeners(live) == before + 20
    take_a_step(live)
    assert {id(view.film) for view in views} == {id(views[0].film)}
    assert [shot.step for shot in views[0].film.shots] == [0, 1]
    gone = [weakref.ref(view) for view in views]
    for view in views:
        view.close()
        view.close()
    assert listeners(live) == before
    views.clear()
    del view
    gc.collect()
    assert [ref() for ref in gone] == [None] * 20


def test_a_view_that_comes_late_has_seen_everything_and_looks_at_the_last(live: LiveLesson) -> None:
    first = LiveView(live, drives=False)
    take_a_step(live)
    first.close()
    take_a_step(live)
    take_a_step(live)
    late = LiveView(live, drives=False)
    assert [shot.step for shot in late.film.shots] == [0, 1, 2, 3]
    assert late.at == 3
    late.close()


def test_who_looks_after_a_lesson_no_longer_listens_no_longer(live: LiveLesson) -> None:
    mine = host(Office().desk("a"))
    before = listeners(live)
    mine.choose(live)
    assert mine.view(live) is mine.view(live)
    assert listeners(live) == before + 1
    mine.put_aside()
    assert listeners(live) == before


def test_a_lesson_that_was_replaced_is_not_listened_to() -> None:
    lesson = ClassroomLesson()
    scenario = load_scenario(steps=2)
    lesson.begin(scenario, 1)
    old = lesson.player
    lesson.begin(scenario, 2)
    assert not old._listeners._all
    lesson.close()
    assert not lesson.player._listeners._all
