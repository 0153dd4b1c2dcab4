"""Where it stays: the study database. The SQL engine is loaded when a study is opened, not before."""

from eduverse_mesa.store.rows import (
    AnswerRow,
    HeadlineRow,
    LessonRow,
    MemoryRow,
    ParticipantRow,
    PlayedStep,
    Role,
    RunKind,
    RunRow,
    RunStatus,
    SittingRow,
    SummaryRow,
)
from eduverse_mesa.store.study import Study

__all__ = [
    "AnswerRow",
    "HeadlineRow",
    "LessonRow",
    "MemoryRow",
    "ParticipantRow",
    "PlayedStep",
    "Role",
    "RunKind",
    "RunRow",
    "RunStatus",
    "SittingRow",
    "Study",
    "SummaryRow",
]
