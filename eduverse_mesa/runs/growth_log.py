"""The growth log: for each step and student one JSON line from perception to state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from eduverse_mesa.runs.play import PlayedLesson


def growth_log(run: str, lessons: Iterable[PlayedLesson]) -> Iterator[str]:
    """The lines of a run's growth log, lesson by lesson."""
    for lesson in lessons:
        for row in lesson.model.journal.students:
            entry: dict[str, Any] = {
                "run": run,
                "lesson": row.lesson,
                "step": row.step,
                "student": row.student,
                "perception": row.perceived.split(";") if row.perceived else [],
                "gate": {"called": row.called, "accepted_from": row.gate or None},
                "plan": row.plan,
                "words": row.words,
                "behaviour": row.behaviour or None,
                "emotion": row.emotion or None,
                "cognition": row.cognition or None,
                "monitoring": row.monitoring,
                "feedback": row.feedback or None,
                "regulation": {"sentence": row.regulation, "strategy": row.strategy or None},
                "state": {
                    "attention": row.attention,
                    "confidence": row.confidence,
                    "affect": row.affect,
                    "fatigue": row.fatigue,
                    "rapport": row.rapport,
                    "understanding": row.understanding,
                },
            }
            yield msgspec.json.encode(entry).decode()
