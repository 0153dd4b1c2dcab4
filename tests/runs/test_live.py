"""People in a lesson: links that let one browser in, seats, presence, and a register of who sat where."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eduverse_mesa.errors import LessonError, ScenarioError
from eduverse_mesa.policies.human import Act, Feedback, Pacing, Question, Reply, ReplyError, Requests, Turn
from eduverse_mesa.runs import open_study, record_course, replay_run
from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.live_lessons import LiveLesson, LiveLessons, Place
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course, log_of

COURSE = course(lessons=2, steps=3, **{"people.wait": 20.0})


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "live.study")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lesson(path: str, clock: Clock) -> Iterator[LiveLesson]:
    one = LiveLesson(path, COURSE, SEED, clock=clock)
    yield one
    one.close()


def until(told: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not told():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.001)


def sensible(question: Question) -> Reply:
    """What an ordinary person would reply."""
    if question.form == "requests":
        return Requests(question.requests[0].id)
    if question.form == "act":
        wanted = next(one for one in ("answer_question", "head_up", *question.permitted) if one in question.permitted)
        return Act(wanted, question.partners[0] if question.partners else "", "It grows because spring is warm.")
    if question.form == "turn":
        return Turn("asking_question", "Why is that so?", (question.names[0],))
    return Feedback() if question.form == "feedback" else Pacing("stay")


def attend(place: Place, over: threading.Event) -> threading.Thread:
    """A browser that replies to what it is asked."""

    def live() -> None:
        while not over.is_set():
            question = place.question()
            if question is None:
                time.sleep(0.001)
                continue
            try:
                place.reply(sensible(question), question.id)
            except (ReplyError, LessonError):
                continue

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    return thread


# --- links ---


def test_a_link_belongs_to_the_browser_that_used_it_first(lesson: LiveLesson) -> None:
    link = lesson.invite("Wang Fang")
    place = lesson.join(link.token, "browser-a")
    assert place.agent == "Wang Fang"
    with pytest.raises(LessonError, match="another browser"):
        lesson.join(link.token, "browser-b")
    lesson.leave(place)
    with pytest.raises(LessonError, match="another browser"):
        lesson.join(link.token, "browser-b")
    assert lesson.join(link.token, "browser-a") is place
    assert place.seated


def test_to_look_at_a_link_does_not_use_it_up(lesson: LiveLesson) -> None:
    lessons = LiveLessons()
    lessons.add(lesson)
    link, desk = lesson.invite("Wang Fang"), lesson.invite(role="teacher")
    assert (lessons.role_of(link.token, "a"), lessons.role_of(link.token, "b")) == ("student", "student")
    assert lessons.role_of(desk.token, "b") == "teacher"
    lessons.join(link.token, "b")
    assert (lessons.role_of(link.token, "a"), lessons.role_of(link.token, "b")) == (None, "student")
    assert lessons.role_of("x", "a") is None
    lesson.close()
    assert lesson.role_of(desk.token, "b") is None


@pytest.mark.parametrize("token", ["", "x", "\ud800", "' or 1=1 --", "Wang Fang"])
def test_an_unknown_token_leads_nowhere(lesson: LiveLesson, token: str) -> None:
    lesson.invite("Wang Fang")
    assert not lesson.knows(token)
    with pytest.raises(LessonError, match="no lesson"):
        lesson.join(token, "browser-a")


def test_tokens_are_long_different_and_not_kept(lesson: LiveLesson) -> None:
    links = [lesson.invite() for _ in range(20)]
    assert len({link.token for link in links}) == 20
    assert min(len(link.token) for link in links) >= 32
    kept = repr([vars_of(link) for link in lesson._links])
    assert not any(link.token in kept for link in links)


def vars_of(link: object) -> list[object]:
    return [getattr(link, name) for name in type(link).__slots__]  # type: ignore[attr-defined]


def test_of_many_browsers_at_once_one_gets_in(lesson: LiveLesson) -> None:
    link = lesson.invite("Wang Fang")
    together = threading.Barrier(8)

    def come(number: int) -> bool:
        together.wait(PATIENCE)
        try:
            lesson.join(link.token, f"browser-{number}")
        except LessonError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(come, range(8))) == [False] * 7 + [True]


def test_links_without_a_name_take_free_seats_and_promised_ones_last(lesson: LiveLesson) -> None:
    first_name = next(name for name, seat in lesson.seats.items() if seat.role == "student")
    lesson.invite(first_name)
    students = [seat for seat in lesson.seats.values() if seat.role == "student"]
    places = [lesson.join(lesson.invite().token, f"browser-{number}") for number in range(len(students))]
    assert len({place.agent for place in places}) == len(students)
    assert places[-1].agent == first_name
    with pytest.raises(LessonError, match="every seat is taken"):
        lesson.join(lesson.invite().token, "one-too-many")


def test_who_is_invited_has_to_be_in_the_class(lesson: LiveLesson) -> None:
    with pytest.raises(LessonError, match="no student 'Nobody'"):
        lesson.invite("Nobody")
    with pytest.raises(LessonError, match="no student"):
        lesson.invite(lesson.invite(role="teacher").agent)


def test_a_class_without_a_teacher_is_refused(path: str) -> None:
    roll = COURSE.roll.model_copy(update={"teacher": None})
    with pytest.raises(ScenarioError, match="no teacher"):
        LiveLesson(path, COURSE.model_copy(update={"roll": roll}), SEED)


def test_a_link_that_is_taken_back_lets_nobody_in_and_its_person_out(lesson: LiveLesson) -> None:
    link = lesson.invite("Wang Fang")
    place = lesson.join(link.token, "browser-a")
    lesson.take_back(link.token)
    assert not place.seated
    with pytest.raises(LessonError, match="no lesson"):
        lesson.join(link.token, "browser-a")
    assert lesson.seats["Wang Fang"].occupant is None


def test_people_have_pseudonyms_or_the_name_they_give(lesson: LiveLesson) -> None:
    first = lesson.join(lesson.invite().token, "a")
    second = lesson.join(lesson.invite().token, "b", name="  Zoë\u202e \n<b>  ")
    third = lesson.join(lesson.invite(label="Group 2").token, "c", name="ignored")
    assert (first.label, second.label, third.label) == ("Guest 1", "Zoë <b>", "Group 2")


# --- taking part ---


def test_several_people_and_a_teacher_take_part_and_it_replays_without_them(path: str) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    over = threading.Event()
    teacher = lesson.join(lesson.invite(role="teacher").token, "t")
    students = [lesson.join(lesson.invite().token, f"s{number}") for number in range(3)]
    threads = [attend(place, over) for place in (teacher, *students)]
    lesson.player.play()
    assert lesson.player.wait(PATIENCE * 2) == "complete"
    over.set()
    for thread in threads:
        thread.join(PATIENCE)
    sources = lesson.player.spending.sources
    assert sources["human"] > 2 * 3 * 4
    assert not lesson.player.spending.outcomes.get("fallback")
    run = lesson.player.run
    lesson.close()
    with open_study(path, read_only=True) as opened:
        again = replay_run(opened, run.id)
        assert list(again.answers()) == list(run.answers())
        assert [one.digests for one in again.lessons] == [one.digests for one in run.lessons]
        assert opened.study.run(run.id).policy == "embedded"
        assert [(row.label, row.role) for row in opened.study.participants()] == [
            ("Guest 1", "teacher"),
            ("Guest 2", "student"),
            ("Guest 3", "student"),
            ("Guest 4", "student"),
        ]
        sat = {row.agent: (row.since, row.until) for row in opened.study.sittings(run.id)}
    assert sat == {place.agent: ((1, 1), (2, 3)) for place in (teacher, *students)}


def test_a_person_sees_what_its_agent_has_heard(path: str) -> None:
    lesson = LiveLesson(path, COURSE, SEED)
    over = threading.Event()
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    researcher = lesson.join(lesson.invite(role="researcher").token, "r")
    attend(place, over)
    lesson.player.play()
    lesson.player.wait(PATIENCE)
    over.set()
    mine, everything = place.transcript(), researcher.transcript()
    assert set(mine) < set(everything)
    assert {row for row in everything if row.channel == "class"} <= set(mine)
    hidden = set(everything) - set(mine)
    assert hidden
    assert not any("Wang Fang" in (row.speaker, row.addressee) for row in hidden)
    assert {row.channel for row in hidden} <= {"peer", "group"}
    assert researcher.question() is None
    with pytest.raises(LessonError, match="nobody is asked"):
        researcher.reply(Act("head_up"))
    lesson.close()


def test_stopping_ends_the_waiting_for_a_person(lesson: LiveLesson) -> None:
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.player.play()
    until(lambda: place.question() is not None)
    until(lambda: [one.agent for one in lesson.player.thinking] == ["Wang Fang"])
    lesson.player.stop()
    assert lesson.player.wait(PATIENCE) == "stopped"
    assert place.question() is None
    assert not place.seated


def test_who_leaves_in_the_middle_lets_the_lesson_go_on(path: str, lesson: LiveLesson) -> None:
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.player.step()
    until(lambda: place.question() is not None)
    lesson.leave(place)
    assert lesson.player.wait(PATIENCE) == "paused"
    assert lesson.player.spending.sources.get("human") is None
    with open_study(path, read_only=True) as opened:
        assert opened.study.sittings() == []  # not a single step was this person's


def test_sitting_down_and_leaving_at_any_step_is_registered(path: str, lesson: LiveLesson) -> None:
    over = threading.Event()
    link = lesson.invite("Wang Fang")
    lesson.player.play(until=(1, 2))
    lesson.player.wait(PATIENCE)
    place = lesson.join(link.token, "a")
    attend(place, over)
    lesson.player.play(until=(2, 1))
    assert lesson.player.wait(PATIENCE) == "paused"
    lesson.leave(place)
    lesson.player.play(until=(2, 2))
    lesson.player.wait(PATIENCE)
    lesson.join(link.token, "a")
    lesson.player.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    over.set()
    with open_study(path, read_only=True) as opened:
        rows = [(row.participant, row.since, row.until) for row in opened.study.sittings()]
        human = {(row.lesson, row.step) for row in opened.study.answers(lesson.player.run.id) if row.source == "human"}
    assert rows == [("p1", (1, 3), (2, 1)), ("p1", (2, 3), (2, 3))]
    assert human == {(1, 3), (2, 1), (2, 3)}


# --- presence ---


def test_a_browser_that_is_away_is_not_waited_for_until_it_returns(lesson: LiveLesson, clock: Clock) -> None:
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.player.step()
    until(lambda: place.question() is not None)
    clock.now += 31
    lesson.look_after()
    assert lesson.player.wait(PATIENCE) == "paused"
    assert lesson.player.spending.outcomes["fallback"] >= 1
    assert place.seated
    lesson.touch(place)
    lesson.player.step()
    until(lambda: place.question() is not None)
    place.reply(Act("head_down"))
    assert lesson.player.wait(PATIENCE) == "paused"
    assert lesson.player.spending.sources["human"] >= 1


def test_somebody_looks_round_without_being_told(path: str) -> None:
    quick = course(lessons=1, steps=2, **{"people.wait": None, "people.away": 0.05})
    lesson = LiveLesson(path, quick, SEED)
    lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.player.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    assert lesson.player.spending.outcomes["fallback"] >= 1
    lesson.close()


# --- the end, and going on ---


def test_a_closed_lesson_lets_nobody_in(lesson: LiveLesson) -> None:
    link = lesson.invite("Wang Fang")
    place = lesson.join(link.token, "a")
    lesson.close()
    lesson.close()
    assert lesson.player.status == "stopped"
    assert not place.seated
    for attempt in (lambda: lesson.join(link.token, "a"), lambda: lesson.invite()):
        with pytest.raises(LessonError, match="closed"):
            attempt()


def test_a_lesson_that_was_killed_goes_on_and_nobody_still_sits_in_it(path: str, clock: Clock) -> None:
    first = LiveLesson(path, COURSE, SEED, clock=clock)
    over = threading.Event()
    attend(first.join(first.invite("Wang Fang").token, "a"), over)
    first.player.play(until=(1, 2))
    first.player.wait(PATIENCE)
    over.set()
    again = LiveLesson.resume(path, first.player.run.id)  # as after a kill: nobody has got up
    try:
        assert again.player.wait(PATIENCE) == "ready"
        assert again.player.head == (1, 2)
        with open_study(path, read_only=True) as opened:
            assert [(row.since, row.until) for row in opened.study.sittings()] == [((1, 1), (1, 2))]
        again.player.play()
        assert again.player.wait(PATIENCE) == "complete"
    finally:
        again.close()
    with open_study(path, read_only=True) as opened:
        replayed = replay_run(opened, again.player.run.id)
        assert list(replayed.answers()) == list(again.player.run.answers())
    assert log_of(path)


def test_people_take_part_from_a_fork_on(path: str) -> None:
    parent = record_course(path, COURSE, SEED)
    lesson = LiveLesson.fork(path, parent.id, (1, 2))
    over = threading.Event()
    assert lesson.player.wait(PATIENCE) == "ready"
    attend(lesson.join(lesson.invite("Wang Fang").token, "a"), over)
    lesson.player.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    over.set()
    lesson.close()
    with open_study(path, read_only=True) as opened:
        assert opened.study.run(lesson.player.run.id).parent == parent.id
        assert [row.since for row in opened.study.sittings()] == [(1, 3)]
        human = {(row.lesson, row.step) for row in opened.study.answers(lesson.player.run.id) if row.source == "human"}
        again = replay_run(opened, lesson.player.run.id)
    assert human == {(1, 3), (2, 1), (2, 2), (2, 3)}
    assert list(again.answers()) == list(lesson.player.run.answers())


def test_listeners_hear_of_seats_and_of_the_player(lesson: LiveLesson) -> None:
    events: list[Event] = []
    lesson.listen(events.append)
    place = lesson.join(lesson.invite("Wang Fang").token, "a")
    lesson.player.step()
    until(lambda: lesson.player.status == "thinking" and any(event.kind == "thinking" for event in events))
    place.reply(Act("head_up"))
    lesson.player.wait(PATIENCE)
    assert {"seat", "status", "step", "thinking"} <= {event.kind for event in events}
    assert {event.agent for event in events if event.kind == "seat"} == {"Wang Fang"}
