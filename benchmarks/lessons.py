"""A lesson of 36 steps, six students and a teacher, over the same Mesa loop with empty agents."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import mesa

from benchmarks.timing import best_of, timed
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.model import AGENT_REPORTERS
from eduverse_mesa.policies import make_policy
from eduverse_mesa.runs.classroom import COURSES, RunSpec, play
from eduverse_mesa.runs.recording import Writer
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios import Scenario, load_scenario

STEPS = 36
_REPORTERS = 13


class EmptyAgent(mesa.Agent):  # type: ignore[misc, unused-ignore]
    """An agent that does nothing, with something in every field that is collected."""

    def __init__(self, model: mesa.Model) -> None:
        super().__init__(model)
        for field in AGENT_REPORTERS:
            setattr(self, field, 0.0)

    def step(self) -> None:
        """Nothing."""


class EmptyModel(mesa.Model):  # type: ignore[misc, unused-ignore]
    """The same loop: activate everybody, collect as many things."""

    def __init__(self, agents: int) -> None:
        super().__init__(rng=1)
        for _ in range(agents):
            EmptyAgent(self)
        model_reporters = {f"reporter_{number}": lambda _: 0.0 for number in range(_REPORTERS)}
        self.datacollector = mesa.DataCollector(model_reporters=model_reporters, agent_reporters=AGENT_REPORTERS)

    def step(self) -> None:
        """Activate and collect."""
        self.agents.shuffle_do("step")
        self.datacollector.collect(self)


def fixed_lesson(students: int | str = "six") -> Scenario:
    """The default lesson with exactly so many steps."""
    return load_scenario(students=students, steps=STEPS, settings={"pacing.mode": "fixed"})


def run_steps(model: mesa.Model) -> float:
    def steps() -> None:
        for _ in range(STEPS):
            model.step()

    return timed(steps)


def _run_on_disk(scenario: Scenario, folder: Path, number: Iterator[int]) -> float:
    spec = RunSpec(scenario, 1, "embedded")
    with open_study(str(folder / f"{next(number)}.study"), create=True) as opened:
        run = opened.enter(COURSES.row(spec))
        recorder = Writer(opened.study, run)
        policy = make_policy("embedded")
        return timed(lambda: play(run, spec, policy=policy, recorder=recorder))


def bench_lesson() -> list[str]:
    """Times and ratios."""
    scenario = fixed_lesson()
    make = partial(ClassroomModel, scenario, seed=1)
    make()
    count = iter(range(10_000))
    with tempfile.TemporaryDirectory() as folder:
        empty, built, memory, disk = best_of(
            [
                lambda: run_steps(EmptyModel(7)),
                lambda: timed(make),
                lambda: run_steps(make()),
                lambda: _run_on_disk(scenario, Path(folder), count),
            ],
            repeats=9,
        )
    return [
        f"A lesson of {STEPS} steps, six students and a teacher (best of 9):",
        f"  Mesa's loop with empty agents   {1e3 * empty:8.2f} ms",
        f"  building the classroom          {1e3 * built:8.2f} ms",
        f"  the lesson, log in memory       {1e3 * memory:8.2f} ms = {memory / empty:5.1f} x   (bar 40 x, aim 10 x)",
        f"  built, run and kept on disk     {1e3 * disk:8.2f} ms = {disk / empty:5.1f} x   (bar 80 x)",
    ]
