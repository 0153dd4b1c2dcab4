"""What a measure can be at all: an interval of its mean holds nothing else."""

from __future__ import annotations

import math

from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.intervals import SHARE, UNBOUNDED, Bounds

COUNT: Bounds = (0.0, math.inf)

SIGNED: Bounds = (-1.0, 1.0)
SCORE: Bounds = (1.0, 10.0)
"""As judges give it."""

_WHOLE_GROUPS = {
    **dict.fromkeys(("bec", "irf", "equity", "evolution", "task"), SHARE),
    "outcomes": COUNT,
}
"""Groups of a run's document, and of the papers' tables, in which all are of one kind."""

_BY_NAME = {
    **dict.fromkeys(BEC_COLUMNS, SHARE),
    **dict.fromkeys(("density", "in", "out", "betweenness"), SHARE),
    **dict.fromkeys(("attention", "confidence", "understanding"), SHARE),
    **dict.fromkeys(("share", "prefix_hits"), SHARE),
    **dict.fromkeys(("steps", "nodes", "edges", "average_degree", "degree"), COUNT),
    **dict.fromkeys(("wishes", "gave_way", "calls", "tokens_in", "tokens_out", "cost_usd", "count"), COUNT),
    "affect": SIGNED,
    # Of learners with a tutor.
    **dict.fromkeys(("pre", "post", "delayed", "left_behind", "mastered"), SHARE),
    **dict.fromkeys(("leaks", "test_leaks", "leaks_in_tests", "told", "told_first"), SHARE),
    **dict.fromkeys(("gain", "delayed_gain", "normalised_gain"), SIGNED),
    **dict.fromkeys(("kept", "dialogues_to_mastery", "turns"), COUNT),
    # Of the papers' tables.
    **dict.fromkeys(("delta_b_pos", "delta_e_pos", "delta_c_pos", "delta_overall"), SIGNED),
    **dict.fromkeys(("recall", "precision", "f1", "alignment", "alignment_precision", "alignment_recall"), SHARE),
    **dict.fromkeys(("mastery", "mastery_of_expected", "familiar", "above", "kind"), SHARE),
    "coverage": COUNT,
    "score": SCORE,
}


def bounds_of(measure: str) -> Bounds:
    """The least and the most of a measure by its dotted name, such as `bec.b_active` or `student.Li Wei.affect`."""
    whole = _WHOLE_GROUPS.get(measure.partition(".")[0])
    return _BY_NAME.get(measure.rpartition(".")[2], UNBOUNDED) if whole is None else whole
