"""All measures of a simulated run that fit into one small document."""

from __future__ import annotations

from typing import Any

import pandas as pd

from eduverse_mesa.measures.bec import class_shares
from eduverse_mesa.measures.equity import Point, gini_speaking_turns, gini_teacher_attention, participation_by_seat
from eduverse_mesa.measures.irf import irf_measures
from eduverse_mesa.measures.networks import centralities, network_measures, peer_graph
from eduverse_mesa.measures.tables import plain, texts


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
