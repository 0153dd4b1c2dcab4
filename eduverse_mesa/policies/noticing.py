"""Who has answered, while others of a batch still think: a policy says so where it knows."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

from eduverse_mesa.decisions import Decision

Result = TypeVar("Result")
Notice = Callable[[Decision], None]

_NOTICE: ContextVar[Notice | None] = ContextVar("eduverse_notice", default=None)


def answered(decision: Decision) -> None:
    """This one is answered. Whoever waits for the batch is told; without anybody, nothing happens."""
    notice = _NOTICE.get()
    if notice is not None:
        notice(decision)


async def noticing(begin: Callable[[], Coroutine[Any, Any, Result]], notice: Notice) -> Result:
    """Begin work and await it, and hear of each decision in it that is answered. Tasks that it starts are heard, too.

    What is broken off before its turn has not begun: a coroutine that nobody awaits is one that Python complains of.
    """
    token = _NOTICE.set(notice)
    try:
        return await begin()
    finally:
        _NOTICE.reset(token)
