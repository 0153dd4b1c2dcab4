"""Acts of a teacher by category, with their tone, and the kinds of individual feedback."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

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
