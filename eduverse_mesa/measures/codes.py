"""How measures group the codes of the house: levels by column, what initiates, responds, follows up, and talk moves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from eduverse_mesa import vocabulary
from eduverse_mesa.vocabulary import (
    BEHAVIOUR_LEVEL,
    COGNITION_LEVEL,
    EMOTION_LEVEL,
    EMOTION_LEVEL_NAMES,
    POLARITIES,
    STUDENT_MOVES,
    TEACHER_MOVES,
)

# The names of the levels, lowest first, as the reference tables' columns have them (EduVerse Tables A6 and A9).
BEHAVIOUR_LEVEL_NAMES: Final = tuple(name.replace("_", "") for name in vocabulary.LEVEL_NAMES)
COGNITION_LEVEL_NAMES: Final = ("low", "high")

# column of a table -> level of each code; the letter names the dimension in measures ("b_active")
LEVELS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {"behaviour": BEHAVIOUR_LEVEL, "emotion": EMOTION_LEVEL, "cognition": COGNITION_LEVEL}
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

FEEDBACK_POLARITIES: Final[frozenset[str]] = frozenset(POLARITIES)

TEACHER: Final = "T"
STUDENT: Final = "S"

MOVES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({TEACHER: TEACHER_MOVES, STUDENT: STUDENT_MOVES})
INITIATING_MOVES: Final = frozenset({"press-accuracy", "press-reasoning", "get-to-relate"})
FOLLOW_UP_MOVES: Final = frozenset({"restate", "revoice"})
SUBSTANTIVE_MOVES: Final = frozenset(STUDENT_MOVES) - {"none"}
