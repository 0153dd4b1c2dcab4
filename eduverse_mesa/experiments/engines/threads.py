"""Many at once in this process, in lockstep: for models whose answers come in batches.

A task plays in a thread of its own until it needs answers, and waits. When all wait, what they ask goes out together:
so many lessons take as many batches as one of them. Numbers alone are played quicker by processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeVar

from eduverse_mesa.experiments.engines.engine import Finished, Task, Work, do, load_work
from eduverse_mesa.experiments.engines.processes import count_workers
from eduverse_mesa.policies.background_loop import Players

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 200
"""Lessons that are under way at a time, where nobody says how many."""
_ENDING = 10.0
"""Seconds that threads have to end in when they are broken off."""


class _Failed(NamedTuple):
    """The error that broke a thread."""

    error: BaseException


class Threads:
    """Plays tasks side by side in threads of this process."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = AT_ONCE if workers is None else count_workers(workers)

    def run(self, work: Work, tasks: Iterable[Task]) -> Generator[Finished, None, None]:
        """Each task's end, as it comes."""
        function = load_work(work)
        yield from self.each(lambda task: do(function, task, 1), tasks)

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the function's result for each item, as it comes; an error in the function ends it."""
        crew = _Crew(function)
        drawn = iter(items)
        try:
            while True:
                crew.take(islice(drawn, self.workers - crew.out))
                if not crew.out:
                    return
                yield crew.next_result()
        finally:
            crew.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to end: threads live as long as somebody asks for results."""


class _Crew(Generic[Item, Result]):
    """The threads of one run: one for each item that is under way."""

    def __init__(self, function: Callable[[Item], Result]) -> None:
        self._function = function
        self._players = Players()
        self._done: SimpleQueue[tuple[threading.Thread, Result | _Failed]] = SimpleQueue()
        self._threads: set[threading.Thread] = set()

    @property
    def out(self) -> int:
        """Number of items under way."""
        return len(self._threads)

    def take(self, items: Iterable[Item]) -> None:
        """Begin with these. All of them count as players before the first of them begins."""
        new = [threading.Thread(target=self._play, args=(item,), name="eduverse-player", daemon=True) for item in items]
        for _ in new:
            self._players.join()
        self._threads.update(new)
        for thread in new:
            thread.start()

    def next_result(self) -> Result:
        """The next that is done."""
        thread, result = self._done.get()
        self._threads.discard(thread)
        if isinstance(result, _Failed):
            raise result.error
        return result

    def end(self) -> None:
        """Break off what is under way."""
        if self._threads:
            self._players.end()
        for thread in self._threads:
            thread.join(_ENDING)

    def _play(self, item: Item) -> None:
        result: Result | _Failed
        with self._players.playing():
            try:
                result = self._function(item)
            except BaseException as error:
                result = _Failed(error)
        self._done.put((threading.current_thread(), result))
