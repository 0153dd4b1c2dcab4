"""What closes a stage, whatever the monitor says: its answer is bounded by these laws (MathVC, section 1)."""

from __future__ import annotations

from eduverse_mesa.models.collaboration.record import Record
from eduverse_mesa.models.collaboration.stages import EXECUTE, STAGES, VALIDATE


def may_close(stage: str, record: Record) -> bool:
    """Whether what a stage is for has been said: the answer before it is validated, everyone's consent at the end."""
    if stage == EXECUTE:
        return record.final_said()
    if stage == VALIDATE:
        return (
            record.final_said()
            and not record.disputed()
            and set(record.members) <= set(record.agreed)
            and {one.id for one in record.sheet.options} <= set(record.options)
        )
    return True


def closes(stage: str, turns: int, finished: bool, record: Record) -> bool:
    """Whether a stage closes after so many messages in it, where the monitor holds it to be finished or not."""
    law = STAGES[stage]
    if law.most is not None and turns >= law.most:
        return True
    return finished and turns >= law.least and may_close(stage, record)
