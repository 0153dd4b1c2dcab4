"""Measures over the tables of groups, by hand and over a dialogue that was played."""

from __future__ import annotations

import math
from collections.abc import Hashable

import pandas as pd
import pytest

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.groups import (
    act_variety,
    corrections,
    dialogue_numbers,
    dialogue_sizes,
    error_counts,
    messages_repeated,
    stage_turns,
    stages_in_order,
    talk_shares,
)
from eduverse_mesa.measures.language import count_words
from eduverse_mesa.models.groups.journal import ErrorRow, MessageRow
from eduverse_mesa.models.groups.record import STAGES
from tests.models.groups import group

SAID = pd.DataFrame(
    [
        (1, "plan", "Ann", "limited", "I would add", "state_plan"),
        (1, "plan", "Ben", "advanced", "No, divide it", "clarify_plan"),
        (1, "execute", "Ann", "limited", "It is three", "state_result"),
        (1, "execute", "Ann", "limited", "it is three!", "state_result"),
        (2, "execute", "Ben", "advanced", "Hello", "other"),
        (2, "plan", "Ann", "limited", "Three", "state_plan"),
    ],
    columns=["dialogue", "stage", "speaker", "role", "text", "act"],
)
ERRORS = pd.DataFrame(
    [
        (1, "introduced", "Ann", "Ann"),
        (1, "adopted", "Ben", "Ben"),
        (1, "noticed", "Ann", "Ben"),
        (1, "corrected", "Ann", "Ben"),
    ],
    columns=["dialogue", "event", "of", "by"],
)


def test_sizes_and_shares() -> None:
    sizes = dialogue_sizes(SAID)
    assert sizes.values.tolist() == [[1, 4, 12, 3.0, 2, 0.25], [2, 2, 2, 1.0, 2, 0.0]]
    shares = talk_shares(SAID)
    assert shares[["dialogue", "speaker", "messages", "share"]].values.tolist() == [
        [1, "Ann", 3, 0.75],
        [1, "Ben", 1, 0.25],
        [2, "Ben", 1, 0.5],
        [2, "Ann", 1, 0.5],
    ]


def test_words_of_chinese_are_counted_by_their_signs() -> None:
    said = SAID.head(1).assign(text="我们要找出每英尺有多少步。")
    assert dialogue_sizes(said)["words_per_message"].item() == count_words("我们要找出每英尺有多少步") > 5
    assert talk_shares(said)["words"].item() == count_words("我们要找出每英尺有多少步")


def test_stages_are_counted_and_have_an_order() -> None:
    assert stage_turns(SAID).values.tolist() == [
        [1, "plan", 2],
        [1, "execute", 2],
        [2, "execute", 1],
        [2, "plan", 1],
    ]
    assert stages_in_order(SAID, ("plan", "execute")).values.tolist() == [[1, 2, True], [2, 2, False]]


def test_acts_and_repetition() -> None:
    found = act_variety(SAID)
    assert found["acts"].tolist() == [3, 1]
    assert found["entropy"].tolist() == pytest.approx([1.5, 0.0])
    assert found["other"].tolist() == [0.0, 0.5]
    assert messages_repeated(SAID) == pytest.approx(1 / 6)


def test_errors_are_counted_for_dialogues_without_any_too() -> None:
    found = error_counts(ERRORS, pd.DataFrame({"dialogue": [1, 2]}))
    assert found.values.tolist() == [[1, 1, 1, 1, 1, 0, 1, "Ann"], [2, 0, 0, 0, 0, 0, 0, ""]]
    assert corrections(ERRORS).values.tolist() == [["Ann", "Ben", 1]]
    none = error_counts(ERRORS.iloc[:0], pd.DataFrame({"dialogue": [3]}))
    assert none.values.tolist() == [[3, 0, 0, 0, 0, 0, 0, ""]]


def test_all_numbers_of_a_dialogue_stand_in_one_row() -> None:
    third = pd.DataFrame([(3, "", "Ann", "limited", "Three", "other")], columns=SAID.columns)
    ends = pd.DataFrame({"dialogue": [1, 2, 3], "solved": [True, False, True], "right": [False, False, True]})
    found = dialogue_numbers(pd.concat([SAID, third]), ERRORS, ends, ("plan", "execute"))
    first, second, plain = found.to_dict("records")

    def of(row: dict[Hashable, float], *names: str) -> list[float]:
        return [row[name] for name in names]

    assert of(first, "turns", "words_per_message", "limited_share", "repeated") == [4, 3, 0.75, 0.25]
    assert of(first, "stages", "in_order", "limited_errs", "limited_errs_first") == [2, 1, 1, 1]
    assert of(first, "introduced", "adopted", "all_corrected", "solved", "right") == [1, 1, 0, 1, 0]
    assert of(second, "stages", "in_order", "limited_errs", "introduced") == [2, 0, 0, 0]
    assert math.isnan(second["all_corrected"]), "where nobody errs nothing is corrected"
    assert all(map(math.isnan, of(plain, "acts", "entropy", "stages", "in_order"))), "a plain chat has none of these"
    assert of(plain, "turns", "right") == [1, 1]


def test_a_group_that_never_agreed_has_no_right_answer_and_closed_no_last_stage() -> None:
    ends = pd.DataFrame({"dialogue": [1, 2], "solved": [False, False], "right": [True, True]})
    found = dialogue_numbers(SAID, ERRORS, ends, ("plan", "execute"))
    assert found["right"].tolist() == [0, 0]
    assert found["in_order"].tolist() == [0, 0]


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(TableError, match="speaker"):
        dialogue_sizes(SAID.drop(columns="speaker"))


def test_tables_of_a_dialogue_that_was_played() -> None:
    model = group(seed=2).run()
    messages = pd.DataFrame(model.journal.messages, columns=MessageRow._fields).assign(dialogue=1)
    errors = pd.DataFrame(model.journal.errors, columns=ErrorRow._fields).assign(dialogue=1)
    assert stages_in_order(messages, tuple(STAGES))["in_order"].tolist() == [True]
    assert dialogue_sizes(messages)["turns"].tolist() == [model.turn]
    counts = error_counts(errors, pd.DataFrame({"dialogue": [1]}))
    assert counts["first"].tolist() == ["Alice"]
    assert counts["open"].tolist() == [0]
    assert set(corrections(errors)["corrected_by"]) == {"Bob"}
    assert messages_repeated(messages) == 0
    assert math.isclose(float(act_variety(messages)["other"].iloc[0]), 0.0)
