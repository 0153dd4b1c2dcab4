"""Numbers of agents, per model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary


class Numbering:
    """Counts agents model by model, and keeps no model alive.

    Mesa 3.3 counts in a dictionary on the class `Agent` that holds every model there ever was, with all its agents and
    cells. Agents that carry `_ids = AGENT_NUMBERS` are counted here instead; Mesa 3.5 counts in the model and does not
    look at it.
    """

    def __init__(self) -> None:
        self._counts: WeakKeyDictionary[Any, Iterator[int]] = WeakKeyDictionary()

    def __getitem__(self, model: Any) -> Iterator[int]:
        return self._counts.setdefault(model, itertools.count(1))

    def __len__(self) -> int:
        return len(self._counts)


AGENT_NUMBERS = Numbering()
"""One for all kinds of agents: numbers are unique within a model."""
