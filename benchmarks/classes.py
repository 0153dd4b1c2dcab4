"""The cost of a student-step in classes of 6, 60 and 600."""

from __future__ import annotations

from functools import partial

from benchmarks.lessons import STEPS, fixed_lesson, run_steps
from benchmarks.timing import best_of
from eduverse_mesa.models.classroom import ClassroomModel

_SIZES = (6, 60, 600)


def bench_class_sizes() -> list[str]:
    """Microseconds for each student and step."""
    scenarios = [fixed_lesson(size) for size in _SIZES]

    def run(place: int) -> float:
        return run_steps(ClassroomModel(scenarios[place], seed=1))

    times = best_of([partial(run, place) for place in range(len(_SIZES))], repeats=3)
    costs = [1e6 * time / STEPS / size for time, size in zip(times, _SIZES, strict=True)]
    lines = [f"Cost of a student-step, lessons of {STEPS} steps (best of 3):"]
    lines += [
        f"  {size:4d} students  {cost:8.1f} us = {cost / costs[0]:5.2f} x"
        for size, cost in zip(_SIZES, costs, strict=True)
    ]
    lines.append(f"  spread {max(costs) / min(costs):.2f} x   (bar 1.5 x)")
    return lines
