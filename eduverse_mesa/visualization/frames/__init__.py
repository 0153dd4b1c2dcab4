"""One step of a lesson as it is seen: plain data, which a drawing, a page or a file can use without the model."""

from eduverse_mesa.visualization.frames.frame import (
    ArenaPlan,
    Exchange,
    Feedback,
    Frame,
    Piece,
    Rejection,
    SeatPlan,
    Sentence,
    Stage,
    StudentFrame,
    TeacherFrame,
    Trouble,
    stage,
)
from eduverse_mesa.visualization.frames.lesson import FrameError, frame, last_step, moment, seen_by, stage_seen_by

__all__ = [
    "ArenaPlan",
    "Exchange",
    "Feedback",
    "Frame",
    "FrameError",
    "Piece",
    "Rejection",
    "SeatPlan",
    "Sentence",
    "Stage",
    "StudentFrame",
    "TeacherFrame",
    "Trouble",
    "frame",
    "last_step",
    "moment",
    "seen_by",
    "stage",
    "stage_seen_by",
]
