"""Randomness with addresses: a draw is a function of (seed, lesson, step, agent, purpose), never of call order.

Two agents may therefore think at once, a policy may answer in any order, and a fork that changes one thing meets the
same luck everywhere else: a paired counterfactual.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import exp
from statistics import NormalDist
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")

_STANDARD_NORMAL = NormalDist()
_RESOLUTION = 2.0**-53


class Address(NamedTuple):
    """The place of a draw. `step` 0 is before the first step of a lesson."""

    seed: int
    lesson: int
    step: int
    agent: str


def uniform(at: Address, purpose: str) -> float:
    """A number in [0, 1), the same whenever and wherever it is asked for."""
    digest = blake2b((_key_of(at) + purpose).encode(), digest_size=8).digest()
    # 53 bits: every result is an exact double below 1.
    return (int.from_bytes(digest, "little") >> 11) * _RESOLUTION


@lru_cache(maxsize=4096)  # a dozen draws are made at the same address: to write it down costs as much as to draw
def _key_of(at: Address) -> str:
    # Parted by a control character, which names cannot hold: no two addresses run together to the same key.
    seed, lesson, step, agent = at
    return f"{seed}\x1f{lesson}\x1f{step}\x1f{agent}\x1f"


def normal(at: Address, purpose: str) -> float:
    """A standard normal number, by the inverse of its distribution."""
    return _STANDARD_NORMAL.inv_cdf(max(uniform(at, purpose), _RESOLUTION))


def choose(at: Address, purpose: str, items: Sequence[Item]) -> Item:
    """One of the items, each as likely as the others."""
    return items[int(uniform(at, purpose) * len(items))]


def choose_weighted(at: Address, purpose: str, items: Sequence[Item], weights: Sequence[float]) -> Item:
    """One of the items, as likely as its weight."""
    target = uniform(at, purpose) * sum(weights)
    for item, weight in zip(items, weights, strict=True):
        target -= weight
        if target < 0:
            return item
    return items[-1]


def choose_softmax(at: Address, purpose: str, items: Sequence[Item], utilities: Sequence[float]) -> Item:
    """One of the items by softmax over utilities (Luce's choice rule)."""
    top = max(utilities)
    return choose_weighted(at, purpose, items, [exp(utility - top) for utility in utilities])
