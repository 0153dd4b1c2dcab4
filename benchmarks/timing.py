"""How things are timed: the best of several, alternating between what is compared."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter


def best_of(actions: Sequence[Callable[[], float]], repeats: int) -> list[float]:
    """The least time of each action, in seconds; the actions take turns so that a slow moment meets all of them."""
    best = [float("inf")] * len(actions)
    for _ in range(repeats):
        for place, action in enumerate(actions):
            gc.collect()
            best[place] = min(best[place], action())
    return best


def timed(action: Callable[[], object]) -> float:
    """Seconds that the action takes."""
    start = perf_counter()
    action()
    return perf_counter() - start
