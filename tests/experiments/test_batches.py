"""`mesa.batch_run` over values of a scenario, on both lines of Mesa."""

from __future__ import annotations

import inspect
from typing import Any

import mesa
import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.batches import classroom

REPEATS: dict[str, Any] = (
    {"rng": [1, 2]} if "rng" in inspect.signature(mesa.batch_run).parameters else {"iterations": 2}
)


@pytest.mark.parametrize("processes", [1, 2])
def test_dotted_keys_are_parameters_of_a_batch(processes: int) -> None:
    grid = {"layout": "round", "steps": 4, "gate.threshold": [0.2, 0.9]}
    rows = mesa.batch_run(
        classroom,  # type: ignore[arg-type] # Mesa calls it as it calls a class
        grid,
        number_processes=processes,
        display_progress=False,
        **REPEATS,
    )
    assert {row["gate.threshold"] for row in rows} == {0.2, 0.9}
    assert all(0 <= row["off_task"] <= 1 for row in rows)


def test_a_key_that_is_none_is_told() -> None:
    with pytest.raises(ScenarioError, match="Did you mean 'gate'"):
        classroom(**{"gait.threshold": 0.5})
