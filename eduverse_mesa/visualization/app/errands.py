"""What takes longer than a page may wait is done in a thread; what goes wrong in it becomes a message."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from eduverse_mesa.errors import EduverseError

Found = TypeVar("Found")
_LOG = logging.getLogger(__name__)


class ErrandError(EduverseError):
    """Something that was done for a page broke off by a mistake of the program."""


class Outcome(NamedTuple, Generic[Found]):
    """What came of it: one of the two."""

    found: Found | None
    error: EduverseError | None


def run_errand(
    name: str, work: Callable[[], Found], done: Callable[[Outcome[Found]], None], *, where: str = ""
) -> threading.Thread:
    """Do it in a thread of this name, and hand over what came of it there: `done` is called in any case."""

    def run() -> None:
        done(_outcome(name, work, where))

    thread = threading.Thread(target=run, name=f"eduverse-{name}", daemon=True)
    thread.start()
    return thread


def _outcome(name: str, work: Callable[[], Found], where: str) -> Outcome[Found]:
    try:
        return Outcome(work(), None)
    except EduverseError as error:
        return Outcome(None, error)
    except Exception as error:
        _LOG.exception("%s broke off", name)
        told = f"this broke off ({type(error).__name__}: {error})."
        return Outcome(None, ErrandError(told, where=where, mend="Try again; the server's log says more."))
