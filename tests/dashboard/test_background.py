"""What pages have done in threads: it comes to an end in any case, and what goes wrong is a message."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from eduverse_mesa.dashboard.background import ErrandError, Outcome, Ticket, Worker, run_errand
from eduverse_mesa.dashboard.pages.studies.study import _LOCKS, while_reading
from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs.threads import BrokenOffError


def told(work: object) -> Outcome[object]:
    outcomes: list[Outcome[object]] = []
    run_errand("test", work, outcomes.append, where="here").join(90)  # type: ignore[arg-type]
    (outcome,) = outcomes
    return outcome


def test_what_is_found_is_handed_over_in_the_thread() -> None:
    outcome = told(lambda: threading.current_thread().name)
    assert outcome == Outcome("eduverse-test", None)


def test_a_message_stays_what_it_is() -> None:
    def fail() -> None:
        raise StudyError("no study", mend="Make one.")

    found, error = told(fail)
    assert found is None
    assert isinstance(error, StudyError)


def test_a_mistake_of_the_program_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found, error = told(lambda: 1 / 0)
    assert found is None
    assert isinstance(error, ErrandError)
    assert "ZeroDivisionError" in str(error)
    assert "here" in str(error)
    assert "test broke off" in caplog.text


def over(worker: Worker) -> None:
    """Wait until a worker has done what it does."""
    rests = threading.Event()
    forget = worker.changed.listen(lambda: None if worker.busy else rests.set())
    assert not worker.busy or rests.wait(90)
    forget()


def test_one_piece_of_work_is_done_at_a_time_and_says_how_far_it_is() -> None:
    worker, go, heard = Worker(), threading.Event(), []

    def work(ticket: Ticket) -> None:
        ticket.progress(1, 4, 0.5)
        assert go.wait(90)

    worker.told.listen(lambda: heard.append(worker.progress.share if worker.progress else None))
    assert worker.do("first", work)
    assert not worker.do("second", lambda _: None)
    assert (worker.busy, worker.doing, worker.stopping) == (True, "first", False)
    go.set()
    over(worker)
    assert (worker.doing, worker.error, worker.stopped, worker.progress) == ("", None, False, None)
    assert heard == [0.375, None]


def test_what_fails_is_told_at_its_place_until_something_else_is_begun() -> None:
    def fail(_: Ticket) -> None:
        raise StudyError("no study", mend="Make one.")

    worker, after = Worker(), []
    worker.do("failing", fail, at="talk", then=lambda: after.append(worker.busy))
    over(worker)
    while not after:
        threading.Event().wait(0.01)
    assert (str(worker.error), worker.error_at, after) == ("no study Make one.", "talk", [False])
    worker.do("fine", lambda _: None)
    over(worker)
    assert worker.error is None
    worker.refuse("Not now.")
    assert str(worker.error) == "Not now."


def test_what_is_stopped_ends_by_itself_and_is_no_error() -> None:
    def work(ticket: Ticket) -> None:
        assert ticket.stop.wait(90)
        ticket.progress(3, 4)
        raise BrokenOffError

    worker = Worker()
    worker.stop()
    before = worker.stopping
    worker.do("long", work)
    worker.stop()
    assert (before, worker.stopping) == (False, True)
    over(worker)
    assert (worker.stopped, worker.error, worker.progress) == (True, None, None)


def test_what_takes_the_place_of_something_is_not_disturbed_by_its_end() -> None:
    worker, ends = Worker(), threading.Event()

    def first(ticket: Ticket) -> None:
        assert ends.wait(90)
        raise StudyError("too late")

    def second(ticket: Ticket) -> None:
        ends.set()
        assert not ticket.stop.wait(0.2)

    worker.do("first", first)
    worker.replace("second", second)
    assert worker.doing == "second"
    over(worker)
    assert (worker.error, worker.stopped) == (None, False)


def test_who_reads_another_study_does_not_wait_for_an_erasing(tmp_path: Path) -> None:
    one, other = tmp_path / "one.study", tmp_path / "other.study"
    one.touch()
    (tmp_path / "link.study").symlink_to(one)
    read: list[str] = []

    def look(path: Path) -> threading.Thread:
        def go() -> None:
            with while_reading(str(path)):
                read.append(path.name)

        thread = threading.Thread(target=go)
        thread.start()
        return thread

    with while_reading(str(one)):
        look(other).join(90)
        waiting = [look(one), look(tmp_path / "link.study")]
        for thread in waiting:
            thread.join(0.2)
        assert read == ["other.study"]
    for thread in waiting:
        thread.join(90)
    assert sorted(read) == ["link.study", "one.study", "other.study"]
    assert not [key for key in _LOCKS if str(tmp_path) in key], "nothing is left of it"
