"""What the studies would ask of a language model: the plays of one seed, played without one and counted."""

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
    """All plays, from those of the first seed: with another seed the same is asked about other luck."""
    first = [play for play in plays if play.seed == plays[0].seed]
    each = reduce(Estimate.beside, (_estimate_play(play, policy) for play in first))
    return each.times(len(plays) / len(first))


def _estimate_play(play: Play, policy: str) -> Estimate:
    def teach(few: Tutoring, counted: AnyPolicy) -> None:
        for _ in measure(msgspec.structs.replace(play, tutoring=few.model_dump_json(by_alias=True)), counted):
            pass

    return estimate_tutoring(settled(tutoring_of(play.tutoring), policy), policy, teach, _LEARNERS)
