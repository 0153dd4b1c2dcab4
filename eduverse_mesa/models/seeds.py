"""The seed of a model, under either of the names that Mesa has for it."""

from __future__ import annotations

import secrets
from typing import Any

from eduverse_mesa.errors import ScenarioError


def read_seed(seed: int | None, rng: Any) -> int:
    """The one that is given; without either a fresh one, which the model keeps."""
    if seed is not None and rng is not None:
        raise ScenarioError("both seed and rng are given.", mend="They are Mesa's two names for one thing: give one.")
    given = seed if seed is not None else rng
    if given is None:
        return secrets.randbelow(2**31)
    try:
        number = int(given)
        whole = isinstance(given, str) or number == given
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise ScenarioError(f"the seed {given!r} is not a whole number.", mend="Use e.g. seed=1.")
    if number < 0:
        raise ScenarioError(f"the seed {number} is negative.", mend="Use 0 or more.")
    return number
