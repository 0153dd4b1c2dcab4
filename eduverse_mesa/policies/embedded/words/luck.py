"""A handful of choices from one draw: hashing costs more than all the rest of finding words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from eduverse_mesa.randomness import Address, uniform

Luck: TypeAlias = tuple[float, float, float, float, float]
Item = TypeVar("Item")

_BITS = 10
_PARTS = 1 << _BITS
_MASK = _PARTS - 1


def draw_luck(at: Address, purpose: str) -> Luck:
    """Five numbers in [0, 1) with a resolution of 1/1024, each from its own ten bits of one addressed draw.

    What is made of one number has no effect on the others: a fork that changes a share does not shuffle all words.
    """
    bits = int(uniform(at, purpose) * (1 << 5 * _BITS))
    return (
        (bits & _MASK) / _PARTS,
        (bits >> _BITS & _MASK) / _PARTS,
        (bits >> 2 * _BITS & _MASK) / _PARTS,
        (bits >> 3 * _BITS & _MASK) / _PARTS,
        (bits >> 4 * _BITS) / _PARTS,
    )


def pick(items: Sequence[Item], luck: float) -> Item:
    """One of the items, each as likely as the others."""
    return items[int(luck * len(items))]
