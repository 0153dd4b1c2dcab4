"""Names in what was said: told apart from other words in each script."""

from __future__ import annotations

import pytest

from eduverse_mesa.runs.groups.tables import rename


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("要不小明来算一步有多长？", "要不P来算一步有多长？"),
        ("我是小明", "我是P"),
        ("小明，你看看好吗？小明做", "P，你看看好吗？P做"),
        ("me and 小明 divide", "me and P divide"),
    ],
)
def test_a_name_in_chinese_needs_no_space(said: str, told: str) -> None:
    assert rename(said, {"小明": "P"}) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Al, ask Alice, also pAl and Al's 3", "P, ask Alice, also pAl and P's 3"),
        ("AL! al? Al_2 Al2 Ål", "P! P? Al_2 Al2 Ål"),
        ("我是Al呢", "我是P呢"),
    ],
)
def test_a_name_with_letters_is_no_part_of_a_word(said: str, told: str) -> None:
    assert rename(said, {"Al": "P"}) == told


def test_of_two_names_the_longer_one_counts_and_each_is_changed_once() -> None:
    names = {"Bob": "Ann", "Bob 2": "student 1", "Ann": "Bob", "a.b": r"\1"}
    assert rename("bob  2, Bob, Bob 23, ann, axb, A.B", names) == r"student 1, Ann, Ann 23, Bob, axb, \1"
    assert rename("Bob", {}) == "Bob"


def test_letters_that_grow_when_they_are_folded_leave_no_name() -> None:
    assert rename("hi İnci and STRAßE", {"İnci": "P", "straße": "Q"}) == "hi P and Q"
