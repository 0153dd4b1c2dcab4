"""Acts and manners of speech: what a listener makes of an utterance."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

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
