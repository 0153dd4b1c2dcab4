"""Live lessons under strain: several at once, several links in one browser, runs that are taken away, erasing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from eduverse_mesa.errors import LessonError, StudyError
from eduverse_mesa.policies.human import Turn
from eduverse_mesa.runs import open_study, record_course
from eduverse_mesa.runs.erasure import erase_participant
from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.live_lessons import LiveLesson, LiveLessons
from eduverse_mesa.runs.open_runs import note_open, refuse_open, same_study
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.studies import delete_run
from eduverse_mesa.store import Study
from eduverse_mesa.store.run_list import delete_run as take_out
from eduverse_mesa.store.run_list import note_played, refuse_while_played
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.test_live import Clock, attend, until

COURSE = course(lessons=1, steps=3, **{"people.wait": 20.0})


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "live.study")


@pytest.fixture
def lesson(path: str) -> Iterator[LiveLesson]:
    one = LiveLesson(path, COURSE, SEED)
    yield one
    one.close()


def take_away(path: str, run: str) -> None:
    """As another program does that believes the run to be abandoned."""
    with Study.open(path) as study:
        take_out(study, run, abandoned=True)


# --- two lessons at once ---


def test_who_hears_of_a_seat_may_ask_every_lesson(tmp_path: Path) -> None:
    lessons = LiveLessons()
    both = [lessons.add(LiveLesson(str(tmp_path / f"{n}.study"), COURSE, SEED)) for n in range(2)]
    places = [lessons.join(one.invite("Wang Fang").token, f"browser-{n}") for n, one in enumerate(both)]
    together = threading.Barrier(2)
    heard: list[int] = []

    def hear(number: int, _: Event) -> None:
        together.wait(PATIENCE)  # each lesson is in the midst of telling
        lessons.place_of("browser-0")
        heard.append(len(both[1 - number].places))

    for number, one in enumerate(both):
        one.listen(partial(hear, number))
    threads = [
        threading.Thread(target=one.leave, args=(place,), daemon=True) for one, place in zip(both, places, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "each waits for the other"
    assert heard == [1, 1]
    together.abort()
    lessons.close()


def test_all_lessons_end_though_one_cannot_be_written(tmp_path: Path) -> None:
    lessons = LiveLessons()
    lost, other = [lessons.add(LiveLesson(str(tmp_path / f"{n}.study"), COURSE, SEED)) for n in range(2)]
    for number, one in enumerate((lost, other)):
        lessons.join(one.invite("Wang Fang").token, f"browser-{number}")
        one.player.play()
    until(lambda: all(one.seats["Wang Fang"].question is not None for one in (lost, other)))
    take_away(str(tmp_path / "0.study"), lost.player.run.id)
    lessons.close()
    assert (lost.closed, other.closed, lessons.all()) == (True, True, ())
    assert {lost.player.status, other.player.status} <= {"stopped", "failed"}
    with open_study(str(tmp_path / "1.study"), read_only=True) as opened:
        assert opened.study.run(other.player.run.id).status == "interrupted"


# --- several links in one browser ---


def test_a_second_link_gives_the_seat_that_it_is_for(lesson: LiveLesson) -> None:
    student, teacher = lesson.invite("Wang Fang"), lesson.invite(role="teacher")
    first = lesson.join(student.token, "a")
    second = lesson.join(teacher.token, "a")
    assert (second.role, second.agent) == ("teacher", teacher.agent)
    assert (first.seated, second.seated) == (False, True)
    assert lesson.place_of("a") is second
    assert lesson.join(student.token, "a") is first
    assert (first.seated, second.seated) == (True, False)
    assert lesson.place_of("a") is first


def test_a_link_that_is_taken_back_leaves_the_seat_of_another_link(lesson: LiveLesson) -> None:
    links = [lesson.invite("Wang Fang"), lesson.invite(role="teacher")]
    first, second = (lesson.join(link.token, "a") for link in links)
    lesson.take_back(links[0].token)
    assert lesson.places == (second,)
    assert lesson.seats[second.agent or ""].occupant == second.id
    lesson.take_back(links[1].token)
    assert [place.seated for place in (first, second)] == [False, False]
    assert lesson.place_of("a") is None


def test_two_links_for_one_seat_in_one_browser(lesson: LiveLesson, path: str) -> None:
    first, second = (lesson.join(lesson.invite("Wang Fang").token, "a") for _ in range(2))
    assert (first.seated, second.seated) == (False, True)
    with open_study(path, read_only=True) as opened:
        assert [row.until for row in opened.study.sittings()] == [None]


def test_who_is_refused_keeps_its_seat(lesson: LiveLesson) -> None:
    mine = lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.join(lesson.invite(role="teacher").token, "b")
    with pytest.raises(Exception, match="somebody sits"):
        lesson.join(lesson.invite(role="teacher").token, "a")
    assert mine.seated
    assert lesson.place_of("a") is mine


# --- who has answered was there ---


def test_a_teacher_who_answers_and_leaves_within_a_step_was_there(lesson: LiveLesson, path: str) -> None:
    place = lesson.join(lesson.invite(role="teacher").token, "t")
    other = lesson.join(lesson.invite("Wang Fang").token, "s")
    lesson.player.step()
    until(lambda: (question := place.question()) is not None and question.form == "turn")
    place.reply(Turn("lecturing", "My cousin Wilfrieda says hello."))
    lesson.leave(place)
    lesson.leave(other)
    assert lesson.player.wait(PATIENCE) == "paused"
    with open_study(path, read_only=True) as opened:
        human = {(row.lesson, row.step) for row in opened.study.answers(lesson.player.run.id) if row.source == "human"}
        assert human == {(1, 1)}
        assert [(row.since, row.until) for row in opened.study.sittings(participant="p1")] == [((1, 1), (1, 1))]


# --- runs that are open here ---


def test_nobody_is_erased_and_no_run_deleted_while_its_lesson_is_open(
    path: str, lesson: LiveLesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    attend(lesson.join(lesson.invite(label="Ottoline").token, "a"), over)
    lesson.player.step()
    assert lesson.player.wait(PATIENCE) == "paused"
    monkeypatch.setattr("eduverse_mesa.store.run_list.QUIET", timedelta(0))  # it has rested for more than an hour
    run = lesson.player.run.id
    with pytest.raises(StudyError, match="open in this program") as refused:
        erase_participant(path, "p1")
    assert "End its lesson" in refused.value.mend
    with open_study(path) as opened, pytest.raises(StudyError, match="open in this program"):
        delete_run(opened, run, abandoned=True)
    over.set()
    lesson.close()
    assert erase_participant(path, "p1").complete
    with open_study(path) as opened:
        assert delete_run(opened, run) == [run]


def test_other_programs_are_told_that_a_lesson_which_rests_is_open(path: str) -> None:
    clock = Clock()
    lesson = LiveLesson(path, COURSE, SEED, clock=clock)
    run = lesson.player.run.id
    with Study.open(path) as study:

        def rest() -> None:
            with study.transaction() as connection:
                connection.exec_driver_sql("update runs set updated = '2020-01-01T00:00:00+00:00'")

        rest()
        lesson.look_after()
        with study.transaction() as connection:
            refuse_while_played(connection, run, path)  # it looks as if it had been left
        clock.now += 601
        lesson.look_after()
        with study.transaction() as connection, pytest.raises(StudyError, match="being played"):
            refuse_while_played(connection, run, path)
        lesson.close()
        rest()
        note_played(study, run)
        assert study.run(run).status == "interrupted"
        with study.transaction() as connection:
            assert connection.exec_driver_sql("select updated from runs").scalar() == "2020-01-01T00:00:00+00:00"


def test_nobody_is_erased_while_a_fork_is_played_that_has_its_words(path: str) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    over = threading.Event()
    attend(lesson.join(lesson.invite().token, "a"), over)
    lesson.player.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    over.set()
    lesson.close()
    fork = LessonPlayer.fork(lesson.player.run.id, (1, 2), study=path)
    with pytest.raises(StudyError, match=f"run {fork.run.id} is open"):
        erase_participant(path, "p1")
    with open_study(path) as opened, pytest.raises(StudyError, match="open in this program"):
        delete_run(opened, lesson.player.run.id, with_forks=True)
    fork.stop()
    assert fork.wait(PATIENCE) == "stopped"
    assert erase_participant(path, "p1").complete


def test_a_run_is_open_while_it_is_recorded(path: str) -> None:
    refused: list[str] = []

    def look(_: object) -> None:
        try:
            refuse_open(path, ["first_lesson"])
        except StudyError as error:
            refused.append(str(error))

    run = record_course(path, COURSE, SEED, progress=look).id
    refuse_open(path, [run])
    player = LessonPlayer(COURSE, SEED)
    player.step()
    player.wait(PATIENCE)
    kept = player.keep(path)
    with pytest.raises(StudyError, match=kept):
        refuse_open(path, [kept])
    player.stop()
    player.wait(PATIENCE)
    refuse_open(path, [kept])


def test_a_study_is_known_by_any_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link.study").symlink_to(tmp_path / "a.study")
    monkeypatch.chdir(tmp_path)
    assert same_study("a.study", str(tmp_path / "link.study"))
    assert not same_study("a.study", "b.study")
    leave, again = note_open("a.study", "x"), note_open("link.study", "x")
    leave()
    leave()
    with pytest.raises(StudyError, match="run x is open"):
        refuse_open(str(tmp_path / "a.study"), ["y", "x"])
    again()
    refuse_open("a.study", ["x"])


# --- a run that is taken away ---


def test_a_lesson_ends_though_its_run_was_taken_away(path: str) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    links = [lesson.invite("Wang Fang"), lesson.invite(role="teacher")]
    first, second = (lesson.join(link.token, f"browser-{n}") for n, link in enumerate(links))
    take_away(path, lesson.player.run.id)
    heard: list[Event] = []
    lesson.listen(heard.append)
    with pytest.raises(StudyError):
        lesson.leave(first)
    assert not first.seated
    assert [event.agent for event in heard] == ["Wang Fang"]
    with pytest.raises(StudyError):
        lesson.close()
    assert (lesson.closed, second.seated, lesson.places, lesson.knows(links[1].token)) == (True, False, (), False)
    assert heard[-1].kind == "seat"
    lesson.close()  # it was said, and is not said again


def test_the_end_is_told_though_its_run_was_taken_away(path: str) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    take_away(path, lesson.player.run.id)
    heard: list[Event] = []
    lesson.listen(heard.append)
    lesson.player.stop()
    lesson.player.wait(PATIENCE)
    until(lambda: any(event.kind == "status" and event.status in ("stopped", "failed") for event in heard))
    assert not place.seated
    with pytest.raises(StudyError):
        lesson.close()
    with pytest.raises(LessonError, match="closed"):
        lesson.invite()
