"""Small sweeps for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import kill
from pathlib import Path
from signal import SIGKILL

import pandas as pd

from eduverse_mesa.experiments.engines import Engine, Processes, Serial
from eduverse_mesa.experiments.sweeps.execution import Ended, play_sweep
from eduverse_mesa.experiments.sweeps.folder import Facts, begin_sweep, read_sweep
from eduverse_mesa.experiments.trials import Trial, trials_over
from eduverse_mesa.scenarios import fingerprint, load_scenario

FACTS = Facts(name="small", measure=("lessons",), keep=("bec.*", "outcomes.*"), columns={"layout": "text"})


def plan(seeds: int, steps: int = 4, layouts: tuple[str, ...] = ("lecture", "round")) -> Iterator[tuple[str, Trial]]:
    """Short lessons in some layouts."""
    scenarios = {layout: load_scenario("first_lesson", layout=layout, steps=steps) for layout in layouts}
    marks = {layout: fingerprint(scenario) for layout, scenario in scenarios.items()}
    for trial in trials_over(
        [({"layout": layout}, scenario) for layout, scenario in scenarios.items()], range(1, seeds + 1)
    ):
        yield marks[str(trial.factors["layout"])], trial


def play_all(path: Path, seeds: int, engine: Engine | None = None, steps: int = 4) -> list[Ended]:
    """Begin a sweep, or go on with it, until all is done."""
    with begin_sweep(path, FACTS, plan(seeds, steps)) as folder:
        return list(play_sweep(folder, engine or Serial()))


def table_of(path: Path) -> pd.DataFrame:
    """Its results."""
    return read_sweep(path)


@contextmanager
def killing(engine: Processes, every: float, most: int = 10**9) -> Iterator[list[int]]:
    """Kill a worker at random every so many seconds; yields the list of those that were."""
    killed: list[int] = []
    over = threading.Event()

    def work() -> None:
        while not over.wait(every) and len(killed) < most:
            pids = engine.pids
            if pids:
                pid = pids[time.monotonic_ns() // 1000 % len(pids)]
                kill(pid, SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()
