"""Learners and their tutors, one to one, over months and years (SimLearner)."""

from eduverse_mesa.models.tutoring.agenda import Exam, Question, Session, Talk
from eduverse_mesa.models.tutoring.model import TutoringModel

__all__ = ["Exam", "Question", "Session", "Talk", "TutoringModel"]
