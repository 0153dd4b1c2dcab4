from __future__ import annotations

import json

from eduverse_mesa.measures import measure_run
from tests.measures.tables import requests, student_steps, teacher_steps, transcript


def run_tables():
    students = student_steps(
        {"step": 0, "student": "Ana", "behaviour": "stand_answer", "addressee": "teacher", "feedback": "positive"},
        {"step": 0, "student": "Bo", "y": 8.0},
    )
    talk = transcript("T: Who knows?\nS:Ana: Me.").assign(channel="class")
    return students, teacher_steps({"act": "asking_question"}), requests(("Ana", "Bo")), talk


def test_a_run_is_one_small_document():
    students, teacher, asked, talk = run_tables()
    measured = measure_run(students, teacher, asked, talk, board=(0.0, 0.0))
    assert json.loads(json.dumps(measured, allow_nan=False)) == measured
    assert list(measured) == ["bec", "irf", "network", "equity"]
    assert measured["irf"] == {"i": 1.0, "r": 0.5, "f": 0.5, "irf": 1.0}
    assert measured["network"]["density"] == 1.0
    assert [row["student"] for row in measured["network"]["students"]] == ["Ana", "Bo"]
    assert measured["equity"]["gini_speaking_turns"] == 0.5  # Bo is silent, and counts
    assert measured["equity"]["participation_by_seat"]["front"] == 1.0


def test_what_cannot_be_measured_is_none():
    students, teacher, asked, talk = (table.iloc[:0] for table in run_tables())
    measured = measure_run(students, teacher, asked, talk)
    assert set(measured["bec"].values()) == {None}
    assert set(measured["irf"].values()) == {None}
    assert measured["network"] == {"nodes": 0, "edges": 0, "density": None, "average_degree": None, "students": []}
    assert set(measured["equity"].values()) == {None}
