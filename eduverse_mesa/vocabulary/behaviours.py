"""Behaviours of a student, by level (Table A6), and what each means for the others in the room."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

# With the grouping that the paper's results use. Each level names its codes; the levels are in order.
OffTask: TypeAlias = Literal["sleep", "chat"]
Passive: TypeAlias = Literal["head_down"]
Active: TypeAlias = Literal["note_taking", "hand_raise", "head_up", "read_aloud", "stand_answer"]
Interactive: TypeAlias = Literal["side_talk", "refuse_reply", "answer_question", "ask_question", "group_discussion"]
Behaviour: TypeAlias = Literal[OffTask, Passive, Active, Interactive]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)
LEVEL_NAMES = ("off_task", "passive", "active", "interactive")
BEHAVIOUR_LEVEL: dict[str, int] = {
    code: place for place, level in enumerate((OffTask, Passive, Active, Interactive)) for code in get_args(level)
}
OFF_TASK: frozenset[str] = frozenset(get_args(OffTask))

SPOKEN = frozenset(
    {
        "stand_answer",
        "answer_question",
        "ask_question",
        "refuse_reply",
        "side_talk",
        "chat",
        "group_discussion",
        "read_aloud",
    }
)
"""Behaviours that come with words."""

TO_CLASS = frozenset({"stand_answer", "refuse_reply", "answer_question", "hand_raise", "read_aloud"})
"""Behaviours that always go to the teacher, before the whole class."""

PEER_REQUESTS = frozenset({"side_talk", "chat", "ask_question"})
"""Behaviours that, turned to a classmate, are a request that he or she may take up or not."""

Ground: TypeAlias = Literal["personality", "confidence", "relevance", "history", "closeness"]
GROUNDS: tuple[Ground, ...] = get_args(Ground)
"""The five scores by which a request is taken up or not (Eq. 4-5)."""


def level_name(behaviour: str) -> str:
    """The name of a behaviour's level."""
    return LEVEL_NAMES[BEHAVIOUR_LEVEL[behaviour]]
