"""Where experiments are played behind the page: in a thread and processes of their own, into a folder."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import make_engine
from eduverse_mesa.experiments.folders import ABOUT
from eduverse_mesa.experiments.papers.findings import Findings, find
from eduverse_mesa.experiments.papers.running import (
    Plan,
    Progress,
    Recorded,
    open_recorded,
    play,
    recording,
    time_left,
)
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.errands import Outcome, run_errand
from eduverse_mesa.visualization.app.notice import Notice

_ENOUGH = 20
"""Trials after which the time that is left is known by how it goes."""
FOLDER = "experiments"
"""Beside the study: a folder for each experiment that was played here."""


class Bench:
    """What a desk plays, and what it looks at. One experiment at a time."""

    def __init__(self, desk: Desk) -> None:
        self.changed = Notice()
        """Something was begun, or is over."""
        self.told = Notice()
        """One trial more."""
        self.home = home_of(desk.office.study)
        self.folder: Path | None = None
        """What is looked at."""
        self.plan: Plan | None = None
        self.found: Findings | None = None
        self.progress: Progress | None = None
        self.failure = ""
        self.seconds = math.nan
        """About how long all that was to be played takes; NaN where nobody can say."""
        self._began, self._first = 0.0, Progress(0, 0, 0)
        self.error: EduverseError | None = None
        self.busy = False
        """Something is being played, or read."""
        self._stop = threading.Event()

    @property
    def seconds_left(self) -> float:
        """About how long the rest takes: as first measured, then by how it goes."""
        now = self.progress
        if now is None or not math.isfinite(self.seconds):
            return math.nan
        done, left = now.done - self._first.done, now.total - now.done
        took = time.monotonic() - self._began
        return took / done * left if done >= _ENOUGH else max(self.seconds - took, 0.0)

    def folders(self) -> list[str]:
        """The experiments that are kept beside the study, newest first."""
        if not self.home.is_dir():
            return []
        kept = [file.parent for file in self.home.glob(f"*/{ABOUT}")]
        return [folder.name for folder in sorted(kept, key=lambda one: -(one / ABOUT).stat().st_mtime)]

    def begin(self, plan: Plan, name: str) -> None:
        """Play what of a plan is not done yet, and show what it says."""

        def work(stop: threading.Event) -> None:
            folder = self._place(name)
            with recording(plan, folder) as recorded, make_engine("processes") as engine:
                self._hear(recorded.progress)
                if plan.free:
                    self.seconds = time_left(recorded, engine.workers)
                    self._began, self._first = time.monotonic(), recorded.progress
                play(recorded, engine, self._hear, stop.is_set)
                self._show(recorded, folder)

        self._do(work)

    def open(self, name: str) -> None:
        """Show what a folder holds, without playing anything."""

        def work(_: threading.Event) -> None:
            folder = self._place(name)
            self._show(open_recorded(folder), folder)

        self._do(work)

    def stop(self) -> None:
        """Break it off after the trial that is being played; what is done is kept and shown."""
        self._stop.set()
        self.told.tell()

    @property
    def stopping(self) -> bool:
        """It was asked to stop, and has not yet."""
        return self.busy and self._stop.is_set()

    def close(self) -> None:
        """The desk is cleared."""
        self.stop()

    def _place(self, name: str) -> Path:
        """A folder by its name, beside the study; nothing else can be named from a page."""
        if not name.strip() or name != Path(name).name or name.startswith("."):
            raise EduverseError(
                f"'{name[:80]}' is no name for a folder.", mend=f"Give a plain name; it is kept in {self.home}."
            )
        return self.home / name

    def _hear(self, progress: Progress) -> None:
        self.progress = progress
        self.told.tell()

    def _show(self, recorded: Recorded, folder: Path) -> None:
        found = find(recorded.plan.experiments, recorded.table())
        self.failure = recorded.failures[0].error if recorded.failures else ""
        self.plan, self.folder, self.progress, self.found = recorded.plan, folder, recorded.progress, found

    def _do(self, work: Callable[[threading.Event], None]) -> None:
        if self.busy:
            return
        stop = self._stop = threading.Event()
        self.busy, self.error, self.progress, self.seconds = True, None, None, math.nan

        def done(outcome: Outcome[None]) -> None:
            self.busy, self.error = False, outcome.error
            self.told.tell()
            self.changed.tell()

        run_errand("experiment", lambda: work(stop), done)
        self.changed.tell()


def home_of(study: str) -> Path:
    """Where the folders are: beside the study, or here where that is a database."""
    return Path(FOLDER) if "://" in study else Path(study).resolve().parent / FOLDER


def bench_of(desk: Desk) -> Bench:
    """This desk's."""
    return desk.drawer(Bench, lambda: Bench(desk))
