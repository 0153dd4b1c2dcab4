"""Estimates of what a run, a cohort or a group would ask of a language model: played without one, with every prompt
written and counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from eduverse_mesa.decisions import Answer, Decision, Outcome, Planned
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import make_policy, settle
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.answer import Asker, UnansweredError
from eduverse_mesa.policies.llm.calls import Call, Completion, Sampling, Schema
from eduverse_mesa.policies.llm.connection import price_list
from eduverse_mesa.policies.llm.groups import CollaborationTelling
from eduverse_mesa.policies.llm.policy import Telling
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.rehearsal import Prefixes, count_tokens, filler, sketch
from eduverse_mesa.policies.llm.stages import Fused, Staged
from eduverse_mesa.policies.llm.tutoring import TutoringTelling
from eduverse_mesa.policies.policy import AnyPolicy, Policy
from eduverse_mesa.policies.registry import AnySettings, policy_parts
from eduverse_mesa.policies.shared_limit import delivery_of
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.scenario import LanguageModel
from eduverse_mesa.scenarios.tutoring import Tutoring

Document = TypeVar("Document", Scenario, Tutoring)

FIDELITIES = ("fused", "staged")
_SHORT, _LIKELY, _LONG = 0.25, 0.5, 1.0
"""Shares of the allowed length that answers take up."""
_LOCAL_READING, _LOCAL_WRITING = 220, 45
"""Tokens a second of the small model on two free cores; from the lessons in docs/guides/local-model.md."""


@dataclass(slots=True)
class Estimate:
    """The cost of a run in calls, tokens and money. Tokens are counted without the model's own tokenizer, within a
    fifth or so."""

    fidelity: str
    steps: int = 0
    calls: int = 0
    rounds: int = 0
    """Calls that have to wait for one another: with latency, what the run takes at least."""
    tokens_in: int = 0
    reusable: int = 0
    """Those of them that stood at the beginning of an earlier prompt; servers with a prefix cache need not read
    them."""
    tokens_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("least", "likely", "most"), 0))
    cost_usd: dict[str, float] | None = None
    """None where the model's price is not known."""

    def seconds(self, latency: float, slots: int) -> float:
        """The time it takes at least."""
        return max(self.rounds * latency, self.calls * latency / slots)

    @property
    def local_seconds(self) -> float:
        """About how long it takes where the small model answers on this machine, and two cores do nothing else."""
        return (self.tokens_in - self.reusable) / _LOCAL_READING + self.tokens_out["likely"] / _LOCAL_WRITING

    def times(self, factor: float) -> Estimate:
        """Return the estimate for so many times as many, who are asked side by side: nothing has to wait for longer."""
        cost = self.cost_usd
        return Estimate(
            fidelity=self.fidelity,
            steps=self.steps,
            calls=math.ceil(self.calls * factor),
            rounds=self.rounds,
            tokens_in=math.ceil(self.tokens_in * factor),
            reusable=math.ceil(self.reusable * factor),
            tokens_out={name: math.ceil(number * factor) for name, number in self.tokens_out.items()},
            cost_usd=None if cost is None else {name: usd * factor for name, usd in cost.items()},
        )

    def beside(self, other: Estimate) -> Estimate:
        """Both, at the same time."""
        costs = (self.cost_usd, other.cost_usd)
        return Estimate(
            fidelity=self.fidelity,
            steps=max(self.steps, other.steps),
            calls=self.calls + other.calls,
            rounds=max(self.rounds, other.rounds),
            tokens_in=self.tokens_in + other.tokens_in,
            reusable=self.reusable + other.reusable,
            tokens_out={name: number + other.tokens_out[name] for name, number in self.tokens_out.items()},
            cost_usd=None
            if costs[0] is None or costs[1] is None
            else {n: u + costs[1][n] for n, u in costs[0].items()},
        )


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
"""The embedded policy's decision: the question is counted as if the model had decided so, too."""


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

    def __init__(self, name: str, stages: Telling, instead: Policy, estimate: Estimate) -> None:
        self.name = name
        self._stages = stages
        self._instead = instead
        self._estimate = estimate

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        """The embedded policy's answers."""
        answers = self._instead.answer(decisions)
        pairs = zip(decisions, answers, strict=True)
        self._estimate.rounds += max([shared_loop().wait_for(self._rounds(*pair)) for pair in pairs], default=0)
        return answers

    async def _rounds(self, decision: Decision, answer: Answer) -> int:
        _DECIDED.set(answer.outcome)
        try:
            return (await self._stages.tell(decision)).rounds
        except UnansweredError as error:
            return error.attempts


