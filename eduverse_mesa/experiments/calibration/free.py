"""Which parameters are fitted, and how far each may be expected to move.

Chosen for what the targets can tell about: how often each behaviour, feeling and level of thinking comes, what layouts
and lessons do to it, what carries over between sessions, and how teachers ask, call and follow up. What no target
speaks of stays as its source has it.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.parameters import Parameter, known_parameters

FREE = (
    # how often each behaviour comes
    *(
        f"plan.{behaviour}.base"
        for behaviour in (
            "sleep",
            "chat",
            "head_down",
            "note_taking",
            "hand_raise",
            "head_up",
            "read_aloud",
            "side_talk",
            "answer_question",
            "ask_question",
            "group_discussion",
        )
    ),
    # what the person, the lesson and the room do to it
    "plan.chat.motivation",
    "plan.chat.conscientiousness",
    "plan.chat.facing",
    "plan.chat.grouped",
    "plan.chat.interest",
    "plan.chat.teacher_far",
    "plan.side_talk.grouped",
    "plan.side_talk.facing",
    "plan.answer_question.facing",
    "plan.answer_question.extraversion",
    "plan.answer_question.confidence",
    "plan.answer_question.checked",
    "plan.answer_question.pressed",
    "plan.answer_question.habit",
    "plan.answer_question.interest",
    "plan.answer_question.demand",
    "plan.side_talk.habit",
    "plan.head_down.habit",
    "habit.rate",
    # feeling and thinking
    "emotion.confused_cut",
    "emotion.negative_cut",
    "emotion.interest",
    "emotion.demand",
    "emotion.grouped",
    "emotion.habit",
    "emotion.neuroticism",
    "emotion.openness",
    "cognition.first_cut",
    "cognition.demanded",
    "cognition.grouped",
    "cognition.discussion",
    "cognition.understanding",
    "cognition.openness",
    # the teacher
    "teach.asking_question.base",
    "teach.asking_question.ask",
    "teach.asking_question.grouped",
    "teach.asking_question.questioning",
    "teach.organising_discussion.base",
    "teach.giving_directions.grouped",
    "call.share",
    "call.turns",
    "call.hand_up",
    "floor.question",
    "floor.others",
    "floor.dominance",
    "press.reasoning",
    "press.relate",
    "feedback.answer",
    "feedback.off_task",
    "feedback.hand",
    "feedback.talk",
    "feedback.silent",
    "feedback.revoice",
    "feedback.nod",
    "feedback.evaluate",
    "feedback.evaluate_right",
    "feedback.take_up",
    "feedback.pass",
    "pace.extend_below",
    # words
    "words.checking",
    "speak.brief_accuracy",
    "speak.brief_reasoning",
    "speak.brief_lost",
    "speak.ask_when_lost",
    "speak.relate",
    "speak.evidence_reasoning",
    "speak.evidence_accuracy",
    "recall.partial",
)
_SHARE = 0.15
"""Standard deviation of the prior for a share, and for a rate by its range."""
_WEIGHT = 0.7
"""And for weights and bases of utilities, in logits."""


def free_parameters(globs: tuple[str, ...] = ()) -> dict[str, Parameter]:
    """The parameters to be fitted: the standard set, or those that match."""
    known = known_parameters()
    if not globs:
        return {name: known[name] for name in FREE}
    found = {name: part for name, part in known.items() if any(fnmatchcase(name, glob) for glob in globs)}
    if not found:
        raise EduverseError(
            f"no parameter matches {', '.join(globs)}.",
            where="free",
            mend="Names are in docs/reference/parameters.md; * stands for any part of one.",
        )
    return found


def prior_sd(parameter: Parameter) -> float:
    """How far a parameter may be expected to be from its value."""
    least, most = parameter.range
    return min(_WEIGHT, _SHARE * (most - least))
