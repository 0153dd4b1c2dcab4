"""Learners and their tutors, one to one, over months and years (SimLearner)."""

from eduverse_mesa.models.tutoring.agenda import Exam, Pause, Question, Session, Talk
from eduverse_mesa.models.tutoring.model import TutoringModel
from eduverse_mesa.models.tutoring.saving import Saved, read_saved, write_saved

__all__ = ["Exam", "Pause", "Question", "Saved", "Session", "Talk", "TutoringModel", "read_saved", "write_saved"]
