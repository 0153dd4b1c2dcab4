"""Who answers in a run: the policy made ready, and what it was made from written into the scenario."""

from __future__ import annotations

from collections.abc import Iterable

from eduverse_mesa.decisions import Answer, Usage
from eduverse_mesa.policies import AnyPolicy, make_policy, settle
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.scenario import Budget


def with_budget(scenario: Scenario, budget: Budget) -> Scenario:
    """The scenario with another budget for language models."""
    llm = scenario.settings.llm.model_copy(update={"budget": budget})
    return scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})


def what_is_left(budget: Budget, answers: Iterable[Answer]) -> Budget:
    """A run's budget without what its answers took so far."""
    used = Usage.sum([answer.usage for answer in answers if answer.usage is not None])
    tokens = (used.tokens_in or 0) + (used.tokens_out or 0)
    return Budget(
        usd=None if budget.usd is None else max(0.0, budget.usd - (used.cost or 0.0)),
        tokens=None if budget.tokens is None else max(0, budget.tokens - tokens),
        requests=None if budget.requests is None else max(0, budget.requests - used.calls),
    )


def choose_policy(scenario: Scenario, policy: AnyPolicy | str | None) -> tuple[Scenario, AnyPolicy]:
    """The policy of a run, and the scenario with what the environment has decided about it.

    A run that was recorded with a model goes on with that model, whatever the environment says by then.
    """
    wanted = scenario.settings.policy if policy is None else policy
    if isinstance(wanted, str):
        settings = settle(wanted, scenario.settings)
        if settings is not scenario.settings:
            scenario = scenario.model_copy(update={"settings": settings})
    return scenario, make_policy(wanted, scenario.settings, scenario.people)
