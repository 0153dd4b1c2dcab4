from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import bec_shares, class_shares, student_stability
from eduverse_mesa.measures.codes import LEVEL_NAMES, LEVELS
from tests.measures.tables import student_steps

states = st.lists(
    st.tuples(*(st.sampled_from([*levels, ""]) for levels in LEVELS.values()), st.sampled_from(["Ana", "Bo", "Cy"])),
    min_size=1,
)


def test_shares_by_hand():
    table = student_steps(
        {"step": 0, "student": "Ana", "behaviour": "chat", "emotion": "negative", "cognition": "create"},
        {"step": 0, "student": "Bo", "behaviour": "head_down", "emotion": "confused"},
        {"step": 1, "student": "Ana", "behaviour": "read_aloud"},
        {"step": 1, "student": "Bo", "behaviour": "side_talk"},
    )
    assert class_shares(table) == {
        "b_active": 0.25,
        "b_passive": 0.25,
        "b_interactive": 0.25,
        "b_offtask": 0.25,
        "e_positive": 0.5,
        "e_confused": 0.25,
        "e_negative": 0.25,
        "c_low": 0.75,
        "c_high": 0.25,
    }
    by_student = bec_shares(table, ["student"]).set_index("student")
    assert by_student.loc["Ana", "b_offtask"] == 0.5
    assert by_student.loc["Bo", "c_high"] == 0.0


def test_failed_decisions_are_left_out():
    table = student_steps(
        {"step": 0, "student": "Ana", "behaviour": "sleep"}, {"step": 1, "student": "Ana", "behaviour": ""}
    )
    assert class_shares(table)["b_offtask"] == 1.0


def test_without_a_step_nothing_is_measured():
    table = student_steps({"step": 0, "student": "Ana"}).iloc[:0]
    assert all(math.isnan(value) for value in class_shares(table).values())


@given(states)
def test_shares_of_each_dimension_sum_to_one(rows):
    table = student_steps(
        *({"step": 0, "behaviour": b, "emotion": e, "cognition": c, "student": who} for b, e, c, who in rows)
    )
    shares = class_shares(table)
    for (dimension, names), letter in zip(LEVEL_NAMES.items(), "bec", strict=True):
        total = sum(shares[f"{letter}_{name}"] for name in names)
        if (table[dimension] == "").all():
            assert math.isnan(total)
        else:
            assert total == pytest.approx(1)


@given(states)
def test_names_and_order_do_not_matter(rows):
    table = student_steps(
        *({"step": 0, "behaviour": b, "emotion": e, "cognition": c, "student": who} for b, e, c, who in rows)
    )
    renamed = table.assign(student=table["student"].map({"Ana": "Di", "Bo": "Ed", "Cy": "Flo"})).iloc[::-1]
    assert class_shares(renamed) == pytest.approx(class_shares(table), nan_ok=True)


def test_an_unknown_code_is_an_error_that_names_it():
    table = student_steps({"step": 0, "student": "Ana", "behaviour": "dancing"})
    with pytest.raises(TableError, match=r"'behaviour' holds 'dancing'.*head_up"):
        class_shares(table)


def test_a_missing_column_is_an_error_that_names_it():
    with pytest.raises(TableError, match="no column 'emotion'"):
        class_shares(pd.DataFrame({"behaviour": ["chat"], "cognition": ["apply"]}))


def test_a_student_like_itself_is_stable():
    rows = [
        {"lesson": lesson, "step": step, "student": student, "behaviour": behaviour}
        for lesson in ("one", "two")
        for student, behaviours in (("Ana", ("chat", "sleep")), ("Bo", ("side_talk", "head_up")))
        for step, behaviour in enumerate(behaviours)
    ]
    stability = student_stability(student_steps(*rows)).set_index("student")
    assert stability.loc["Ana", "b"] == 1.0
    assert stability.loc["Ana", "b_others"] == 0.0
    assert stability.loc["Bo", "e_others"] == 1.0


def test_one_lesson_tells_nothing_of_stability():
    assert student_stability(student_steps({"step": 0, "student": "Ana"}))["b"].isna().all()
