"""Policies put together: one for these agents, one for those kinds of decision, one for the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.policies.driver import answer, answer_async, has_to_wait
from eduverse_mesa.policies.policy import AnyPolicy


class _Split:
    """Hands each decision to one of several policies and puts the answers back in order."""

    def __init__(self, name: str, policies: Sequence[AnyPolicy], choose: Callable[[Decision], int]) -> None:
        self.name = name
        self._policies = policies
        self._choose = choose

    def _shares(self, decisions: Sequence[Decision]) -> dict[int, list[int]]:
        shares: dict[int, list[int]] = {}
        for place, decision in enumerate(decisions):
            shares.setdefault(self._choose(decision), []).append(place)
        return shares

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each policy answers its share."""
        answers: dict[int, Answer] = {}
        for chosen, places in self._shares(decisions).items():
            given = answer(self._policies[chosen], [decisions[place] for place in places])
            answers.update(zip(places, given, strict=True))
        return [answers[place] for place in range(len(decisions))]


class _AsyncSplit(_Split):
    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Each policy answers its share, all at the same time."""
        shares = self._shares(decisions)
        given = await asyncio.gather(
            *(
                answer_async(self._policies[chosen], [decisions[place] for place in places])
                for chosen, places in shares.items()
            )
        )
        answers: dict[int, Answer] = {}
        for places, batch in zip(shares.values(), given, strict=True):
            answers.update(zip(places, batch, strict=True))
        return [answers[place] for place in range(len(decisions))]


def _split(name: str, policies: Sequence[AnyPolicy], choose: Callable[[Decision], int]) -> AnyPolicy:
    waits = any(has_to_wait(policy) for policy in policies)
    return (_AsyncSplit if waits else _Split)(name, policies, choose)


def by_agent(policies: Mapping[str, AnyPolicy], rest: AnyPolicy) -> AnyPolicy:
    """These agents are answered for by these policies, everybody else by `rest`."""
    names = list(policies)
    place = {name: number for number, name in enumerate(names)}
    everyone = [*policies.values(), rest]
    label = ",".join(f"{name}={policy.name}" for name, policy in policies.items())
    return _split(f"{label},rest={rest.name}", everyone, lambda decision: place.get(decision.agent, len(names)))


def by_kind(policies: Mapping[str, AnyPolicy], rest: AnyPolicy) -> AnyPolicy:
    """These kinds of decision are answered by these policies, every other by `rest`."""
    kinds = list(policies)
    place = {kind: number for number, kind in enumerate(kinds)}
    everyone = [*policies.values(), rest]
    label = ",".join(f"{kind}={policy.name}" for kind, policy in policies.items())
    return _split(f"{label},rest={rest.name}", everyone, lambda decision: place.get(decision.kind, len(kinds)))
