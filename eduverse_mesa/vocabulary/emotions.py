"""Emotions of a student, by level. An emotion counts as the first one of its level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

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
