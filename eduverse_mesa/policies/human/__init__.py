"""People in a lesson: a seat with a person in it is asked what its agent would be asked."""

from eduverse_mesa.policies.human.policy import HumanPolicy
from eduverse_mesa.policies.human.questions import (
    Act,
    Feedback,
    FeedbackWords,
    Pacing,
    Question,
    Reply,
    ReplyError,
    Requests,
    Turn,
)
from eduverse_mesa.policies.human.seat import LiveSeat, Role

__all__ = [
    "Act",
    "Feedback",
    "FeedbackWords",
    "HumanPolicy",
    "LiveSeat",
    "Pacing",
    "Question",
    "Reply",
    "ReplyError",
    "Requests",
    "Role",
    "Turn",
]
