"""Memory: what a lesson holds, and that ten thousand lessons in a row hold no more."""

from __future__ import annotations

import gc
import resource
import sys
import tracemalloc

from benchmarks.lessons import fixed_lesson
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.scenarios import Scenario

_LESSONS = 10_000
_STEPS_OF_MANY = 4
"""Short lessons: what leaks, leaks with each classroom, and ten thousand are done in minutes."""


def _play(scenario: Scenario, seed: int) -> ClassroomModel:
    model = ClassroomModel(scenario, seed=seed)
    while model.running:
        model.step()
    return model


def resident() -> float:
    """Most memory the process ever held, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def bench_memory() -> list[str]:
    """Memory of one lesson, and growth over many."""
    scenario = fixed_lesson()
    _play(scenario, 0)
    gc.collect()
    tracemalloc.start()
    model = _play(scenario, 1)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del model
    short = scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"steps": _STEPS_OF_MANY})})
    marks = {}
    for number in range(1, _LESSONS + 1):
        _play(short, number)
        if number in (_LESSONS // 10, _LESSONS // 2, _LESSONS):
            gc.collect()
            marks[number] = resident()
    lines = [f"Memory of a lesson with its journal and log: {held / 2**20:.1f} MiB"]
    lines += [f"  peak of the process after {number:6d} lessons  {size:8.1f} MiB" for number, size in marks.items()]
    lines.append(f"  growth over the last half: {marks[_LESSONS] - marks[_LESSONS // 2]:.1f} MiB   (flat: 0)")
    return lines
