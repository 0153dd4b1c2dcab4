"""The interface of every engine: it takes tasks, and gives the answer of each as it is done.

A task is bytes, and so is what it yields, so that it can travel anywhere; the work is named as `module:function`, and
is a function of bytes to bytes. Nothing is known here of classrooms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import TracebackType
from typing import NamedTuple, Protocol, Self

Work = str
"""`module:function` of a function that makes bytes of bytes."""


class Task(NamedTuple):
    """One piece of work."""

    key: str
    payload: bytes


class Finished(NamedTuple):
    """How a task ended."""

    key: str
    attempts: int
    """How often it was begun: more than once where a worker died over it."""
    answer: bytes
    error: str = ""
    """Why there is no answer; empty where there is one."""


class Engine(Protocol):
    """Plays tasks. Use it as a context: its workers live as long as that."""

    @property
    def workers(self) -> int:
        """Number of tasks that are played at once."""

    def run(self, work: Work, tasks: Iterable[Task]) -> Iterator[Finished]:
        """Each task's end, in the order in which they come. Tasks are drawn as workers become free, not all at once.

        Nothing is lost and nothing comes twice. Whoever stops asking for the next stops the work.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def load_work(work: Work) -> Callable[[bytes], bytes]:
    """The function that a work names."""
    module, _, function = work.partition(":")
    found: Callable[[bytes], bytes] = getattr(import_module(module), function)
    return found


def do(function: Callable[[bytes], bytes], task: Task, attempt: int) -> Finished:
    """Do a task here. What a user can mend is told in its own words, anything else by its kind."""
    from eduverse_mesa.errors import EduverseError

    try:
        return Finished(task.key, attempt, function(task.payload))
    except EduverseError as error:
        return Finished(task.key, attempt, b"", str(error))
    except SystemExit as stop:  # of a measurer that was written as a script: it ends itself, not the rest
        return Finished(task.key, attempt, b"", f"it called sys.exit({stop.code!r})")
    except Exception as error:
        return Finished(task.key, attempt, b"", f"{type(error).__name__}: {error}")


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
