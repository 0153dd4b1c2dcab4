from __future__ import annotations

import math

import pandas as pd
import pytest

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import feedback_share, initiation_rate, irf_rate, irf_rates, response_share
from tests.measures.tables import student_steps, teacher_steps

TO_TEACHER = {"behaviour": "answer_question", "addressee": "teacher"}


def steps_of(*steps: list[dict]) -> pd.DataFrame:
    """For each step, what its students do."""
    return student_steps(
        *(
            {"step": step, "student": f"s{place}", **row}
            for step, rows in enumerate(steps)
            for place, row in enumerate(rows)
        )
    )


def test_rates_by_hand():
    teacher = teacher_steps(
        {"act": "asking_question"},  # answered and followed: complete
        {"act": "asking_question"},  # answered, no feedback
        {"act": "lecturing", "called": "s0"},  # a named call is an initiation of the exchange, not of the act
        {"act": "lecturing"},
    )
    students = steps_of(
        [{**TO_TEACHER, "feedback": "positive"}, {}],
        [TO_TEACHER, TO_TEACHER],
        [{"behaviour": "stand_answer", "addressee": "teacher", "feedback": "neutral"}, {}],
        [{}, {"feedback": "negative"}],
    )
    assert initiation_rate(teacher) == 0.5
    assert response_share(students, teacher) == pytest.approx((0.5 + 1 + 0.5 + 0) / 4)
    assert feedback_share(students) == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)
    assert irf_rate(students, teacher) == 0.5


@pytest.mark.parametrize(
    ("behaviour", "addressee", "act", "responds"),
    [
        ("hand_raise", "teacher", "lecturing", True),
        ("read_aloud", "class", "lecturing", True),
        ("answer_question", "Bo", "asking_question", False),
        ("group_discussion", "group", "organising_discussion", True),
        ("group_discussion", "group", "asking_question", False),
        ("ask_question", "teacher", "asking_question", False),
        ("head_up", "teacher", "asking_question", False),
    ],
)
def test_what_counts_as_a_response(behaviour, addressee, act, responds):
    students = steps_of([{"behaviour": behaviour, "addressee": addressee}])
    assert response_share(students, teacher_steps({"act": act})) == float(responds)


@pytest.mark.parametrize(
    "initiation",
    [{"act": "organising_discussion"}, {"called": "Ana;Bo"}, {"took_up": True}, {"act": "asking_question"}],
)
def test_every_kind_of_initiation_makes_an_exchange(initiation):
    students = steps_of([{**TO_TEACHER, "feedback": "positive"}])
    assert irf_rate(students, teacher_steps(initiation)) == 1.0
    assert irf_rate(students, teacher_steps({})) == 0.0


def test_the_exchange_may_be_more_frequent_than_its_questions():
    students = steps_of([{**TO_TEACHER, "feedback": "positive"}])
    teacher = teacher_steps({"took_up": True})
    assert irf_rate(students, teacher) > initiation_rate(teacher)


def test_a_failed_decision_is_no_student_who_does_not_respond():
    assert response_share(steps_of([TO_TEACHER, {"behaviour": ""}]), teacher_steps({})) == 1.0


def test_steps_of_two_lessons_are_kept_apart():
    one, two = teacher_steps({"act": "asking_question"}), teacher_steps({}).assign(lesson="two")
    students = steps_of([TO_TEACHER])
    table = irf_rates(
        pd.concat([students, students.assign(lesson="two", behaviour="sleep")]), pd.concat([one, two])
    ).set_index("lesson")
    assert table["i"].to_dict() == {"one": 1.0, "two": 0.0}
    assert table["r"].to_dict() == {"one": 1.0, "two": 0.0}
    assert table["steps"].to_dict() == {"one": 1, "two": 1}


def test_no_steps_are_no_rate():
    assert math.isnan(initiation_rate(teacher_steps({}).iloc[:0]))


def test_unknown_feedback_is_an_error():
    with pytest.raises(TableError, match="great"):
        feedback_share(steps_of([{"feedback": "great"}]))
