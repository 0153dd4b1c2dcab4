"""The vocabulary of the house: a module for each list of codes, which is declared once, as a type.

Values, ranks, checks, forms, prompts and colours derive from the type. `en.yaml` and `zh.yaml` say what each code is
called: a new code is a word in its module and a line in each of them.
"""

from eduverse_mesa.vocabulary.acts import ACT_CATEGORY, ACTS, POLARITIES, TONES, Act, Polarity, Tone
from eduverse_mesa.vocabulary.behaviours import (
    BEHAVIOUR_LEVEL,
    BEHAVIOURS,
    GROUNDS,
    LEVEL_NAMES,
    OFF_TASK,
    PEER_REQUESTS,
    SPOKEN,
    TO_CLASS,
    Behaviour,
    Ground,
    level_name,
)
from eduverse_mesa.vocabulary.cognition import BLOOM, COGNITION_LEVEL, STRATEGIES, Cognition, Strategy, is_high
from eduverse_mesa.vocabulary.emotions import (
    EMOTION_LEVEL,
    EMOTION_LEVEL_NAMES,
    EMOTIONS,
    Emotion,
    emotion_level_name,
    share_of_level,
)
from eduverse_mesa.vocabulary.phases import DOINGS, PACE_MOVES, PHASES, Doing, PaceMove, PhaseName
from eduverse_mesa.vocabulary.speech import LISTENERS, MANNERS, SPEECH_ACTS, Listener, Manner, SpeechAct
from eduverse_mesa.vocabulary.talk_moves import STUDENT_MOVES, TEACHER_MOVES, StudentMove, TeacherMove, is_brief

__all__ = [
    "ACTS",
    "ACT_CATEGORY",
    "BEHAVIOURS",
    "BEHAVIOUR_LEVEL",
    "BLOOM",
    "COGNITION_LEVEL",
    "DOINGS",
    "EMOTIONS",
    "EMOTION_LEVEL",
    "EMOTION_LEVEL_NAMES",
    "GROUNDS",
    "LEVEL_NAMES",
    "LISTENERS",
    "MANNERS",
    "OFF_TASK",
    "PACE_MOVES",
    "PEER_REQUESTS",
    "PHASES",
    "POLARITIES",
    "SPEECH_ACTS",
    "SPOKEN",
    "STRATEGIES",
    "STUDENT_MOVES",
    "TEACHER_MOVES",
    "TONES",
    "TO_CLASS",
    "Act",
    "Behaviour",
    "Cognition",
    "Doing",
    "Emotion",
    "Ground",
    "Listener",
    "Manner",
    "PaceMove",
    "PhaseName",
    "Polarity",
    "SpeechAct",
    "Strategy",
    "StudentMove",
    "TeacherMove",
    "Tone",
    "emotion_level_name",
    "is_brief",
    "is_high",
    "level_name",
    "share_of_level",
]
