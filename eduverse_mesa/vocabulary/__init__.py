"""The vocabulary of the house: each list of codes, which is declared once, as a type.

Values, ranks, checks, forms, prompts and colours derive from the type. `en.yaml` and `zh.yaml` say what each code is
called: a new code is a word here and a line in each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

# --- phases of a lesson, in order (C.2), the activities in them, and the ways to go on with one ---

PhaseName: TypeAlias = Literal["introduction", "instruction", "consolidation", "practice", "summary"]
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
Doing: TypeAlias = Literal["explain", "ask", "discuss", "read", "practise", "summarise", "manage"]
DOINGS: tuple[Doing, ...] = get_args(Doing)
"""Kinds of activities in a lesson's plan."""
PaceMove: TypeAlias = Literal["stay", "extend", "advance"]
PACE_MOVES: tuple[PaceMove, ...] = get_args(PaceMove)
"""Ways to go on with a phase: as planned, a step longer, or to the next."""


# --- behaviours of a student, by level (Table A6), and what each means for the others in the room ---

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


# --- emotions of a student, by level; an emotion counts as the first one of its level ---

# Measures, charts, faces and the embedded policy go by levels: a new emotion is written into the level it counts as.
Negative: TypeAlias = Literal["negative"]
Confused: TypeAlias = Literal["confused"]
Positive: TypeAlias = Literal["positive"]
Emotion: TypeAlias = Literal[Negative, Confused, Positive]
EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)
EMOTION_LEVEL: dict[str, int] = {
    code: place for place, level in enumerate((Negative, Confused, Positive)) for code in get_args(level)
}
EMOTION_LEVEL_NAMES: tuple[str, ...] = tuple(get_args(level)[0] for level in (Negative, Confused, Positive))


def emotion_level_name(emotion: str) -> str:
    """The name of an emotion's level; empty where a decision failed and there is no emotion."""
    return EMOTION_LEVEL_NAMES[EMOTION_LEVEL[emotion]] if emotion else ""


def share_of_level(emotions: Mapping[str, float], level: str) -> float:
    """Return the share of a level, given the shares of emotions."""
    return sum(share for emotion, share in emotions.items() if emotion_level_name(emotion) == level)


# --- levels of cognition, and what a student resolves to do when he or she thinks about the lesson ---

Cognition: TypeAlias = Literal["remember", "understand", "apply", "analyse", "evaluate", "create"]
BLOOM: tuple[Cognition, ...] = get_args(Cognition)
"""Bloom's revised taxonomy, lowest first (C.4.1)."""
COGNITION_LEVEL: dict[str, int] = {name: int(place > 1) for place, name in enumerate(BLOOM)}

Strategy: TypeAlias = Literal["keep", "refocus", "participate", "seek_help", "cooperate", "calm", "withdraw"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""Resolutions of a student for the next step."""


def is_high(cognition: str) -> bool:
    """Higher-order cognition: anything above understanding (Table A6)."""
    return COGNITION_LEVEL.get(cognition, 0) == 1


# --- acts of a teacher by category, with their tone, and the kinds of individual feedback ---

Instruction: TypeAlias = Literal["lecturing", "giving_directions"]
Interaction: TypeAlias = Literal[
    "expressing_emotion", "praising", "adopting_input", "asking_question", "criticising", "organising_discussion"
]
Management: TypeAlias = Literal["addressing_sleepers", "addressing_chatters"]
Act: TypeAlias = Literal[Instruction, Interaction, Management]
ACTS: tuple[Act, ...] = get_args(Act)
ACT_CATEGORY: dict[str, str] = {
    act: category
    for category, acts in (("instruction", Instruction), ("interaction", Interaction), ("management", Management))
    for act in get_args(acts)
}
Tone: TypeAlias = Literal["encouraging", "neutral", "critical"]
TONES: tuple[Tone, ...] = get_args(Tone)
Polarity: TypeAlias = Literal["positive", "neutral", "negative"]
POLARITIES: tuple[Polarity, ...] = get_args(Polarity)
"""Kinds of individual feedback."""


# --- talk moves of teachers and students, as the TalkMoves corpus codes them (Suresh et al. 2022) ---

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


# --- acts and manners of speech: what a listener makes of an utterance ---

SpeechAct: TypeAlias = Literal[
    "asks",
    "answers",
    "explains",
    "hints",
    "prompts",
    "praises",
    "corrects",
    "agrees",
    "disagrees",
    "plans",
    "calculates",
    "social",
    "off_topic",
    "unclear",
]
SPEECH_ACTS: tuple[SpeechAct, ...] = get_args(SpeechAct)
Manner: TypeAlias = Literal["asserted", "denied", "asked", "quoted", "supposed", "taken_back"]
"""The way in which the matter of an utterance is said."""
MANNERS: tuple[Manner, ...] = get_args(Manner)
Listener: TypeAlias = Literal["learner", "tutor", "peer", "teacher", "pupil"]
"""A learner hears their tutor, a tutor their learner, a peer another pupil of the group, the teacher of a class a
pupil, a pupil the teacher or a classmate."""
LISTENERS: tuple[Listener, ...] = get_args(Listener)
