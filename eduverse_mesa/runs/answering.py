"""Who answers in a run: the policy made ready, and what it was made from written into the scenario."""

from __future__ import annotations

from eduverse_mesa.policies import AnyPolicy, make_policy, settle
from eduverse_mesa.scenarios import Scenario


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
