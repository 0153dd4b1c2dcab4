"""Rounds: the place of each question in a run, which depends on the agent alone, and the luck that belongs to it."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.randomness import Address

_PLAIN = 1 << 31
"""Seeds below this are taken as they are."""


class Place(NamedTuple):
    """The place of one question."""

    run: int
    """Number of the Mesa model among those that asked this LLM, from 0."""
    at: Address
    """Its `step` counts the questions to this agent, so a step that was broken off changes nothing."""
    step: int
    """Step of the Mesa model, for people who read a table."""


@dataclass
class _Run:
    seed: int
    number: int | None = None
    """None until a first round is complete."""
    asked: Counter[str] = field(default_factory=Counter)


class Rounds:
    """Count of the questions that each agent of each Mesa model was asked."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        """None: each Mesa model brings its own."""
        self.first: int | None = seed
        """The seed of the first Mesa model that asked."""
        self._runs: WeakKeyDictionary[Any, _Run] = WeakKeyDictionary()
        self._numbers = 0

    def places(self, agents: Sequence[Any]) -> list[Place]:
        """The places of these agents' next questions. An agent that is named twice gets two."""
        if not agents:
            return []
        model = agents[0].model
        if model not in self._runs:
            self._runs[model] = _Run(seed_of(model) if self.seed is None else self.seed)
        run = self._runs[model]
        number = self._numbers if run.number is None else run.number
        if self.first is None:
            self.first = run.seed
        asked = Counter(run.asked)
        places = []
        for agent in agents:
            name = name_of_agent(agent)
            asked[name] += 1
            places.append(Place(number, Address(run.seed, 0, asked[name], name), int(model.steps)))
        return places

    def number_of(self, model: Any) -> int | None:
        """The number of a Mesa model whose agents were asked; None before that."""
        return self._runs[model].number if model in self._runs else None

    def complete(self, model: Any, places: Sequence[Place]) -> None:
        """Count a round; only now have these agents been asked."""
        run = self._runs[model]
        if run.number is None:
            run.number = self._numbers
            self._numbers += 1
        for place in places:
            run.asked[place.at.agent] += 1


def name_of_agent(agent: Any) -> str:
    """Class and number, which are the same in every repetition."""
    return f"{type(agent).__name__} {getattr(agent, 'unique_id', '')}".strip()


def still_there(given: Any) -> list[Any]:
    """The agents that are still in their Mesa model, of many or of one; PolicyError unless all are of the same one."""
    agents = [given] if _is_agent(given) else list(given) if isinstance(given, Iterable) else None
    if agents is None:
        raise _no_agent(given)
    for agent in agents:
        if not _is_agent(agent):
            raise _no_agent(agent)
        if agent.model is not agents[0].model:
            raise PolicyError(
                f"{name_of_agent(agents[0])} and {name_of_agent(agent)} are agents of two models.",
                where="ask",
                mend="Ask the agents of each model for themselves.",
            )
    present = agents[0].model.agents if agents else ()
    return [agent for agent in agents if agent in present]


def _is_agent(one: Any) -> bool:
    model = getattr(one, "model", None)
    return hasattr(one, "unique_id") and hasattr(model, "agents") and hasattr(model, "steps")


def _no_agent(one: Any) -> PolicyError:
    shown = f"the class {one.__name__}" if isinstance(one, type) else name_of_agent(one)
    return PolicyError(
        f"{shown} is no agent of a model.",
        where="ask",
        mend="Ask an agent, or several: model.agents, model.agents.select(...), or a list.",
    )


def seed_of(model: Any) -> int:
    """The seed of a Mesa model, read from its generator without drawing from it."""
    try:
        source = model.rng.bit_generator.seed_seq
        entropy, branch = source.entropy, tuple(source.spawn_key)
    except AttributeError:
        raise PolicyError(
            "the seed of the Mesa model cannot be read from model.rng.", where="LLM", mend="Write LLM(..., seed=1)."
        ) from None
    parts = [operator.index(entropy)] if hasattr(entropy, "__index__") else [int(part) for part in entropy]
    if len(parts) == 1 and not branch and parts[0] < _PLAIN:
        return parts[0]
    return int.from_bytes(blake2b(repr((parts, branch)).encode(), digest_size=8).digest(), "little") >> 1


@contextmanager
def own_luck(model: Any, at: Address) -> Iterator[None]:
    """Draw from model.random and model.rng inside the block as belongs to this question. Afterwards both go on as if
    nothing had been drawn, so a replay, which does not come here, meets the same luck."""
    key = f"{at.seed}\x1f{at.step}\x1f{at.agent}\x1fluck".encode()
    seed = int.from_bytes(blake2b(key, digest_size=8).digest(), "little")
    generator = model.rng.bit_generator
    before, before_numpy = model.random.getstate(), generator.state
    model.random.seed(seed)
    generator.state = type(generator)(seed).state
    try:
        yield
    finally:
        model.random.setstate(before)
        generator.state = before_numpy
