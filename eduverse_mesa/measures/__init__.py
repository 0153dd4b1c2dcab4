"""Measures: pure functions over tidy tables, the same for simulated and for real lessons."""

from __future__ import annotations

from typing import Any

import pandas as pd

from eduverse_mesa.measures.bec import bec_shares, class_shares, student_stability
from eduverse_mesa.measures.equity import (
    Point,
    gini,
    gini_speaking_turns,
    gini_teacher_attention,
    participation,
    participation_by_seat,
    seat_zones,
)
from eduverse_mesa.measures.evolution import class_means, evolution, gain, student_gains
from eduverse_mesa.measures.irf import (
    feedback_share,
    initiation_rate,
    irf_by_step,
    irf_measures,
    irf_rate,
    irf_rates,
    response_share,
)
from eduverse_mesa.measures.language import LANGUAGES, Language, detect_language
from eduverse_mesa.measures.networks import centralities, density, mean_degree, network_measures, networks, peer_graph
from eduverse_mesa.measures.reference import REAL_CLASS_MEASURES, beside_reference, load_reference, measure_lessons
from eduverse_mesa.measures.tables import plain, texts
from eduverse_mesa.measures.transcripts import read_transcript, read_transcripts
from eduverse_mesa.measures.turns import Lesson, Turn, floor_of, lesson_of, turns_of

__all__ = [
    "LANGUAGES",
    "REAL_CLASS_MEASURES",
    "Language",
    "Lesson",
    "Turn",
    "bec_shares",
    "beside_reference",
    "centralities",
    "class_means",
    "class_shares",
    "density",
    "detect_language",
    "evolution",
    "feedback_share",
    "floor_of",
    "gain",
    "gini",
    "gini_speaking_turns",
    "gini_teacher_attention",
    "initiation_rate",
    "irf_by_step",
    "irf_measures",
    "irf_rate",
    "irf_rates",
    "lesson_of",
    "load_reference",
    "mean_degree",
    "measure_lessons",
    "measure_run",
    "networks",
    "participation",
    "participation_by_seat",
    "peer_graph",
    "read_transcript",
    "read_transcripts",
    "response_share",
    "seat_zones",
    "student_gains",
    "student_stability",
    "turns_of",
]


def measure_run(
    student_steps: pd.DataFrame,
    teacher_steps: pd.DataFrame,
    requests: pd.DataFrame,
    sentences: pd.DataFrame,
    board: Point | None = None,
) -> dict[str, Any]:
    """The measures of a run as plain JSON: bec, irf, network, equity; what could not be measured is None.

    Give the tables of one lesson, or of several to measure them as one. Participation by seat needs the place of the
    board.
    """
    students = list(dict.fromkeys(texts(student_steps, "student")))
    graph = peer_graph(requests)
    equity: dict[str, Any] = {
        "gini_speaking_turns": gini_speaking_turns(sentences, students),
        "gini_teacher_attention": gini_teacher_attention(student_steps),
        "participation_by_seat": None if board is None else participation_by_seat(student_steps, board, teacher_steps),
    }
    measured: dict[str, Any] = plain(
        {
            "bec": class_shares(student_steps),
            "irf": irf_measures(student_steps, teacher_steps),
            "network": {**network_measures(graph), "students": centralities(graph).to_dict(orient="records")},
            "equity": equity,
        }
    )
    return measured
