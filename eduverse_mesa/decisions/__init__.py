"""Decisions that agents are asked to make: a small typed pair (decision, outcome) for each, without logic, and the bill
of the models that answer."""

from eduverse_mesa.decisions.bill import Bill
from eduverse_mesa.decisions.groups import Chat, Intend, Invite, Revise, SeeStage, Understand, Utter
from eduverse_mesa.decisions.hearing import Before, Candidate, Hear, Meant
from eduverse_mesa.decisions.seam import STATUSES, Answer, Decision, Outcome, Round, Rounds, Status, Usage
from eduverse_mesa.decisions.student import (
    Draft,
    Drafted,
    Monitor,
    Monitored,
    Plan,
    Planned,
    React,
    Reacted,
    Regulate,
    Regulated,
    ScoreRequest,
    Scores,
    Style,
    Styled,
    Summarise,
    Summarised,
)
from eduverse_mesa.decisions.teacher import (
    Evaluate,
    Evaluated,
    Evaluation,
    FedBack,
    FeedbackItem,
    GiveFeedback,
    Pace,
    Paced,
    PlannedPhase,
    Prepare,
    Prepared,
    TakeTurn,
    Turned,
    WordFeedback,
    WordTurn,
)
from eduverse_mesa.decisions.tutoring import (
    Consolidate,
    Judge,
    LabelTraits,
    PickUnit,
    Reflect,
    Reply,
    Teach,
)
from eduverse_mesa.decisions.views import (
    ClassView,
    Focus,
    Heard,
    Line,
    Lived,
    Mind,
    Neighbour,
    Position,
    Pupil,
    Recall,
    Received,
    Regulation,
    Remembered,
    Request,
    Said,
    Scene,
    Spoken,
    StudentView,
    TeacherView,
)
from eduverse_mesa.vocabulary import STRATEGIES

LESSON: dict[str, type[Decision]] = {
    decision.kind: decision
    for decision in (
        Prepare,
        TakeTurn,
        ScoreRequest,
        Plan,
        React,
        Draft,
        Style,
        Monitor,
        GiveFeedback,
        Regulate,
        Pace,
        Summarise,
        Evaluate,
        WordTurn,
        WordFeedback,
    )
}
"""Decisions of a lesson, by name."""

TUTORING: dict[str, type[Decision]] = {
    decision.kind: decision for decision in (PickUnit, Teach, Reply, Consolidate, Reflect, Judge, LabelTraits)
}
"""Decisions of a tutoring, in which a learner is taught, by name."""

COLLABORATION: dict[str, type[Decision]] = {
    decision.kind: decision for decision in (Understand, SeeStage, Invite, Revise, Intend, Utter, Chat)
}
"""Decisions of a collaboration, in which a problem is solved together, by name."""

HEARING: dict[str, type[Decision]] = {Hear.kind: Hear}
"""The decision what somebody meant, by name: it is asked in runs of every kind."""

DECISIONS = LESSON | TUTORING | COLLABORATION | HEARING
"""Every kind of decision by its name, as it stands in the answer log."""

__all__ = [
    "COLLABORATION",
    "DECISIONS",
    "HEARING",
    "LESSON",
    "STATUSES",
    "STRATEGIES",
    "TUTORING",
    "Answer",
    "Before",
    "Bill",
    "Candidate",
    "Chat",
    "ClassView",
    "Consolidate",
    "Decision",
    "Draft",
    "Drafted",
    "Evaluate",
    "Evaluated",
    "Evaluation",
    "FedBack",
    "FeedbackItem",
    "Focus",
    "GiveFeedback",
    "Hear",
    "Heard",
    "Intend",
    "Invite",
    "Judge",
    "LabelTraits",
    "Line",
    "Lived",
    "Meant",
    "Mind",
    "Monitor",
    "Monitored",
    "Neighbour",
    "Outcome",
    "Pace",
    "Paced",
    "PickUnit",
    "Plan",
    "Planned",
    "PlannedPhase",
    "Position",
    "Prepare",
    "Prepared",
    "Pupil",
    "React",
    "Reacted",
    "Recall",
    "Received",
    "Reflect",
    "Regulate",
    "Regulated",
    "Regulation",
    "Remembered",
    "Reply",
    "Request",
    "Revise",
    "Round",
    "Rounds",
    "Said",
    "Scene",
    "ScoreRequest",
    "Scores",
    "SeeStage",
    "Spoken",
    "Status",
    "StudentView",
    "Style",
    "Styled",
    "Summarise",
    "Summarised",
    "TakeTurn",
    "Teach",
    "TeacherView",
    "Turned",
    "Understand",
    "Usage",
    "Utter",
    "WordFeedback",
    "WordTurn",
]
