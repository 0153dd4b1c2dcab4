"""Learners and their tutors, one to one, over months and years (SimLearner)."""

from eduverse_mesa.models.tutoring.model import TutoringModel
from eduverse_mesa.models.tutoring.sessions import Exam, Pause, Question, Saved, Session, Talk, read_saved, write_saved

__all__ = ["Exam", "Pause", "Question", "Saved", "Session", "Talk", "TutoringModel", "read_saved", "write_saved"]
