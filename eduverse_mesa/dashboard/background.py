"""Work in the background of a page: how far it is, a way to stop it, and a message where it fails."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.arms import SeedProgress

Found = TypeVar("Found")
_LOG = logging.getLogger(__name__)


class ErrandError(EduverseError):
    """Something that was done for a page broke off by a mistake of the program."""


class Outcome(NamedTuple, Generic[Found]):
    """Outcome of a piece of work: a result or an error."""

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


class Work:
    """One piece of work at a time; the next one stops the one before."""

    def __init__(self) -> None:
        self.told = Notice()
        self.error: EduverseError | None = None
        self.progress: SeedProgress | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """It is going on."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, work: Callable[[Ticket], None]) -> None:
        """Do this, in a thread of its own."""
        self.stop()
        ticket = Ticket(self)
        self._stop, self.error, self.progress = ticket.stop, None, None

        def done(outcome: Outcome[None]) -> None:
            if outcome.error is not None:
                ticket.fail(outcome.error)
            ticket.end()

        self._thread = run_errand("compare", lambda: work(ticket), done)
        self.told.tell()

    def stop(self) -> None:
        """Break it off."""
        self._stop.set()
        self.told.tell()


class Ticket:
    """Handle of a piece of work: tells if it is still wanted. Work that is not wanted reports nothing any more."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.stop = threading.Event()

    @property
    def current(self) -> bool:
        """Nobody has stopped it, or begun something else."""
        return not self.stop.is_set()

    def progress(self, progress: SeedProgress) -> None:
        """How far it is."""
        if self.current:
            self._work.progress = progress
            self._work.told.tell()

    def fail(self, error: EduverseError) -> None:
        """Record the error, while the work is wanted."""
        if self.current:
            self._work.error = error

    def end(self) -> None:
        """It is over."""
        if self._work._stop is self.stop:
            self._work._thread = None
            self._work.progress = None
        self._work.told.tell()
