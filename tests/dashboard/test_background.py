"""What pages have done in threads: it comes to an end in any case, and what goes wrong is a message."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from eduverse_mesa.dashboard.background import ErrandError, Outcome, run_errand
from eduverse_mesa.dashboard.pages.studies.study import _LOCKS, while_reading
from eduverse_mesa.errors import StudyError


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
