"""The codes of the house: what behaviour, emotion, cognition, acts and moves are called, and how they are ranked."""

from __future__ import annotations

# Table A6, with the grouping that the paper's results use.
BEHAVIOUR_LEVEL: dict[str, int] = {
    "sleep": 0,
    "chat": 0,
    "head_down": 1,
    "note_taking": 2,
    "hand_raise": 2,
    "head_up": 2,
    "read_aloud": 2,
    "stand_answer": 2,
    "side_talk": 3,
    "refuse_reply": 3,
    "answer_question": 3,
    "ask_question": 3,
    "group_discussion": 3,
}
LEVEL_NAMES = ("off_task", "passive", "active", "interactive")
BEHAVIOURS = tuple(BEHAVIOUR_LEVEL)
OFF_TASK = frozenset(code for code, level in BEHAVIOUR_LEVEL.items() if level == 0)

EMOTION_LEVEL: dict[str, int] = {"negative": 0, "confused": 1, "positive": 2}
EMOTIONS = tuple(EMOTION_LEVEL)

BLOOM = ("remember", "understand", "apply", "analyse", "evaluate", "create")
"""Bloom's revised taxonomy, lowest first (C.4.1)."""
COGNITION_LEVEL: dict[str, int] = {name: int(place > 1) for place, name in enumerate(BLOOM)}

ACT_CATEGORY: dict[str, str] = {
    "lecturing": "instruction",
    "giving_directions": "instruction",
    "expressing_emotion": "interaction",
    "praising": "interaction",
    "adopting_input": "interaction",
    "asking_question": "interaction",
    "criticising": "interaction",
    "organising_discussion": "interaction",
    "addressing_sleepers": "management",
    "addressing_chatters": "management",
}
ACTS = tuple(ACT_CATEGORY)
TONES = ("encouraging", "neutral", "critical")

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


def level_name(behaviour: str) -> str:
    """The name of a behaviour's level."""
    return LEVEL_NAMES[BEHAVIOUR_LEVEL[behaviour]]


def is_high(cognition: str) -> bool:
    """Higher-order cognition: anything above understanding (Table A6)."""
    return COGNITION_LEVEL.get(cognition, 0) == 1


_CJK_START, _CJK_END = "\u3400", "\u9fff"
_BRIEF_WORDS = 3
_BRIEF_CHARACTERS = 4


def is_brief(text: str) -> bool:
    """At most three words, or four Chinese characters (real classes: 47 % of student turns)."""
    characters = sum(1 for character in text if _CJK_START <= character <= _CJK_END)
    return characters <= _BRIEF_CHARACTERS if characters else len(text.split()) <= _BRIEF_WORDS
