"""A server's limit, shared by processes that know nothing of each other."""

from __future__ import annotations

import os
from collections.abc import Mapping

from eduverse_mesa.errors import PolicyError

SHARERS = "EDUVERSE_SHARERS"
"""Environment: how many processes ask the same servers. Whoever starts them sets it; a scenario never sees it, so that
it is the same scenario wherever it is played."""


def count_sharers(environment: Mapping[str, str] | None = None) -> int:
    """How many processes there are, with this one."""
    given = (os.environ if environment is None else environment).get(SHARERS, "").strip()
    if given and not (given.isdecimal() and int(given)):
        raise PolicyError(f"'{given}' is no number of processes.", where=SHARERS, mend="Unset it.")
    return int(given or 1)


def share_of(most: int, environment: Mapping[str, str] | None = None) -> int:
    """This process's part of how many calls may be out at once, and at least one."""
    return max(1, most // count_sharers(environment))
