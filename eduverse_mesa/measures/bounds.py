"""What a measure can be at all: an interval of its mean holds nothing else."""

from __future__ import annotations

import math

from eduverse_mesa.measures.bec import BEC_COLUMNS
from eduverse_mesa.measures.intervals import SHARE, UNBOUNDED, Bounds

COUNT: Bounds = (0.0, math.inf)

_WHOLE_GROUPS = {"bec": SHARE, "irf": SHARE, "equity": SHARE, "outcomes": COUNT}
"""Groups of a run's document in which all are of one kind."""

_BY_NAME = {
    **dict.fromkeys(BEC_COLUMNS, SHARE),
    **dict.fromkeys(("density", "in", "out", "betweenness"), SHARE),
    **dict.fromkeys(("attention", "confidence", "understanding"), SHARE),
    **dict.fromkeys(("share", "prefix_hits"), SHARE),
    **dict.fromkeys(("steps", "nodes", "edges", "average_degree", "degree"), COUNT),
    **dict.fromkeys(("wishes", "gave_way", "calls", "tokens_in", "tokens_out", "cost_usd", "count"), COUNT),
    "affect": (-1.0, 1.0),
}


def bounds_of(measure: str) -> Bounds:
    """The least and the most of a measure by its dotted name, such as `bec.b_active` or `student.Li Wei.affect`."""
    whole = _WHOLE_GROUPS.get(measure.partition(".")[0])
    return _BY_NAME.get(measure.rpartition(".")[2], UNBOUNDED) if whole is None else whole
