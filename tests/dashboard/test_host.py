"""Holding live lessons and sitting in them, and what the studies page may do with them meanwhile; without a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from eduverse_mesa.dashboard.lessons.host import host
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.lessons.sitter import sitting
from eduverse_mesa.dashboard.pages.studies.study import StudyShelf
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies import make_policy
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.store import Study
from eduverse_mesa.store.run_list import delete_run as take_out
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.test_live import attend, until

COURSE = course(lessons=1, steps=3, **{"people.wait": 20.0})


class Slow:
    """A policy that answers when it may."""

    name = "slow"

    def __init__(self) -> None:
        self.asked, self.may = threading.Event(), threading.Event()
        self._rest = make_policy("embedded")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """What the embedded policy answers, later."""
        self.asked.set()
        self.may.wait(PATIENCE)
        return list(self._rest.answer(decisions))  # type: ignore[union-attr]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    one = Office()
    one.study = str(tmp_path / "live.study")
    yield one
    one.lessons.close()


@pytest.fixture
def lesson(office: Office) -> LiveLesson:
    return office.lessons.add(LiveLesson(office.study, COURSE, SEED))


# --- sitting ---


def test_people_of_two_lessons_come_and_go_at_the_same_time(office: Office, tmp_path: Path) -> None:
    seats = []
    for number in range(2):
        lesson = office.lessons.add(LiveLesson(str(tmp_path / f"{number}.study"), COURSE, SEED))
        seat, link = sitting(office.desk(f"browser-{number}")), lesson.invite()
        seat.sit(link.token)
        assert seat.place is not None  # it is listened to from now on
        seats.append((seat, link.token))

    def come_and_go(number: int) -> None:
        seat, token = seats[number]
        for _ in range(60):
            seat.leave()
            seat.sit(token)

    threads = [threading.Thread(target=come_and_go, args=(number,), daemon=True) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE * 2)
    assert not any(thread.is_alive() for thread in threads), "each waits for the other"
    assert [seat.trouble for seat, _ in seats] == [None, None]


def test_who_leaves_a_run_that_was_taken_away_is_out_and_told(office: Office, lesson: LiveLesson) -> None:
    seat = sitting(office.desk("a"))
    seat.sit(lesson.invite("Wang Fang").token)
    with Study.open(office.study) as study:
        take_out(study, lesson.player.run.id, abandoned=True)
    seat.leave()
    assert "there is no run" in str(seat.trouble)
    assert lesson.seats["Wang Fang"].occupant is None


def test_who_holds_a_lesson_may_change_seats(office: Office, lesson: LiveLesson) -> None:
    desk = office.desk("a")
    mine = host(desk)
    mine.choose(lesson)
    mine.sit(lesson, "Wang Fang", "Me")
    mine.sit(lesson, "Liu Li", "Me")
    assert mine.error is None
    assert [place.agent for place in lesson.places] == ["Liu Li"]
    assert lesson.seats["Wang Fang"].occupant is None
    sitting(desk).leave()
    assert lesson.places == ()


# --- ending ---


def test_nobodys_page_waits_for_a_lesson_to_end(office: Office) -> None:
    slow = Slow()
    lesson = office.lessons.add(LiveLesson(office.study, COURSE, SEED, slow))
    mine = host(office.desk("a"))
    mine.choose(lesson)
    lesson.player.play()
    assert slow.asked.wait(PATIENCE)
    mine.end()
    assert not lesson.closed, "its policy still thinks"
    assert (mine.lesson, mine.others) == (None, ())
    slow.may.set()
    until(lambda: lesson.closed)
    assert lesson.player.status == "stopped"
    assert mine.error is None
    told = [mine.ended]
    other = office.lessons.add(LiveLesson(office.study, COURSE, SEED))
    mine.choose(other)
    assert [one and one.run for one in (*told, mine.ended)] == [lesson.player.run.id, None]
    mine.end(other)
    until(lambda: other.closed)


@pytest.mark.parametrize(
    ("address", "here_only"),
    [("http://127.0.0.1:8765", True), ("http://localhost:1", True), ("http://10.0.0.7:8765", False)],
)
def test_links_of_a_dashboard_that_listens_to_this_machine_alone_are_told_to(
    office: Office, address: str, here_only: bool
) -> None:
    office.address = address
    assert host(office.desk("a")).reaches_here_only == here_only


def test_what_could_not_be_written_is_said_when_a_lesson_was_ended(office: Office, lesson: LiveLesson) -> None:
    mine = host(office.desk("a"))
    mine.choose(lesson)
    sitting(office.desk("b")).sit(lesson.invite("Wang Fang").token)
    with Study.open(office.study) as study:
        take_out(study, lesson.player.run.id, abandoned=True)
    mine.end()
    until(lambda: mine.error is not None)
    assert lesson.closed
    assert office.lessons.all() == ()


# --- the studies page ---


def test_a_run_that_people_take_part_in_is_left_alone(
    office: Office, lesson: LiveLesson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.setattr("eduverse_mesa.store.run_list.QUIET", timedelta(0))
    run, over = lesson.player.run.id, threading.Event()
    attend(lesson.join(lesson.invite().token, "b"), over)
    lesson.player.step()
    assert lesson.player.wait(PATIENCE) == "paused"
    shelf = StudyShelf(office.desk("a"))
    shelf.look()
    assert shelf.live(run) is lesson
    assert shelf.live("another") is None
    arrived = threading.Event()
    for ask in (
        lambda: shelf.go_on(run, arrived.set),
        lambda: shelf.erase("p1"),
        lambda: shelf.delete(run, abandoned=True),
    ):
        ask()
        until(lambda: not shelf.doing)
        assert f"run {run} is open in this program" in str(shelf.error)
    assert not arrived.is_set()
    assert shelf.proof is None
    over.set()
    lesson.close()
    assert shelf.live(run) is None
    shelf.go_on(run, arrived.set)
    assert arrived.wait(PATIENCE)
    until(lambda: not shelf.doing)
    assert classroom_lesson(shelf.desk).player.run.id == run
    classroom_lesson(shelf.desk).close()
    shelf.close()
