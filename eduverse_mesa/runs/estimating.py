"""What a run would ask of a language model: played without one, with every prompt written and counted."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import msgspec

from eduverse_mesa.decisions import Answer, Decision, Outcome, Planned
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import make_policy, settle
from eduverse_mesa.policies.llm.asking import Asker, UnansweredError
from eduverse_mesa.policies.llm.calls import Call, Completion, Sampling, Schema
from eduverse_mesa.policies.llm.connection import price_list
from eduverse_mesa.policies.llm.counting import Prefixes, count_tokens
from eduverse_mesa.policies.llm.fused import Fused
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.sketch import filler, sketch
from eduverse_mesa.policies.llm.stages import Staged
from eduverse_mesa.policies.making import AnySettings, policy_parts
from eduverse_mesa.policies.policy import Policy
from eduverse_mesa.policies.waiting import house
from eduverse_mesa.scenarios import Scenario

FIDELITIES = ("fused", "staged")
_SHORT, _LIKELY, _LONG = 0.25, 0.5, 1.0
"""How much of the length that is allowed answers take up."""


@dataclass(slots=True)
class Estimate:
    """What a run would take. Tokens are counted without the model's own tokenizer, within a fifth or so."""

    fidelity: str
    steps: int = 0
    calls: int = 0
    rounds: int = 0
    """Calls that have to wait for one another: with latency, what the run takes at least."""
    tokens_in: int = 0
    reusable: int = 0
    """Of those, what stood at the beginning of an earlier prompt; servers with a prefix cache need not read it."""
    tokens_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("least", "likely", "most"), 0))
    cost_usd: dict[str, float] | None = None
    """None where the model's price is not known."""

    def seconds(self, latency: float, slots: int) -> float:
        """The time it takes at least."""
        return max(self.rounds * latency, self.calls * latency / slots)


class _Tally:
    """Takes calls, counts them, and answers anything that fits."""

    def __init__(self, estimate: Estimate, language: str) -> None:
        self._estimate = estimate
        self._text = filler(language)
        self._prefixes = Prefixes()

    async def complete(self, call: Call, ledger: object = None) -> Completion:  # noqa: ARG002 - as callers have it
        estimate = self._estimate
        prompt = "\n".join(message.content for message in call.messages)
        shared = self._prefixes.add(prompt)
        estimate.calls += 1
        estimate.tokens_in += count_tokens(prompt)
        estimate.reusable += count_tokens(prompt[:shared])
        assert call.schema is not None
        luck = crc32(str(call.sampling.seed).encode())
        for name, fullness in (("least", _SHORT), ("most", _LONG), ("likely", _LIKELY)):
            value = sketch(call.schema, luck, fullness, self._text)
            estimate.tokens_out[name] += count_tokens(msgspec.json.encode(value).decode())
        return Completion(msgspec.json.encode(_as_decided(value, call.schema)).decode())


_DECIDED: ContextVar[Outcome | None] = ContextVar("decided", default=None)
"""What the embedded policy has decided: the question is counted as if the model had, too."""


def _as_decided(value: Any, schema: Schema) -> Any:
    decided = _DECIDED.get()
    if isinstance(decided, Planned) and "behaviour" in value:
        options = schema["properties"]["behaviour"]["enum"]
        for option in (decided.behaviour, f"{decided.behaviour}:{decided.partner}"):
            if option in options:
                value["behaviour"] = option
    return value


class _Counting:
    """Answers like the embedded policy, and asks every question that a model would be asked beside it."""

    def __init__(self, name: str, stages: Staged, instead: Policy, estimate: Estimate) -> None:
        self.name = name
        self._stages = stages
        self._instead = instead
        self._estimate = estimate

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """The embedded policy's answers."""
        answers = self._instead.answer(decisions)
        pairs = zip(decisions, answers, strict=True)
        self._estimate.rounds += max([house().wait_for(self._rounds(*pair)) for pair in pairs], default=0)
        return answers

    async def _rounds(self, decision: Decision, answer: Answer) -> int:
        _DECIDED.set(answer.outcome)
        try:
            return (await self._stages.tell(decision)).rounds
        except UnansweredError as error:
            return error.attempts


def settled(scenario: Scenario, policy: str) -> Scenario:
    """The scenario as a run would find it; a model that nobody has named yet is none to stop for."""
    try:
        settings = settle(policy, scenario.settings)
    except PolicyError:
        return scenario
    return scenario.model_copy(update={"settings": settings})


def estimate_run(scenario: Scenario, seed: int, policy: str, fidelity: str) -> Estimate:
    """What a run of this scenario would take with this policy."""
    estimate = Estimate(fidelity)
    llm, local = scenario.settings.llm, "local" in policy_parts(policy).values()
    tally = _Tally(estimate, scenario.lessons[0].language)
    sampling = Sampling(max_tokens=llm.max_tokens)
    asker = Asker(tally, None, llm.model or "", sampling, reasks=0, send_seed=True)
    prompter = Prompter(llm.prompts, llm.talk_steps, brief=local)
    stages = (Staged if fidelity == "staged" else Fused)(asker, prompter, llm.style_model)

    def counting(settings: AnySettings) -> Policy:
        embedded = make_policy("embedded", settings)
        return _Counting("llm", stages, embedded, estimate)  # type: ignore[arg-type]

    makers = {"llm": counting, "local": counting}
    counted = make_policy(policy, scenario.settings, scenario.people, makers)
    memory = None
    for number in range(1, len(scenario.lessons) + 1):
        model = ClassroomModel(scenario, seed=seed, policy=counted, lesson_number=number, memory=memory)
        while model.running:
            model.step()
        memory = model.memory
        estimate.steps += model.state.step
    _price(estimate, llm.model or "", free=local)
    return estimate


def _price(estimate: Estimate, model: str, *, free: bool) -> None:
    if free:
        estimate.cost_usd = dict.fromkeys(estimate.tokens_out, 0.0)
    elif (price := price_list().of(model)) is not None:
        estimate.cost_usd = {
            name: price.cost(estimate.tokens_in, tokens, estimate.reusable if name == "least" else 0)
            for name, tokens in estimate.tokens_out.items()
        }
