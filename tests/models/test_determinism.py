"""Same scenario, seed and answers give the same run, whatever the order or concurrency of execution."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.driver import drive_together
from tests.models.lessons import lesson, log, played


class AnyOrder:
    """The embedded policy, asked one at a time and in any order."""

    name = "embedded"

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rest = make_policy("embedded")

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        places = list(range(len(decisions)))
        self.chance.shuffle(places)
        given = {place: self.rest.answer([decisions[place]])[0] for place in places}  # type: ignore[union-attr]
        return [given[place] for place in range(len(decisions))]


class AnyTime(AnyOrder):
    """The same, concurrently."""

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        async def one(decision: Decision) -> Answer:
            await asyncio.sleep(self.chance.random() / 2000)
            return self.rest.answer([decision])[0]  # type: ignore[union-attr]

        return list(await asyncio.gather(*(one(decision) for decision in decisions)))


def test_same_seed_same_lesson() -> None:
    one, other = played(), played()
    assert log(one) == log(other)
    assert one.journal.students == other.journal.students
    assert one.digest() == other.digest()


def test_another_seed_another_lesson() -> None:
    assert log(played(seed=3)) != log(played(seed=4))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_answering_does_not_matter(seed: int) -> None:
    assert log(played(AnyOrder(seed))) == log(played())


def test_concurrency_does_not_matter() -> None:
    model = lesson(AnyTime(1), steps=4)

    async def play() -> None:
        while model.running:
            await model.step_async()

    asyncio.run(play())
    assert log(model) == log(played(steps=4))
    assert model.steps == 4


def test_a_model_that_waits_also_steps_in_ordinary_code() -> None:
    assert log(played(AnyTime(2), steps=3)) == log(played(steps=3))


def test_classrooms_in_lockstep_are_the_same_as_alone() -> None:
    models = [lesson(seed=seed, steps=4) for seed in (1, 2, 3)]
    while any(model.running for model in models):
        running = [model for model in models if model.running]
        asyncio.run(drive_together([model.rounds() for model in running], make_policy("embedded")))
        for model in running:
            model.finish_driven_step()
    for model, seed in zip(models, (1, 2, 3), strict=True):
        assert log(model) == log(played(seed=seed, steps=4))


def test_other_mesa_randomness_changes_nothing() -> None:
    model = lesson()
    while model.running:
        model.random.random()
        model.rng.random()
        model.step()
    assert log(model) == log(played())


def test_a_missing_seed_is_chosen_and_kept() -> None:
    model = lesson(seed=None, steps=2)  # type: ignore[arg-type]
    while model.running:
        model.step()
    assert log(model) == log(played(seed=model.seed, steps=2))


def test_one_seed_under_two_names_is_refused() -> None:
    by_the_other_name = ClassroomModel(steps=2, rng=3)
    assert by_the_other_name.seed == 3
    with pytest.raises(ScenarioError, match="both seed and rng"):
        ClassroomModel(seed=1, rng=2)


@pytest.mark.parametrize("seed", [1.5, float("nan"), float("inf"), "x", [1]])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ScenarioError, match="not a whole number"):
        ClassroomModel(seed=seed)
    assert ClassroomModel(rng="7").seed == ClassroomModel(rng=np.int64(7)).seed == 7
