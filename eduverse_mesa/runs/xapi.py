"""A run as Experience API (xAPI 1.0.3) statements, for a learning record store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom.journal import StudentRow
    from eduverse_mesa.runs.play import PlayedLesson

# Identifiers need no server behind them; .invalid never has one (RFC 2606), and verbs are ADL's own.
_HOME = "https://eduverse-mesa.invalid"
_ADL = "http://adlnet.gov/expapi/verbs"
_VERBS = {
    "stand_answer": (f"{_ADL}/answered", "answered"),
    "answer_question": (f"{_ADL}/answered", "answered"),
    "ask_question": (f"{_ADL}/asked", "asked"),
    "side_talk": (f"{_ADL}/interacted", "interacted"),
    "group_discussion": (f"{_ADL}/interacted", "interacted"),
    "chat": (f"{_HOME}/verbs/chatted", "chatted"),
    "refuse_reply": (f"{_HOME}/verbs/declined", "declined"),
    "sleep": (f"{_HOME}/verbs/slept", "slept"),
}
_ATTENDED = (f"{_ADL}/attended", "attended")
_QUALITY = {"right": True, "wrong": False}


def statements(run: str, lessons: Iterable[PlayedLesson]) -> Iterator[dict[str, Any]]:
    """One statement for each student and step, in order. A failed decision makes none."""
    for lesson in lessons:
        for row in lesson.model.journal.students:
            if row.behaviour:
                yield _statement(run, lesson.model.lesson.title or row.lesson, row)


def _statement(run: str, title: str, row: StudentRow) -> dict[str, Any]:
    verb, shown = _VERBS.get(row.behaviour, _ATTENDED)
    key = f"{run}/{row.lesson}/{row.step}/{row.student}"
    result: dict[str, Any] = {"extensions": {f"{_HOME}/understanding": row.understanding}}
    if row.words:
        result["response"] = row.words
    if row.quality in _QUALITY:
        result["success"] = _QUALITY[row.quality]
    return {
        # The same run has the same statements: their ids come from their place, not from a clock or chance.
        "id": str(UUID(bytes=blake2b(key.encode(), digest_size=16).digest(), version=4)),
        "actor": {"objectType": "Agent", "name": row.student, "account": {"homePage": _HOME, "name": row.student}},
        "verb": {"id": verb, "display": {"en": shown}},
        "object": {
            "objectType": "Activity",
            "id": f"{_HOME}/lessons/{row.lesson}",
            "definition": {"name": {"und": title}, "type": "http://adlnet.gov/expapi/activities/lesson"},
        },
        "result": result,
        "context": {
            "registration": str(UUID(bytes=blake2b(run.encode(), digest_size=16).digest(), version=4)),
            "extensions": {
                f"{_HOME}/step": row.step,
                f"{_HOME}/behaviour": row.behaviour,
                f"{_HOME}/emotion": row.emotion,
                f"{_HOME}/cognition": row.cognition,
            },
        },
    }
