"""Where it stays: the study database. The SQL engine is loaded when a study is opened, not before."""

from eduverse_mesa.store.rows import (
    AccountRow,
    AnswerRow,
    AssignmentRow,
    GroupRow,
    HeadlineRow,
    LessonRow,
    MemoryRow,
    MessageRow,
    ParticipantRow,
    PlayedStep,
    Role,
    RunKind,
    RunRow,
    RunStatus,
    SittingRow,
    SummaryRow,
    TalkRow,
)
from eduverse_mesa.store.study import Study

__all__ = [
    "AccountRow",
    "AnswerRow",
    "AssignmentRow",
    "GroupRow",
    "HeadlineRow",
    "LessonRow",
    "MemoryRow",
    "MessageRow",
    "ParticipantRow",
    "PlayedStep",
    "Role",
    "RunKind",
    "RunRow",
    "RunStatus",
    "SittingRow",
    "Study",
    "SummaryRow",
    "TalkRow",
]
