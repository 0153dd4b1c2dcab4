"""What the studies would ask of a language model: a play of each kind, played without one and counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import msgspec

from eduverse_mesa.experiments.simlearner.designs import Play, tutoring_of
from eduverse_mesa.experiments.simlearner.measuring import measure
from eduverse_mesa.policies.policy import AnyPolicy
from eduverse_mesa.runs.estimating import Estimate, estimate_tutoring, settled
from eduverse_mesa.scenarios.tutoring import Tutoring

_LEARNERS = 1
"""Of each cohort: a life of five grades has thousands of prompts, and writing them takes seconds."""


def estimate_plays(plays: Sequence[Play], policy: str) -> Estimate:
    """All plays, from the first of each kind: with another seed the same is asked about other luck."""
    kinds: dict[tuple[str, str], list[Play]] = {}
    for play in plays:
        kinds.setdefault((play.part, play.arm), []).append(play)
    return reduce(Estimate.beside, (_estimate_play(same[0], policy).times(len(same)) for same in kinds.values()))


def _estimate_play(play: Play, policy: str) -> Estimate:
    def teach(few: Tutoring, counted: AnyPolicy) -> None:
        for _ in measure(msgspec.structs.replace(play, tutoring=few.model_dump_json(by_alias=True)), counted):
            pass

    return estimate_tutoring(settled(tutoring_of(play.tutoring), policy), policy, teach, _LEARNERS)
