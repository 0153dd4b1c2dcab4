"""The codes that tables hold: states of students, acts of the teacher, moves of talk, and the levels that the paper
gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# EduVerse D.2.4 and Table A6. "Ask question" is not in that list: it is talk with the teacher, as "answer question" is.
BEHAVIOUR_LEVELS: Final[Mapping[str, int]] = MappingProxyType(
    {
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
)
BEHAVIOUR_LEVEL_NAMES: Final = ("offtask", "passive", "active", "interactive")

# EduVerse D.2.4, "Emotion priority".
EMOTION_LEVELS: Final[Mapping[str, int]] = MappingProxyType({"negative": 0, "confused": 1, "positive": 2})
EMOTION_LEVEL_NAMES: Final = ("negative", "confused", "positive")

# EduVerse D.2.4, "Cognition priority", after Bloom's taxonomy; the paper's "2" for the upper level is its Table A6's 1.
COGNITION_LEVELS: Final[Mapping[str, int]] = MappingProxyType(
    {"remember": 0, "understand": 0, "apply": 1, "analyse": 1, "evaluate": 1, "create": 1}
)
COGNITION_LEVEL_NAMES: Final = ("low", "high")

# column of a table -> level of each code; the letter names the dimension in measures ("b_active")
LEVELS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {"behaviour": BEHAVIOUR_LEVELS, "emotion": EMOTION_LEVELS, "cognition": COGNITION_LEVELS}
)
LEVEL_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"behaviour": BEHAVIOUR_LEVEL_NAMES, "emotion": EMOTION_LEVEL_NAMES, "cognition": COGNITION_LEVEL_NAMES}
)
LETTERS: Final[Mapping[str, str]] = MappingProxyType({"behaviour": "b", "emotion": "e", "cognition": "c"})

# EduVerse 3.1, stage Initiate: the acts that ask the class for something.
INITIATING_ACTS: Final = frozenset({"asking_question", "organising_discussion"})
DISCUSSION_ACT: Final = "organising_discussion"

# What counts as R of the IRF when it goes to the teacher, or is said to the whole class ...
RESPONSE_BEHAVIOURS: Final = frozenset({"stand_answer", "answer_question", "hand_raise", "read_aloud"})
TEACHER_ADDRESSEES: Final = frozenset({"teacher", "class"})
# ... and what answers the teacher only while the teacher's own act is to organise a discussion.
DISCUSSION_BEHAVIOUR: Final = "group_discussion"
# A question to the teacher takes part in the lesson although it answers nothing.
QUESTION_BEHAVIOUR: Final = "ask_question"

FEEDBACK_POLARITIES: Final = frozenset({"positive", "neutral", "negative"})

TEACHER: Final = "T"
STUDENT: Final = "S"

# Talk moves as the TalkMoves corpus codes them (Suresh et al. 2022); "context" of its tags is no move and counts as
# none.
TEACHER_MOVES: Final = (
    "none",
    "keep-together",
    "get-to-relate",
    "restate",
    "revoice",
    "press-accuracy",
    "press-reasoning",
)
STUDENT_MOVES: Final = ("none", "relate", "ask", "claim", "evidence")
MOVES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({TEACHER: TEACHER_MOVES, STUDENT: STUDENT_MOVES})
INITIATING_MOVES: Final = frozenset({"press-accuracy", "press-reasoning", "get-to-relate"})
FOLLOW_UP_MOVES: Final = frozenset({"restate", "revoice"})
SUBSTANTIVE_MOVES: Final = frozenset({"relate", "ask", "claim", "evidence"})
