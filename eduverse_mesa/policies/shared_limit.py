"""Use of servers by this process: its share of their limits, and answers one by one or in batches."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

from eduverse_mesa.errors import PolicyError

SHARERS = "EDUVERSE_SHARERS"
"""Environment: number of processes that ask the same servers. The program that starts them sets it; a scenario never
sees it, so that it is the same scenario wherever it is played."""

Delivery: TypeAlias = Literal["live", "batch"]
"""Delivery of answers: live, awaited one by one, or in a batch within a day, for half the price."""


class Delivered(Protocol):
    """Settings of a language model, as far as they say how its answers come."""

    @property
    def delivery(self) -> Delivery | None:
        """None: nobody has said."""


DELIVERY = "EDUVERSE_DELIVERY"
"""Environment: `live` or `batch`, whatever a document says. The command sets it by its own option."""


def delivery_of(settings: Delivered, environment: Mapping[str, str] | None = None) -> Delivery:
    """Return the delivery of the answers: no part of what a run is, so that one begun live can go on in batches."""
    given = (os.environ if environment is None else environment).get(DELIVERY, "").strip()
    if given in ("live", "batch"):
        return "batch" if given == "batch" else "live"
    if given:
        raise PolicyError(f"'{given}' is none.", where=DELIVERY, mend="Known: live, batch.")
    return settings.delivery or "live"


def in_batches(policy: str, settings: Delivered) -> bool:
    """Return True if a policy, by its name, asks a server whose answers come in batches."""
    return "llm" in re.split("[=,]", policy.replace(" ", "")) and delivery_of(settings) == "batch"


def need_live(policy: str, settings: Delivered) -> None:
    """Refuse batches where somebody sits and waits for what a model says."""
    if in_batches(policy, settings):
        raise PolicyError(
            "is 'batch', and people take part: they would wait for a day.",
            where="settings.llm.delivery",
            mend="Write `delivery: live` there, or leave it out; batches are for runs without people.",
        )


def count_sharers(environment: Mapping[str, str] | None = None) -> int:
    """Return the number of processes, with this one."""
    given = (os.environ if environment is None else environment).get(SHARERS, "").strip()
    if given and not (given.isdecimal() and int(given)):
        raise PolicyError(f"'{given}' is no number of processes.", where=SHARERS, mend="Unset it.")
    return int(given or 1)


def share_of(most: int, environment: Mapping[str, str] | None = None) -> int:
    """This process's part of the calls that may be out at once, and at least one."""
    return max(1, most // count_sharers(environment))
