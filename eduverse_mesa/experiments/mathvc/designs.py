"""What is played to look at groups: every problem in each arm with each seed (MathVC, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.gathering import load_collaboration

Arm = Literal["full", "vanilla", "student"]
ARMS: tuple[Arm, ...] = get_args(Arm)
"""All virtual with stages and schemas, all virtual without; and as the first with a scripted student in a seat."""
DEFAULT_SEEDS = 20


class Play(msgspec.Struct, frozen=True):
    """One dialogue."""

    problem: str
    arm: Arm
    seed: int
    policy: str
    collaboration: str
    """The group, problems included, as JSON."""

    @property
    def key(self) -> str:
        """What it is called among the others."""
        return f"{self.problem} {self.arm} {self.seed}"


def plays_of(
    seeds: int, policy: str = "embedded", settings: Mapping[str, Any] | None = None, source: Any = None
) -> list[Play]:
    """All dialogues: seeds from 1, each problem of the group, every arm. `settings` changes rules and peers by dotted
    keys."""
    if "arm" in (settings or {}):
        raise EduverseError("every arm is played.", where="--set arm", mend="Leave it out.")
    group = load_collaboration(source, seats=(), settings=settings)
    written = group.model_dump_json()
    return [
        Play(problem.name, arm, seed, policy, written)
        for seed in range(1, seeds + 1)
        for problem in group.problems
        for arm in ARMS
    ]


@lru_cache(maxsize=8)
def group_of(written: str) -> Collaboration:
    """A group as it was written down; it was proved when it was read first."""
    return Collaboration.model_validate_json(written)
