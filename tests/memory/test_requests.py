"""The pool of peer requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions import Scores
from eduverse_mesa.memory.short_term import RequestPool

SCORES = Scores((80, 80, 80, 80, 80), (0.2, 0.2, 0.2, 0.2, 0.2))
NAMES = st.sampled_from(["Ann", "Ben", "Cem"])


def test_a_request_waits_and_is_then_taken_up() -> None:
    pool = RequestPool()
    entry = pool.ask("Ann", "Ben", "chat", "hi", 1)
    assert entry is not None
    assert pool.pending_for("Ben") == [(entry, 0, 0)]
    pool.settle(entry, 2, scores=SCORES)
    assert (entry.status, entry.settled) == ("accepted", 2)
    assert pool.pending_for("Ben") == []
    again, back = pool.ask("Ann", "Ben", "chat", "and?", 3), pool.ask("Ben", "Ann", "chat", "yes?", 3)
    assert again is not None
    assert back is not None
    assert pool.pending_for("Ben") == [(again, 1, 1)]
    assert pool.pending_for("Ann") == [(back, 1, 0)]


def test_the_same_wish_is_not_entered_twice_while_it_waits() -> None:
    pool = RequestPool()
    pool.ask("Ann", "Ben", "chat", "hi", 1)
    assert pool.ask("Ann", "Ben", "side_talk", "and?", 2) is None


def test_a_settled_request_stays_settled() -> None:
    pool = RequestPool()
    entry = pool.ask("Ann", "Ben", "chat", "hi", 1)
    assert entry is not None
    pool.settle(entry, 2, "low intention")
    with pytest.raises(ValueError, match="rejected already"):
        entry.settle("accepted", 3, "")


@given(st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["ask", "accept", "reject"])), max_size=40))
def test_no_request_is_ever_lost(events: list[tuple[str, str, str]]) -> None:
    pool = RequestPool()
    made = 0
    for step, (sender, receiver, what) in enumerate(events):
        if what == "ask":
            made += pool.ask(sender, receiver, "chat", "", step) is not None
        elif pool.pending_for(receiver):
            entry = pool.pending_for(receiver)[0][0]
            pool.settle(entry, step, "" if what == "accept" else "busy", SCORES)
    pool.close(99)
    assert len(pool.all) == made
    assert all(entry.status in ("accepted", "rejected") for entry in pool.all)
    assert all(entry.reason for entry in pool.all if entry.status == "rejected")
    assert sum(pool.exchanges.values()) == sum(entry.status == "accepted" for entry in pool.all)


def test_intention_is_the_weighted_score() -> None:
    assert Scores((100, 0, 0, 0, 0), (0.6, 0.1, 0.1, 0.1, 0.1)).intention == pytest.approx(0.6)
