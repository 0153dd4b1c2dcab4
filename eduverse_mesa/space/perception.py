"""What somebody perceives: the nearest things within a radius, and only so many (Table A3)."""

from __future__ import annotations

from math import dist
from typing import Any, NamedTuple

from eduverse_mesa.space.room import Furniture, Room


class Percept(NamedTuple):
    """A thing or a person that is perceived."""

    kind: str
    name: str
    distance: float


def perceive(room: Room, agent: Any, radius: float, capacity: int) -> tuple[Percept, ...]:
    """The nearest things within the radius, at most `capacity`; people come before things at the same distance."""
    here = agent.cell.coordinate
    found: list[tuple[float, int, str, str]] = []
    # The neighbourhood comes nearest first, so once there are enough, only equally near things can still matter.
    last = 0.0
    for cell, agents in agent.cell._neighborhood(radius).items():
        if not agents:
            continue
        distance = dist(here, cell.coordinate)
        if len(found) >= capacity and distance > last:
            break
        for other in agents:
            if isinstance(other, Furniture):
                found.append((distance, 1, other.kind, other.name))
            else:
                found.append((distance, 0, other.role, other.name))
        last = distance
    found.sort()
    return tuple(Percept(kind, name, distance) for distance, _, kind, name in found[:capacity])
