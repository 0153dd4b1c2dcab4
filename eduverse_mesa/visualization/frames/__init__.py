"""One step of a lesson as it is seen: plain data, which a drawing, a page or a file can use without the model."""

from eduverse_mesa.visualization.frames.frame import (
    Exchange,
    Feedback,
    Frame,
    Rejection,
    Sentence,
    StudentFrame,
    TeacherFrame,
    Trouble,
)
from eduverse_mesa.visualization.frames.making import FrameError, frame, last_step
from eduverse_mesa.visualization.frames.moment import moment
from eduverse_mesa.visualization.frames.seen import seen_by, stage_seen_by
from eduverse_mesa.visualization.frames.stage import ArenaPlan, Piece, SeatPlan, Stage, stage

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
