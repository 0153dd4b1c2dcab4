"""The frame of a lesson that a title names besides: the grade and the minutes."""

from __future__ import annotations

import re
from typing import NamedTuple

_GRADE = re.compile(
    r"\b(?:grade|year|class|form|gr\.|yr\.)\s*\d{1,2}[a-z]?\b|\b\d{1,2}(?:st|nd|rd|th)[ -]grade(?:rs?)?\b|"
    r"\bage[sd]?\s*\d{1,2}(?:\s*[-–]\s*\d{1,2})?\b|"
    r"(?:小学|初中|高中)?(?:[一二三四五六七八九]|\d{1,2})\s*年级(?:[上下][册学期]*)?|[初高][一二三](?![一-鿿])",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"(?<![\d.])(\d{1,3})\s*(?:minutes?\b|mins?\b\.?|分钟)", re.IGNORECASE)
_LOOSE = " \t,;，；、|/·-–—"
_EMPTY = re.compile(r"[(（\[]\s*[,;，；、]*\s*[)）\]]")


class Framed(NamedTuple):
    """A title without the grade and minutes that stood beside it; empty and 0 where it names none."""

    title: str
    grade: str = ""
    minutes: float = 0.0


def read_frame(text: str) -> Framed:
    """`Why leaves fall - grade 5, 45 min`: the title, the grade and the minutes of the whole lesson."""
    grade, minutes = _GRADE.search(text), _MINUTES.search(text)
    rest = _MINUTES.sub("", _GRADE.sub("", text))
    rest = _EMPTY.sub("", rest).strip(_LOOSE)
    if not any(letter.isalpha() for letter in rest):
        return Framed(text)
    return Framed(rest, grade[0] if grade else "", float(minutes[1]) if minutes else 0.0)
