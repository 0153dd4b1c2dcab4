"""Who answers in a run: the policy made ready, and what it was made from written into the scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from eduverse_mesa.policies import AnyPolicy, make_policy, settle
from eduverse_mesa.policies.making import MAKERS, AnySettings, Maker
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.scenarios.tutoring import Tutoring

Setup = TypeVar("Setup", Scenario, Tutoring)
"""What is played, with settings that say who answers."""


def with_model(scenario: Setup, **changes: Budget | str | None) -> Setup:
    """The scenario with changes to its language model; None changes nothing."""
    llm = scenario.settings.llm.model_copy(update={key: value for key, value in changes.items() if value is not None})
    return scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Setup]):
    """Who answers in a run."""

    scenario: Setup
    """With what the environment has decided about the policy."""
    policy: AnyPolicy
    purse: Purse | None = None
    """What may be spent on a language model, where one is asked."""


class Purse:
    """A run's spending on a language model, kept from one sitting to the next."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger

    def open(self, spent: str, *, killed: bool) -> None:
        """Begin with what was spent before. After a kill, what the broken step has paid for was not written down."""
        if spent:
            self._ledger.spent.add(msgspec.json.decode(spent, type=type(self._ledger.spent)))
        self._ledger.counts_remembered = killed

    def close_step(self) -> str:
        """What is spent by now; from here on, what is remembered was paid for and counted before."""
        self._ledger.counts_remembered = False
        return self.spent

    @property
    def spent(self) -> str:
        """What is spent by now, as it is written down."""
        return msgspec.json.encode(self._ledger.spent).decode()

    @property
    def counted(self) -> tuple[int, float, int]:
        """Tokens, US dollars and requests."""
        spent = self._ledger.spent
        return spent.tokens, spent.usd, spent.requests


def choose_policy(scenario: Setup, policy: AnyPolicy | str | None) -> Chosen[Setup]:
    """The policy of a run, and the scenario with what the environment has decided about it.

    A run that was recorded with a model goes on with that model, whatever the environment says by then.
    """
    wanted = scenario.settings.policy if policy is None else policy
    if not isinstance(wanted, str):
        return Chosen(scenario, wanted)
    settings = settle(wanted, scenario.settings)
    if settings is not scenario.settings:
        scenario = scenario.model_copy(update={"settings": settings})
    asked: list[AnyPolicy] = []

    def noted(name: str) -> Maker:
        def make(settings: AnySettings) -> AnyPolicy:
            asked.append(MAKERS[name](settings))
            return asked[-1]

        return make

    made = make_policy(wanted, scenario.settings, scenario.people, {name: noted(name) for name in MAKERS})
    asked.sort(key=lambda one: one.name == "llm")  # beside an endpoint, a local model is free
    ledgers = [ledger for one in asked if (ledger := getattr(one, "ledger", None)) is not None]
    return Chosen(scenario, made, Purse(ledgers[-1]) if ledgers else None)
