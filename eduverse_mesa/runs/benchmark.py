"""A lesson with a language model, measured: calls, tokens, waiting, and how much of the time was ours."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import cast

from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.connection import totals
from eduverse_mesa.policies.llm.policy import LlmPolicy
from eduverse_mesa.policies.llm.rehearsal import Prefixes
from eduverse_mesa.policies.llm.setup import make_llm, make_local
from eduverse_mesa.policies.policy import AnyPolicy, Policy
from eduverse_mesa.policies.registry import AnySettings
from eduverse_mesa.runs.classroom import PlayedLesson, Run, RunSpec
from eduverse_mesa.runs.tables import count_outcomes
from eduverse_mesa.scenarios import Scenario


@dataclass(frozen=True, slots=True)
class Measured:
    """One lesson."""

    fidelity: str
    steps: int
    calls: int
    rounds: int
    """Calls on the critical path."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    repeated: float
    """Share of what was read that had stood at the beginning of an earlier prompt: more no server can have kept."""
    seconds: float
    least_seconds: float
    """The least time of the calls: the longest chain of them, or all of them over the slots."""
    outcomes: dict[str, int]

    @property
    def eta(self) -> float:
        """How close the lesson came to that."""
        return self.least_seconds / self.seconds if self.seconds else 0.0


def bench_lesson(scenario: Scenario, seed: int, policy: str, fidelity: str, latency: float | None = None) -> Measured:
    """Run the first lesson with nothing remembered, and measure.

    With a known `latency`, the least time follows from the number of calls alone; else from what they took, in which
    there is time of our own, too.
    """
    llm = scenario.settings.llm.model_copy(update={"fidelity": fidelity})
    scenario = scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})
    asked: list[LlmPolicy] = []

    prefixes = Prefixes()

    def make(settings: AnySettings) -> AnyPolicy:
        embedded = cast(Policy, make_policy("embedded", settings))
        maker = make_local if policy == "local" else make_llm
        made = maker(settings.llm, embedded, remember=False, watch=prefixes.watch)
        asked.append(made)
        return made

    chosen = make_policy(policy, scenario.settings, scenario.people, {policy: make})
    model = ClassroomModel(scenario, seed=seed, policy=chosen)
    for policy_asked in asked:
        shared_loop().wait_for(policy_asked.warm_up())
    before, start = totals(), perf_counter()
    while model.running:
        model.step()
    seconds, after = perf_counter() - start, totals()
    slots = max(1, after.limit)
    calls, path = after.requests - before.requests, asked[0].path
    if latency is not None:
        least = max(path.rounds * latency, calls * latency / slots)
    else:
        least = max(path.waited_ms / 1000, (after.server_seconds - before.server_seconds) / slots)
    run = Run("bench", RunSpec(scenario, seed, policy), [PlayedLesson(1, model)])
    return Measured(
        fidelity=fidelity,
        steps=model.state.step,
        calls=calls,
        rounds=path.rounds,
        tokens_in=after.bill.tokens_in - before.bill.tokens_in,
        tokens_out=after.bill.tokens_out - before.bill.tokens_out,
        tokens_cached=after.bill.tokens_cached - before.bill.tokens_cached,
        repeated=prefixes.repeated,
        seconds=seconds,
        least_seconds=least,
        outcomes=count_outcomes(run),
    )
