"""Agents of one's own that ask a model, beside mesa-llm where that is installed: time, calls, tokens, processor, lines.

One decision an agent and step against a server of fixed latency in another process; what is least possible is the
latency times the steps.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

import mesa

from benchmarks.stub import Count, count_at, stub_server
from eduverse_mesa.llm import LLM

LATENCY, STEPS, SIZES = 0.2, 10, (6, 30, 100)
_RULES = "You are a shopper at a market. " * 130
"""About as long as the prompts with which mesa-llm was measured."""
_SLOTS = 256
"""Calls that the server takes at once."""
_SAID = '{"answer": "buy"}'


class Choice(Enum):
    """Buy or wait."""

    BUY = "buy"
    WAIT = "wait"


class Shopper(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """An agent of one's own, as the guide shows one."""

    last = Choice.WAIT

    def question(self) -> str:
        """Return the question that the shopper is asked."""
        return f"Step {self.model.steps}. You are shopper {self.unique_id}. What do you do?"


class Market(mesa.Model):  # type: ignore[misc, unused-ignore]
    """Shoppers who decide at the same time."""

    def __init__(self, llm: LLM, shoppers: int) -> None:
        super().__init__(rng=1)
        self.llm = llm
        Shopper.create_agents(self, shoppers)

    def step(self) -> None:
        """Ask all, then let all act."""
        for response in self.llm.ask(self.agents, Shopper.question, Choice):
            response.agent.last = response.value


@dataclass(frozen=True)
class _Run:
    """Time and processor time of a run, with the counts of the server."""

    seconds: float
    processor: float
    seen: Count

    def row(self, what: str, agents: int) -> str:
        """The run as a line of the table."""
        seen, each = self.seen, self.processor / max(1, self.seen.calls) * 1000
        return (
            f"  {what:<24} {agents:>4}   {self.seconds:6.2f} s   {seen.calls:>5} calls   {seen.tokens:>8} tokens"
            f"   {each:5.2f} ms a call   {seen.connections:>4} connections"
        )


def _measured(url: str, play: Callable[[], Any]) -> _Run:
    before = count_at(url)
    clock, processor = perf_counter(), process_time()
    play()
    seconds, processor = perf_counter() - clock, process_time() - processor
    after = count_at(url)
    seen = Count(after.calls - before.calls, after.tokens - before.tokens, after.connections - before.connections)
    return _Run(seconds, processor, seen)


def _ours(url: str, agents: int, seed: int) -> None:
    market = Market(
        LLM("stub", base_url=url, seed=seed, instructions=_RULES, remember=False, concurrency=_SLOTS), agents
    )
    for _ in range(STEPS):
        market.step()
    assert set(market.agents.get("last")) == {Choice.BUY}


def _bench_ours(agents: int) -> list[str]:
    """The first run of a process, and one that finds connections, limit and dialect."""
    with stub_server(LATENCY, _SAID) as url:
        first, warm = (_measured(url, partial(_ours, url, agents, seed)) for seed in (1, 2))
    return [first.row("eduverse-mesa, first run", agents), warm.row("eduverse-mesa, warm", agents)]


def _theirs(url: str) -> tuple[type, Callable[[int], None]]:
    """The same agent with mesa-llm, and a run of it."""
    from mesa_llm.llm_agent import LLMAgent
    from mesa_llm.parallel_stepping import step_agents_parallel
    from mesa_llm.reasoning.cot import CoTReasoning

    os.environ |= {"OPENAI_API_KEY": "none", "OPENAI_API_BASE": url, "OPENAI_BASE_URL": url}

    class TheirShopper(LLMAgent):  # type: ignore[misc]
        """The same agent with mesa-llm: its model is asked directly, without its reasoning."""

        async def astep(self) -> None:
            """Ask and act."""
            question = f"{_RULES}\nStep {self.model.steps}. You are shopper {self.unique_id}. What do you do?"
            answer = await self.llm.agenerate(prompt=question)
            self.last = Choice(json.loads(answer.choices[0].message.content)["answer"])

    class TheirMarket(mesa.Model):  # type: ignore[misc, unused-ignore]
        def __init__(self, shoppers: int) -> None:
            super().__init__(rng=1)
            for _ in range(shoppers):
                TheirShopper(self, reasoning=CoTReasoning, llm_model="openai/stub")

        def step(self) -> None:
            asyncio.run(step_agents_parallel(list(self.agents)))

    def play(agents: int) -> None:
        market = TheirMarket(agents)
        for _ in range(STEPS):
            market.step()

    return TheirShopper, play


def _bench_theirs() -> list[str]:
    if find_spec("mesa_llm") is None:
        return ["  mesa-llm is not installed here, so that nothing stands beside it"]
    rows = []
    for agents in SIZES:
        with stub_server(LATENCY, _SAID) as url:
            shopper, play = _theirs(url)
            run = _measured(url, partial(play, agents))
            rows.append(run.row(f"mesa-llm {version('mesa-llm')}", agents))
    return [*rows, f"  lines of the agent with mesa-llm: {_lines(shopper)}"]


def _lines(*kinds: type) -> int:
    """Lines of code, without empty ones and docstrings."""
    lines = [line.strip() for kind in kinds for line in inspect.getsource(kind).splitlines()]
    return sum(bool(line) and not line.startswith('"""') for line in lines)


def bench_agents() -> list[str]:
    """One decision an agent and step, by number of agents."""
    head = (
        f"Agents that ask a model: {STEPS} steps, {LATENCY * 1000:.0f} ms an answer, at least {LATENCY * STEPS:.1f} s"
    )
    rows = [row for agents in SIZES for row in _bench_ours(agents)]
    lines = f"  lines of agent, choice and asking: {_lines(Shopper, Choice)} and {_lines(Market)} of the model"
    return [head, *rows, lines, *_bench_theirs()]


if __name__ == "__main__":
    for line in bench_agents():
        print(line)
