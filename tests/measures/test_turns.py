from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import floor_of, lesson_of, turns_of
from tests.measures.tables import transcript

sentences: st.SearchStrategy[list[dict]] = st.lists(
    st.builds(
        dict,
        role=st.sampled_from("TS"),
        speaker=st.sampled_from(["S", "Ana", "Bo"]),
        text=st.text(max_size=12),
        move=st.sampled_from(["", "none"]),
        turn=st.integers(1, 3),
    )
)


@given(sentences)
def test_turns_partition_the_sentences(rows):
    table = pd.DataFrame(rows, columns=["role", "speaker", "text", "move", "turn"])
    turns = turns_of(table)
    assert [said.text for turn in turns for said in turn.sentences] == table["text"].tolist()
    assert all(said.role == turn.role for turn in turns for said in turn.sentences)
    assert all(one.role != other.role for one, other in pairwise(turns))


@given(sentences)
def test_the_floor_passes_at_least_as_often_as_the_turn(rows):
    table = pd.DataFrame(rows, columns=["role", "speaker", "text", "move", "turn"])
    assert len(floor_of(table)) >= len(turns_of(table))


def test_the_transcribers_numbers_part_only_the_nameless():
    table = transcript("T: Go.\nT: On.\nS: One.\nS: Two.\nS:Ana: Three.\nS:Ana: Four.\nS:Bo: Five.")
    table["turn"] = [1, 2, 2, 3, 4, 5, 6]
    assert len(turns_of(table)) == 2
    assert [holder.speaker for holder in floor_of(table)] == ["", "S", "S", "Ana", "Bo"]
    assert [holder.speaker for holder in floor_of(table.drop(columns="turn"))] == ["", "S", "Ana", "Bo"]


def test_only_what_the_whole_class_hears_is_talk_of_the_class():
    table = transcript("T: Go.\nS:Ana: Psst.\nS:Bo: Four.").assign(channel=["class", "peer", "class"])
    assert [turn.text for turn in turns_of(table)] == ["Go.", "Four."]


def test_one_lesson_at_a_time():
    with pytest.raises(TableError, match=r"one, two.*measure_lessons"):
        lesson_of(pd.concat([transcript("T: Go."), transcript("T: Go.", lesson="two")]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "X"}, "'role' holds 'X'"),
        ({"move": "claim"}, r"sentences of T.*'claim'"),
        ({"move": "shout"}, "shout"),
    ],
)
def test_unknown_roles_and_moves_are_errors(change, message):
    with pytest.raises(TableError, match=message):
        turns_of(transcript("T: Go.").assign(**change))


def test_a_lesson_is_coded_when_nearly_all_of_it_is():
    lines = ["T none: Go."] * 4
    assert lesson_of(transcript("\n".join([*lines, "T: Go."]))).coded_roles == {"T"}
    assert lesson_of(transcript("\n".join([*lines, "T: Go.", "T: Go."]))).coded_roles == frozenset()
