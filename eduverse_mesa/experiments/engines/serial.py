"""One after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from eduverse_mesa.experiments.engines.engine import Finished, Task, Work, do, load_work


class Serial:
    """Plays tasks in their order."""

    workers = 1

    def run(self, work: Work, tasks: Iterable[Task]) -> Iterator[Finished]:
        """Each task's end, in order."""
        function = load_work(work)
        for task in tasks:
            yield do(function, task, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""
