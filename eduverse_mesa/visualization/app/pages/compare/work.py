"""Work in the background of a page, with how far it is, a way to stop it, and what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.arms import SeedProgress
from eduverse_mesa.visualization.app.errands import Outcome, run_errand
from eduverse_mesa.visualization.app.notice import Notice


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
    """What a piece of work holds: whether it is still wanted. Work that is not says nothing any more."""

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
        """What went wrong."""
        if self.current:
            self._work.error = error

    def end(self) -> None:
        """It is over."""
        if self._work._stop is self.stop:
            self._work._thread = None
            self._work.progress = None
        self._work.told.tell()
