"""Work in the background of pages: how far it is, a way to stop it, and a message where it fails."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.runs.threads import BrokenOffError

Found = TypeVar("Found")
_LOG = logging.getLogger(__name__)


class ErrandError(EduverseError):
    """Something that was done for a page broke off by a mistake of the program."""


class Outcome(NamedTuple, Generic[Found]):
    """Outcome of a piece of work: a result or an error; neither where it was stopped."""

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
    except BrokenOffError:
        return Outcome(None, None)
    except EduverseError as error:
        return Outcome(None, error)
    except Exception as error:
        _LOG.exception("%s broke off", name)
        told = f"this broke off ({type(error).__name__}: {error})."
        return Outcome(None, ErrandError(told, where=where, mend="Try again; the server's log says more."))


class Progress(NamedTuple):
    """How far a piece of work is."""

    done: int
    total: int
    part: float = 0
    """Share of the piece after those that are done, 0 to 1."""

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min((self.done + self.part) / max(self.total, 1), 1.0)


class Worker:
    """Work for a page in a thread of its own, one piece at a time: what is done, how far it is, and what went wrong."""

    def __init__(self) -> None:
        self.changed = Notice()
        """Something was begun or is over, or something else is looked at."""
        self.told = Notice()
        """It is farther than before, or was asked to stop."""
        self.progress: Progress | None = None
        self.error: EduverseError | None = None
        self.error_at = ""
        """Place on the page where it went wrong; empty: above everything."""
        self.stopped = False
        """What was done last was stopped before its end."""
        self._ticket: Ticket | None = None
        self._slot = threading.RLock()

    @property
    def busy(self) -> bool:
        """Something is being done."""
        return self._ticket is not None

    @property
    def doing(self) -> str:
        """Name of what is being done; empty where nothing is."""
        ticket = self._ticket
        return ticket.name if ticket is not None else ""

    @property
    def stopping(self) -> bool:
        """It was asked to stop, and has not yet."""
        ticket = self._ticket
        return ticket is not None and not ticket.current

    def do(
        self,
        name: str,
        work: Callable[[Ticket], None],
        *,
        at: str = "",
        where: str = "",
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Do something, and `then` something else once it is over; False while something else is being done."""
        with self._slot:
            if self.busy:
                return False
            ticket = self._ticket = Ticket(self, name)
            self.progress, self.error, self.error_at, self.stopped = None, None, at, False

        def done(outcome: Outcome[None]) -> None:
            with self._slot:
                if self._ticket is not ticket:  # something else is done instead
                    return
                self._ticket = self.progress = None
                # What is done says itself what it refuses, too: that is not forgotten.
                self.error, self.stopped = outcome.error or self.error, not ticket.current
            self.told.tell()
            self.changed.tell()
            if then is not None:
                then()

        run_errand(name, lambda: work(ticket), done, where=where)
        self.changed.tell()
        return True

    def replace(self, name: str, work: Callable[[Ticket], None]) -> None:
        """Do this instead of what is being done."""
        with self._slot:
            self.stop()
            self._ticket = None
            self.do(name, work)

    def stop(self) -> None:
        """Stop it after what has begun."""
        ticket = self._ticket
        if ticket is not None and ticket.current:
            ticket.stop.set()
            self.told.tell()

    def refuse(self, error: EduverseError | str, at: str = "") -> None:
        """Say why something was not even begun."""
        self.error, self.error_at = EduverseError(error) if isinstance(error, str) else error, at
        self.changed.tell()

    def close(self) -> None:
        """The desk is cleared."""
        self.stop()


class Ticket:
    """Handle of a piece of work: tells if it is still wanted. Work that is not wanted reports nothing any more."""

    def __init__(self, worker: Worker, name: str = "") -> None:
        self.name = name
        self.stop = threading.Event()
        self._worker = worker

    @property
    def current(self) -> bool:
        """Nobody has stopped it, or begun something else."""
        return not self.stop.is_set()

    def progress(self, done: int, total: int, part: float = 0) -> None:
        """How far it is."""
        if self.current:
            self._worker.progress = Progress(done, total, part)
            self._worker.told.tell()
