"""Who answers in a run: the policy made ready, and what it was made from written into the scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from eduverse_mesa.policies import AnyPolicy, make_policy, settle
from eduverse_mesa.policies.making import MAKERS, AnySettings, Maker
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.scenarios.tutoring import Tutoring

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger

Setup = TypeVar("Setup", Scenario, Tutoring, Collaboration)
"""What is played, with settings that say who answers."""


def with_model(scenario: Setup, **changes: Budget | str | float | None) -> Setup:
    """The scenario with changes to its language model; None changes nothing."""
    llm = scenario.settings.llm.model_copy(update={key: value for key, value in changes.items() if value is not None})
    return scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Setup]):
    """Who answers in a run."""

    scenario: Setup
    """With what the environment has decided about the policy."""
    policy: AnyPolicy
    ledger: Ledger | None = None
    """What is spent on a language model and may be, where one is asked."""


def choose_policy(scenario: Setup, policy: AnyPolicy | str | None) -> Chosen[Setup]:
    """The policy of a run, and the scenario with what the environment has decided about it.

    A run that was recorded with a model goes on with that model, whatever the environment says by then.
    """
    wanted = scenario.settings.policy if policy is None else policy
    if not isinstance(wanted, str):
        return Chosen(scenario, wanted)  # its ledger, where it has one, may be of several runs
    settings = settle(wanted, scenario.settings)
    if settings is not scenario.settings:
        scenario = scenario.model_copy(update={"settings": settings})
    asked: list[AnyPolicy] = []

    def noted(name: str) -> Maker:
        def make(settings: AnySettings) -> AnyPolicy:
            asked.append(MAKERS[name](settings))
            return asked[-1]

        return make

    people = scenario.members if isinstance(scenario, Collaboration) else scenario.people
    made = make_policy(wanted, scenario.settings, people, {name: noted(name) for name in MAKERS})
    asked.sort(key=lambda one: one.name == "llm")  # beside an endpoint, a local model is free
    ledgers = [ledger for one in asked if (ledger := getattr(one, "ledger", None)) is not None]
    return Chosen(scenario, made, ledgers[-1] if ledgers else None)
