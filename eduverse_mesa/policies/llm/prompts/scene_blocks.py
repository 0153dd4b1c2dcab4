"""Blocks that everybody's prompt begins with: the lesson, the class, and what was said so far.

They hold nothing that differs between agents, so that a server reads them once for all (docs/guides/prompts.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Line
from eduverse_mesa.policies.cleaning import name_of, quote
from eduverse_mesa.scenarios.lesson import Lesson

_MATERIAL = 2000
_UTTERANCE = 500


def frame_blocks(words: Mapping[str, Any], lesson: Lesson, teacher: str, names: Sequence[str]) -> dict[str, str]:
    """The rules' places: what is the same for everybody throughout a lesson."""
    title = quote(lesson.title or lesson.name)
    parts = [
        words["lesson"].format(title=title, subject=quote(lesson.subject)),
        *(words["goal"].format(text=quote(goal.text)) for goal in lesson.goals),
    ]
    if lesson.text:
        parts.append(words["material"].format(text=quote(lesson.text, _MATERIAL)))
    listed = ", ".join(map(name_of, names))
    return {
        "language": words["language"] if words["code"] == lesson.language else quote(lesson.language),
        "lesson": "\n".join(parts),
        "class": words["class"].format(teacher=name_of(teacher), names=listed),
        "codes": codes_block(words),
    }


def talk_block(words: Mapping[str, Any], talk: Sequence[Line], step: int, kept_steps: int) -> str:
    """The talk of the last steps, at least `kept_steps` of them.

    It only grows at its end; its beginning moves in jumps of `kept_steps`, so that most steps find the same beginning.
    """
    start = 1 + max(0, (step - 1) // kept_steps - 1) * kept_steps if kept_steps else step + 1
    lines = [
        words["line"].format(
            step=line.step,
            speaker=name_of(line.speaker),
            to=addressee(words, line.to),
            text=quote(line.text, _UTTERANCE),
        )
        for line in talk
        if line.step >= start and line.text
    ]
    return "\n".join(lines) or str(words["nothing_heard"])


def addressee(words: Mapping[str, Any], to: str) -> str:
    """To whom something is said, in words."""
    return str(words.get(f"to_{to}") or name_of(to))


def ten(value: float, least: float = 0.0, most: float = 1.0) -> int:
    """A number on a scale from 0 to 10."""
    return round(10 * (min(most, max(least, value)) - least) / (most - least))


def codes_block(words: Mapping[str, Any]) -> str:
    """What every code means. It stands with the rules, so that no question has to say it again."""
    codes, lines = words["codes"], []
    for title, of in words["code_lists"].items():
        glosses = words[of] if isinstance(of, str) else {code: codes[code] for code in of}
        lines.append(
            f"{title}: " + "; ".join(code if code == gloss else f"{code} = {gloss}" for code, gloss in glosses.items())
        )
    return "\n".join(lines)


def listing(codes: Sequence[str]) -> str:
    """Codes to choose from."""
    return ", ".join(codes)
