"""What is run and measured in experiments: courses, groups that solve a problem, learners and their tutors."""

from eduverse_mesa.experiments.subjects.shelf import SUBJECTS, subject_of
from eduverse_mesa.experiments.subjects.subject import Exchange, Subject

__all__ = ["SUBJECTS", "Exchange", "Subject", "subject_of"]
