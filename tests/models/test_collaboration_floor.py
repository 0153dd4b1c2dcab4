"""Who may speak next, how long a person is waited for, and which stage follows which."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.groups.record import FIRST, ORDER, SOLVED, STAGES
from eduverse_mesa.models.groups.step import Floor, bound_speakers

MEMBERS = ("Mia", "Alice", "Bob")
PEOPLE = frozenset({"Mia"})


def floor(*holders: str, since: float = 100.0) -> Floor:
    return Floor(holders, PEOPLE, since)


def test_whoever_is_called_by_name_goes_next_and_nobody_else() -> None:
    assert bound_speakers(["Mia", "Alice"], MEMBERS, "Mia", "Bob") == ("Bob",)
    assert bound_speakers(["Alice"], MEMBERS, "Bob", "Mia") == ("Mia",)


def test_the_last_speaker_never_goes_next_even_when_called() -> None:
    assert bound_speakers(["Bob", "Mia"], MEMBERS, "Bob", "Bob") == ("Mia",)
    assert bound_speakers(["Bob"], MEMBERS, "Bob", "") == ("Mia", "Alice")


def test_strangers_are_not_let_in() -> None:
    assert bound_speakers(["Zoe", "Alice"], MEMBERS, "Bob", "Zoe") == ("Alice",)


def test_only_a_person_is_waited_for_a_minute_and_then_another_peer_than_the_last_goes_on() -> None:
    alone = floor("Mia")
    assert alone.candidates(["Alice", "Bob"], "Bob", 159.9) == ()
    assert alone.candidates(["Alice", "Bob"], "Bob", 160.0) == ("Alice",)
    assert alone.candidates(["Bob"], "Bob", 160.0) == ("Bob",)


def test_a_person_who_may_speak_beside_peers_has_ten_seconds() -> None:
    shared = floor("Mia", "Alice")
    assert shared.candidates(["Alice", "Bob"], "Bob", 109.9) == ()
    assert shared.candidates(["Alice", "Bob"], "Bob", 110.0) == ("Alice",)


def test_peers_among_themselves_go_on_at_once() -> None:
    assert floor("Alice", "Bob").candidates(["Alice", "Bob"], "Mia", 100.0) == ("Alice", "Bob")


def test_a_keystroke_begins_the_waiting_anew() -> None:
    typing = floor("Mia").touch(150.0)
    assert typing.candidates(["Alice"], "Bob", 209.9) == ()
    assert typing.candidates(["Alice"], "Bob", 210.0) == ("Alice",)


def test_time_does_not_run_back() -> None:
    with pytest.raises(LessonError, match="do not run back"):
        floor("Mia").touch(99.0)


def test_the_stages_follow_one_another_in_one_line() -> None:
    way = [FIRST]
    while way[-1] != SOLVED:
        way.append(STAGES[way[-1]].then)
    assert tuple(way) == ORDER
    assert len(way) == 6
    assert [stage.name for stage in STAGES.values() if stage.most is not None] == ["understand", "organise"]


def test_no_act_belongs_to_two_stages() -> None:
    acts = [act for stage in STAGES.values() for act in stage.acts]
    assert len(acts) == len(set(acts)) == 22
