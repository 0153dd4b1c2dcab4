"""A sweep on a two-node Ray cluster of this machine gives what it gives here, whatever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.engines.ray import Ray
from eduverse_mesa.experiments.sweeps.execution import Ended, play_sweep, status_of
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, begin_sweep, open_sweep, read_sweep
from tests.experiments.engines.nodes import cluster, daemons, worker_pids
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


@pytest.mark.parametrize("name", ["raylet", pytest.param("gcs_server", marks=pytest.mark.slow)])
def test_when_ray_itself_dies_the_other_runs_are_left_for_later(name: str, tmp_path: Path) -> None:
    """They were begun again five times each, and written down as failed."""
    file, out = tmp_path / "many.yaml", tmp_path / "many"
    file.write_text("kind: sweep\nname: many\nfactors: {layout: [lecture, round], steps: [4]}\nseeds: 2000")
    line = [
        sys.executable,
        "-m",
        "eduverse_mesa",
        "sweep",
        "run",
        str(file),
        "--out",
        str(out),
        "--engine",
        "ray",
        "-q",
    ]
    with subprocess.Popen([*line, "--workers", "2"], stderr=subprocess.PIPE, text=True) as driver:
        try:
            until = time.monotonic() + 120
            while len(list(out.glob("results/*.parquet"))) < 5:
                assert time.monotonic() < until
                assert driver.poll() is None
                time.sleep(0.05)
            [pid] = daemons(driver.pid, name)
            os.kill(pid, signal.SIGKILL)
            _, said = driver.communicate(timeout=180)
        finally:
            driver.kill()
    told = said.strip().splitlines()[-1]
    status = status_of(SweepFolder(out))
    assert driver.returncode == 1
    assert told.startswith(f"error: {out}: Ray is gone (")
    assert f"{status.done:,} of 4,000 runs are kept" in told
    assert told.endswith(f"Go on: eduverse sweep resume {out}")
    assert "Traceback" not in said
    assert (status.failing, status.begun_again) == ((), 0)
    assert 5 <= status.done < 4000
    with open_sweep(out) as folder, Serial() as engine:
        again = play_sweep(folder, engine)
        assert not next(again).error
        again.close()


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
