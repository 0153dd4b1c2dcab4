"""Runs of learners and their tutors: play, record, resume, replay, take learners out of them, export."""

from eduverse_mesa.runs.tutoring.play import Tutored, TutoringSpec, play_tutoring
from eduverse_mesa.runs.tutoring.studies import (
    StoredTutoring,
    TutoringStart,
    begin_tutoring,
    choose_tutoring,
    enter_and_play,
    keep_tutoring,
    learners_after,
    record_tutoring,
    replay_tutoring,
    resume_tutoring,
)

__all__ = [
    "StoredTutoring",
    "Tutored",
    "TutoringSpec",
    "TutoringStart",
    "begin_tutoring",
    "choose_tutoring",
    "enter_and_play",
    "keep_tutoring",
    "learners_after",
    "play_tutoring",
    "record_tutoring",
    "replay_tutoring",
    "resume_tutoring",
]
