"""A step of any model is played whole or not at all, whoever drives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.models.decision_model import DecidingModel
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.policies.driver import run_waiting
from tests.models.groups import group
from tests.models.learners import document
from tests.models.lessons import lesson


def dialogues() -> TutoringModel:
    return TutoringModel(document(), seed=1)


@pytest.mark.parametrize("make", [lesson, dialogues, group])
def test_a_step_that_was_broken_off_is_not_gone_on_from(make: Callable[[], DecidingModel]) -> None:
    model = make()
    model.step()
    rounds = model.rounds()
    next(rounds)
    rounds.close()
    for again in (model.step, lambda: next(model.rounds())):
        with pytest.raises(PolicyError, match=r"step.* was broken off"):
            again()


@pytest.mark.parametrize("make", [lesson, dialogues, group])
def test_a_step_that_somebody_else_has_driven_counts_like_any_other(make: Callable[[], DecidingModel]) -> None:
    own, driven = make(), make()
    while own.running:
        own.step()
    while driven.running:
        run_waiting(driven.rounds(), driven.policy)
        driven.finish_driven_step()
    assert driven.over
    assert driven.steps == own.steps > 0
    frames = [model.datacollector.get_agent_vars_dataframe() for model in (own, driven)]
    assert frames[0].equals(frames[1])
