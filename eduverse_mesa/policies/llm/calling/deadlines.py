"""How long to wait: each part of a call has its own deadline, since each goes wrong in its own way."""

from __future__ import annotations

import math
from dataclasses import dataclass

SLOW = "A slow server needs longer deadlines (llm.deadlines.read, attempt and total)."
"""What to do where an answer does not come in time."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds."""

    connect: float = 10.0
    read: float = 60.0
    """Without a single byte; a model that reads a long prompt says nothing meanwhile."""
    attempt: float = 120.0
    """One request from its sending to its last byte: stops a server that drips."""
    total: float = 300.0
    """From the first attempt to the answer, pauses between attempts included; waiting for a first slot is not."""
    whole: float = math.inf
    """The same, and the pauses that the server asks for before the first attempt."""