def settled(document: Document, policy: str) -> Document:
    """The scenario, or the tutoring document, as a run would find it; a model that nobody has named yet is none to stop
    for."""
    try:
        settings = settle(policy, document.settings)
    except PolicyError:
        return document
    return document.model_copy(update={"settings": settings})


def estimate_run(scenario: Scenario, seed: int, policy: str, fidelity: str) -> Estimate:
    """Return the estimate of a run of this scenario with this policy."""
    estimate = Estimate(fidelity)
    llm, local = scenario.settings.llm, _is_local(policy)
    asker = _asker(estimate, llm, scenario.lessons[0].language)
    prompter = Prompter(llm.prompts, llm.talk_steps, brief=local)
    stages = (Staged if fidelity == "staged" else Fused)(asker, prompter, llm.style_model)
    counted = _counting(policy, scenario.settings, scenario.people, stages, estimate)
    memory = None
    for number in range(1, len(scenario.lessons) + 1):
        model = ClassroomModel(scenario, seed=seed, policy=counted, lesson_number=number, memory=memory)
        while model.running:
            model.step()
        memory = model.memory
        estimate.steps += model.state.step
    _price(estimate, llm, free=local)
    return estimate


def estimate_tutoring(
    tutoring: Tutoring, policy: str, play: Callable[[Tutoring, AnyPolicy], object], learners: int = 4
) -> Estimate:
    """Return the estimate of what it takes to `play` a cohort with this policy: some of its learners are played, and
    stand for all of them.
    Learners are asked side by side, and one has about as much to say as another.
    """
    estimate = Estimate("tutoring")
    llm, local = tutoring.settings.llm, _is_local(policy)
    asker = _asker(estimate, llm, tutoring.curriculum.subjects[0].language)
    stages = TutoringTelling(asker, llm.prompts, brief=local)
    few = tutoring if any(who.startswith("@") for who in policy_parts(policy)) else _some_of(tutoring, learners)
    play(few, _counting(policy, few.settings, few.people, stages, estimate))
    _price(estimate, llm, free=local)
    return estimate.times(len(tutoring.people) / len(few.people))


def estimate_group(setup: Collaboration, policy: str, play: Callable[[AnyPolicy], object]) -> Estimate:
    """Return the estimate of what it takes to `play` a group's dialogue with this policy."""
    estimate = Estimate("group")
    llm, local = setup.settings.llm, _is_local(policy)
    asker = _asker(estimate, llm, setup.problems[0].language)
    stages = CollaborationTelling(asker, llm.prompts, brief=local, told_of_harm=llm.told_of_harm)
    play(_counting(policy, setup.settings, setup.members, stages, estimate))
    _price(estimate, llm, free=local)
    return estimate


def _some_of(tutoring: Tutoring, learners: int) -> Tutoring:
    cohort = tutoring.cohort.model_copy(update={"learners": tutoring.cohort.learners[:learners]})
    return tutoring.model_copy(update={"cohort": cohort})


def _is_local(policy: str) -> bool:
    return "local" in policy_parts(policy).values()


def _asker(estimate: Estimate, llm: LanguageModel, language: str) -> Asker:
    sampling = Sampling(max_tokens=llm.max_tokens)
    return Asker(_Tally(estimate, language), None, llm.model or "", sampling, reasks=0, send_seed=True)


def _counting(
    policy: str, settings: AnySettings, people: Sequence[str], stages: Telling, estimate: Estimate
) -> AnyPolicy:
    """The policy, with every question to a model counted, and the embedded policy's answer in its place."""

    def counting(own: AnySettings) -> Policy:
        embedded = make_policy("embedded", own)
        return _Counting("llm", stages, embedded, estimate)  # type: ignore[arg-type]

    return make_policy(policy, settings, people, {"llm": counting, "local": counting})


def _price(estimate: Estimate, llm: LanguageModel, *, free: bool) -> None:
    if free:
        estimate.cost_usd = dict.fromkeys(estimate.tokens_out, 0.0)
    elif (price := price_list(delivery=delivery_of(llm)).of(llm.model or "")) is not None:
        estimate.cost_usd = {
            name: price.cost(estimate.tokens_in, tokens, estimate.reusable if name == "least" else 0)
            for name, tokens in estimate.tokens_out.items()
        }
