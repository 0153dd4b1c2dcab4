"""Who did what: one row a student, for the text and the page."""

from __future__ import annotations

import pandas as pd

from eduverse_mesa.measures import bec_shares
from eduverse_mesa.measures.equity import speaking_turns


def who_did_what(student_steps: pd.DataFrame, sentences: pd.DataFrame) -> pd.DataFrame:
    """Of each student: the shares of its states, turns before the class, calls by the teacher, and feedback."""
    made = bec_shares(student_steps, ["student"]).set_index("student")
    made["spoke"] = pd.Series(speaking_turns(sentences, list(made.index)))
    by_student = student_steps.groupby("student", sort=False)
    made["called"] = by_student["called"].sum()
    made["feedback"] = by_student["feedback"].agg(lambda given: (given != "").sum())
    return made.reset_index()
