"""Waits between attempts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.policies.llm.calling import Backoff
from eduverse_mesa.policies.llm.calling.limiter import LONGEST_PAUSE, retry_after


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True), st.none() | st.floats(0, 1e9))
def test_a_wait_has_bounds_and_never_undercuts_the_server(failures: int, drawn: float, asked: float | None) -> None:
    wait = Backoff(base=0.5, longest=20.0, draw=lambda: drawn).wait(failures, asked)
    assert 0 <= wait <= (20.0 if asked is None else min(asked, LONGEST_PAUSE) + 0.5)
    assert asked is None or wait >= min(asked, LONGEST_PAUSE)


def test_the_bound_doubles_to_its_end() -> None:
    backoff = Backoff(base=0.5, longest=3.0, draw=lambda: 1.0)
    assert [backoff.wait(failures) for failures in range(1, 6)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_calls_that_failed_together_do_not_come_back_together() -> None:
    assert len({Backoff().wait(3) for _ in range(20)}) == 20


DAY = 86_400.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("-3", None), ("1e300", DAY), ("inf", DAY), ("nan", None), ("", None),
     (None, None), ("soon", None), ("Mon, 99 Foo 2020", None), ("9" * 5000, DAY)],
)  # fmt: skip
def test_what_a_server_asks_for(value: str | None, seconds: float | None) -> None:
    assert retry_after(value) == seconds


def test_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    asked = retry_after(soon)
    assert asked is not None
    assert 0 <= asked <= 51
    assert retry_after(past) is None
    assert retry_after("Wed, 21 Oct 2055 07:28:00 -0000") == DAY  # a date without a zone


def test_milliseconds_are_finer() -> None:
    assert retry_after("1", "250") == 0.25
    assert retry_after(None, "-250") is None


@given(st.text(max_size=40))
def test_no_text_is_too_odd(value: str) -> None:
    seconds = retry_after(value)
    assert seconds is None or 0 <= seconds <= DAY
