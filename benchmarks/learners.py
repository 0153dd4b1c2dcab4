"""A cohort of learners through five grades: what one costs, and that a thousand cost a thousand times as much."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter, process_time

from benchmarks.memory import resident
from eduverse_mesa.models.tutoring import TutoringModel

_SIZES = (5, 10, 20)
_COHORT, _PART, _WORKERS = 1000, 25, 2


def _taught(learners: int, first: int = 0) -> tuple[float, int, float]:
    """Processor seconds, dialogues and megabytes for so many learners, from grade 1 to 5."""
    before, start = resident(), process_time()
    model = TutoringModel(learners=learners, settings={"cohort.sample.seed": first} if first else {}, seed=1 + first)
    dialogues = len(model.run().journal.episodes)
    return process_time() - start, dialogues, resident() - before


def bench_learners() -> Iterator[str]:
    """Cost by size, then the whole cohort on two cores, in parts: learners know nothing of each other."""
    _taught(1)  # the curriculum is read, patterns are made
    sessions = len(TutoringModel(learners=1, seed=1).enrolments[0].agenda)
    yield f"Learners from grade 1 to grade 5, {sessions} dialogues each:"
    costs = {}
    for size in _SIZES:
        took, dialogues, held = _taught(size)
        costs[size] = took / size
        each = took / dialogues * 1e3
        yield f"  {size:4} learners: {took:6.1f} s of processor time, {each:5.2f} ms a dialogue, {held:6.1f} MB more"
    few, many = _SIZES[0], _SIZES[-1]
    yield f"  a learner among {many} costs {costs[many] / costs[few]:.2f} of one among {few}   (linear: 1)"
    start = perf_counter()
    with ProcessPoolExecutor(_WORKERS) as pool:
        parts = list(pool.map(_taught, [_PART] * (_COHORT // _PART), range(1, 1 + _COHORT // _PART)))
    took, dialogues = perf_counter() - start, sum(part[1] for part in parts)
    most = max(held for *_, held in parts)
    yield (
        f"  {_COHORT} learners on {_WORKERS} processes: {took:.0f} s, {dialogues:,} dialogues; "
        f"{most:.0f} MB more in the largest part of {_PART}"
    )
