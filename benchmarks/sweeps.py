"""Sweeps: how much of two cores reaches the lessons, and that ten thousand of them hold no more memory than some."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.memory import resident
from eduverse_mesa.experiments.engines import Engine, Processes, Serial
from eduverse_mesa.experiments.sweeps.execution import play_sweep
from eduverse_mesa.experiments.sweeps.folder import Facts, begin_sweep
from eduverse_mesa.experiments.trials import Trial, trial_of
from eduverse_mesa.scenarios import fingerprint, load_scenario

_WORKERS = 2
_RUNS, _STEPS = 120, 30
_ROUNDS = 3
_LESSONS, _STEPS_OF_MANY = 10_000, 4
"""Short lessons: what leaks, leaks with each run, and ten thousand are done in minutes."""
_FACTS = Facts(name="bench", measure=("lessons",), keep=("*",), columns={})


def _trials(runs: int, steps: int, first: int = 1) -> Iterator[tuple[str, Trial]]:
    scenario = load_scenario("first_lesson", steps=steps)
    mark = fingerprint(scenario)
    text = trial_of(scenario, 1).scenario
    for seed in range(first, first + runs):
        yield mark, Trial(scenario=text, seed=seed)


def _play(folder: Path, engine: Engine, runs: int, first: int) -> float:
    """Seconds for a sweep with everything that belongs to it: playing, measuring, writing."""
    start = perf_counter()
    with begin_sweep(folder, _FACTS, _trials(runs, _STEPS, first)) as opened:
        for ended in play_sweep(opened, engine):
            assert not ended.error
    return perf_counter() - start


def bench_sweeps() -> list[str]:
    """Parallel efficiency, then memory."""
    base = Path(tempfile.mkdtemp())
    try:
        return [*_efficiency(base), *_memory(base)]
    finally:
        shutil.rmtree(base)


def _efficiency(base: Path) -> list[str]:
    """One worker against two in the same minutes, alternating: a busy moment meets both."""
    times: dict[int, list[float]] = {1: [], _WORKERS: []}
    with Processes(1) as one, Processes(_WORKERS) as several:
        for engine in (one, several):  # the workers are there and warm
            _play(base / f"warm{engine.workers}", engine, 2 * _WORKERS, 1)
        for number in range(_ROUNDS):
            for engine in (one, several):
                folder = base / f"{engine.workers}-{number}"
                times[engine.workers].append(_play(folder, engine, _RUNS, 1 + number * _RUNS))
    alone, together = min(times[1]), min(times[_WORKERS])
    here = _play(base / "here", Serial(), _RUNS, 1)
    load = f", load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else ""
    return [
        f"Sweep of {_RUNS} lessons of {_STEPS} steps, written to a folder (best of {_ROUNDS}{load}):",
        f"  in this process {_RUNS / here:6.1f} lessons/s, one worker {_RUNS / alone:6.1f}, "
        f"{_WORKERS} workers {_RUNS / together:6.1f}",
        f"  parallel efficiency {alone / together / _WORKERS:.2f}   (bar 0.90)",
    ]


def _memory(base: Path) -> list[str]:
    marks: dict[int, float] = {}
    workers: dict[int, float] = {}
    with (
        Processes(_WORKERS) as engine,
        begin_sweep(base / "many", _FACTS, _trials(_LESSONS, _STEPS_OF_MANY)) as opened,
    ):
        for number, ended in enumerate(play_sweep(opened, engine), 1):
            assert not ended.error
            if number in (_LESSONS // 10, _LESSONS // 2, _LESSONS):
                gc.collect()
                marks[number] = resident()
                workers[number] = _resident_of(engine.pids)
        done = len(opened.done())
    lines = [f"Memory of a sweep of {done:,} lessons of {_STEPS_OF_MANY} steps, {_WORKERS} workers:"]
    lines += [
        f"  after {number:6d} lessons: parent at most {size:7.1f} MiB, largest worker {workers[number]:7.1f} MiB"
        for number, size in marks.items()
    ]
    half = _LESSONS // 2
    grown = marks[_LESSONS] - marks[half], workers[_LESSONS] - workers[half]
    lines.append(f"  growth over the last half: parent {grown[0]:.1f}, worker {grown[1]:.1f} MiB   (flat: 0)")
    return lines


def _resident_of(pids: list[int]) -> float:
    """Return the peak memory of the largest of some processes, in MiB; 0 where the system does not tell it."""
    sizes = [0.0]
    for pid in pids:
        file = Path(f"/proc/{pid}/status")
        if file.exists():
            lines = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
            sizes.append(int(lines["VmHWM"].split()[0]) / 1024)
    return max(sizes)


if __name__ == "__main__":
    for line in bench_sweeps():
        print(line, flush=True)
