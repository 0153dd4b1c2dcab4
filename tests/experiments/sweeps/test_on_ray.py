"""A sweep on a two-node Ray cluster of this machine gives what it gives here, whatever is killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.experiments.engines.ray import Ray
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, begin_sweep
from eduverse_mesa.experiments.sweeps.reading import read_sweep
from eduverse_mesa.experiments.sweeps.running import Ended, play_sweep, status_of
from tests.experiments.engines.nodes import cluster, worker_pids
from tests.experiments.sweeps.kit import FACTS, plan, play_all

pytestmark = pytest.mark.xdist_group("ray")


@contextmanager
def killing_workers(every: float) -> Iterator[list[int]]:
    """Kill one of the cluster's workers every so many seconds."""
    killed: list[int] = []
    over = threading.Event()

    def work() -> None:
        while not over.wait(every):
            pids = worker_pids()
            if pids:
                killed.append(pids[len(killed) % len(pids)])
                with suppress(ProcessLookupError):
                    os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def test_workers_killed_now_and_then_change_nothing(tmp_path: Path) -> None:
    planned = begin_sweep(tmp_path / "ray", FACTS, plan(12))
    killed = 0
    ends = []
    with cluster(2) as nodes, Ray(nodes.address, attempts=20) as engine, planned as folder:
        for ended in play_sweep(folder, engine):
            ends.append(ended)
            if len(ends) % 8 == 1:
                for pid in worker_pids()[:1]:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
    assert killed >= 3
    assert_equal_to_serial(tmp_path, folder, ends, 4)


@pytest.mark.slow
def test_a_thousand_runs_while_a_worker_dies_every_two_seconds(tmp_path: Path) -> None:
    planned = begin_sweep(tmp_path / "ray", FACTS, plan(500, 12))
    with (
        cluster(2, cores=2) as nodes,
        Ray(nodes.address, attempts=100) as engine,
        planned as folder,
        killing_workers(2.0) as killed,
    ):
        ends = list(play_sweep(folder, engine))
    assert len(killed) >= 10
    assert_equal_to_serial(tmp_path, folder, ends, 12)


def assert_equal_to_serial(tmp_path: Path, folder: SweepFolder, ends: list[Ended], steps: int) -> None:
    assert {ended.error for ended in ends} == {""}
    assert len({ended.key for ended in ends}) == len(ends) == folder.facts.trials
    assert status_of(folder).left == 0
    play_all(tmp_path / "serial", len(ends) // 2, steps=steps)
    pd.testing.assert_frame_equal(read_sweep(folder), read_sweep(tmp_path / "serial"))
