"""A run of learners and tutors as tidy tables, and as the one document that is printed of it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pandas as pd

from eduverse_mesa.decisions import STATUSES
from eduverse_mesa.measures.learners import answer_kinds, concept_alignment, coverage, leak_rate
from eduverse_mesa.measures.tables import plain
from eduverse_mesa.models.tutoring.journal import AnswerRow, ConceptRow, EpisodeRow, LineRow
from eduverse_mesa.runs.tables import bill_document
from eduverse_mesa.runs.tutoring.play import Tutored


class TaughtTables(NamedTuple):
    """The tables that the measures of `eduverse_mesa.measures.learners` read."""

    lines: pd.DataFrame
    episodes: pd.DataFrame
    tests: pd.DataFrame
    concepts: pd.DataFrame


def taught_tables(played: Tutored) -> TaughtTables:
    """The tables of a run as far as it was played."""
    journal = played.model.journal
    return TaughtTables(
        pd.DataFrame(journal.lines, columns=LineRow._fields),
        pd.DataFrame(journal.episodes, columns=EpisodeRow._fields),
        pd.DataFrame(journal.tests, columns=AnswerRow._fields),
        pd.DataFrame(journal.concepts, columns=ConceptRow._fields),
    )


def taught_results(played: Tutored) -> dict[str, Any]:
    """The document of a run (docs/reference/json.md)."""
    made = taught_tables(played)
    counted = Counter(entry.answer.status for entry in played.answers())
    rows = coverage(made.concepts).to_dict("records") if len(made.concepts) else []
    return {
        "run": played.id,
        "seed": played.spec.seed,
        "sessions": sum(turn.last for turn in played.turns),
        "turns": len(played.turns),
        "complete": played.complete,
        "learners": [{"learner": learner.name, "episodes": learner.memory.lived} for learner in played.model.learners],
        "coverage": [plain(row) for row in rows],
        "alignment": _alignment(made.episodes),
        "leaks": plain(leak_rate(made.lines)),
        "kinds": _kinds(made.lines),
        "outcomes": {status: counted[status] for status in STATUSES},
        **({"models": bill_document(played.bill)} if played.bill is not None and played.bill.requests else {}),
    }


def _kinds(lines: pd.DataFrame) -> dict[str, float]:
    if lines.empty:
        return {}
    found = answer_kinds(lines)
    return {str(kind): float(share) for kind, share in zip(found["kind"], found["share"], strict=True)}


def _alignment(episodes: pd.DataFrame) -> float | None:
    accuracy: float | None = plain(concept_alignment(episodes).accuracy)
    return accuracy
