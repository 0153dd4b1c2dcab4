"""Whoever ends the process waits for those who were told to end, and for nobody else."""

from __future__ import annotations

import threading
import time

from eduverse_mesa.runs.threads import note_ending, wait_for_ending


def started(until: threading.Event) -> threading.Thread:
    thread = threading.Thread(target=until.wait, daemon=True)
    thread.start()
    return thread


def test_who_was_told_to_end_is_waited_for() -> None:
    told, other = threading.Event(), threading.Event()
    ending, resting = started(told), started(other)
    note_ending(ending)
    threading.Timer(0.1, told.set).start()
    wait_for_ending(30)
    assert not ending.is_alive()
    assert resting.is_alive()
    other.set()


def test_it_waits_for_so_long_and_no_longer() -> None:
    told = threading.Event()
    note_ending(started(told))
    begun = time.monotonic()
    wait_for_ending(0.1)
    assert time.monotonic() - begun >= 0.1
    told.set()
    wait_for_ending(90)
