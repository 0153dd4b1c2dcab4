"""Reasons that whoever only repeats the task gives, too: no mistake, and yet not what was meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eduverse_mesa.marks import says_all

_SENTENCES = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])|\n")
"""Not at the point of 0.25."""


def echoed(marks: Sequence[str], *texts: str) -> str:
    """The first sentence of these texts in which all marks of a reason stand; nothing where there is none."""
    sentences = (one.strip() for text in texts for one in _SENTENCES.split(text))
    return next((one for one in sentences if marks and says_all(marks, one)), "")
