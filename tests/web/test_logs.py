"""The log: a line for what went wrong, a traceback once, and no end of either for what somebody sends."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.web.logs import Brief, Measured


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    handler.setFormatter(Brief())
    handler.addFilter(Measured())
    names = ("Comm", "solara.server.patch", "eduverse_mesa.tests", "asyncio")
    for name in names:
        logging.getLogger(name).addHandler(handler)
    yield told
    for name in names:
        logging.getLogger(name).removeHandler(handler)


def fail_in_a_library(logger: str) -> None:
    try:
        int("x" * 5000)
    except ValueError:
        logging.getLogger(logger).exception("Exception in comm_msg for %s", "a\nb")


def fail_in_our_code(logger: str) -> None:
    try:
        load_scenario("there is no such scenario")
    except Exception:
        logging.getLogger(logger).exception("Exception in comm_msg")


def test_a_bad_message_is_one_short_line(log: io.StringIO) -> None:
    fail_in_a_library("Comm")
    assert len(log.getvalue().splitlines()) == 1
    assert len(log.getvalue()) < 700
    assert "ValueError: invalid literal" in log.getvalue()


def test_what_goes_wrong_in_our_code_is_written_in_full_and_once(log: io.StringIO) -> None:
    for _ in range(3):
        fail_in_our_code("Comm")
    assert log.getvalue().count("Traceback") == 1
    assert log.getvalue().count("Exception in comm_msg") == 3


def test_a_traceback_that_solara_has_made_text_of_is_a_line_too(log: io.StringIO) -> None:
    try:
        raise StudyError("no such thing")
    except StudyError:
        logging.getLogger("solara.server.patch").error("Uncaught exception: %s", "Traceback\n" * 500)
    told = "a message could not be heard (StudyError: no such thing, test_logs.py:"
    assert log.getvalue().startswith(told)
    assert len(log.getvalue().splitlines()) == 1


def test_many_bad_messages_hide_nothing_else(log: io.StringIO) -> None:
    for _ in range(100):
        fail_in_a_library("Comm")
    fail_in_our_code("Comm")
    logging.getLogger("eduverse_mesa.tests").warning("and this")
    told = log.getvalue()
    assert told.count("ValueError") == 20
    assert told.count("Traceback") == 1
    assert told.endswith("and this\n")


def test_how_many_were_left_out_is_said_in_the_next_minute(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    for _ in range(25):
        fail_in_a_library("Comm")
    later = time.monotonic() + 61
    monkeypatch.setattr(time, "monotonic", lambda: later)
    fail_in_a_library("Comm")
    assert "5 lines like this were left out before" in log.getvalue().splitlines()[-1]


def test_connections_that_cannot_be_taken_do_not_fill_the_disk(log: io.StringIO) -> None:
    """The loop says so of each, and tries again at once."""
    for _ in range(1000):
        try:
            raise OSError(24, "Too many open files")
        except OSError as error:
            logging.getLogger("asyncio").error("socket.accept() out of system resource\nsocket: 6", exc_info=error)
    assert log.getvalue().count("out of system resource") == 20
    assert log.getvalue().count("Traceback") == 1
