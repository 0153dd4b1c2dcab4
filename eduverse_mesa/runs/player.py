"""A run that is played while somebody looks on, in a thread of its own.

What is played is what `run_course` plays, whatever the commands and their order: they only say when.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Self, TypeVar

from eduverse_mesa.decisions import Answer, Bill, Decision
from eduverse_mesa.decisions import Status as AnswerStatus
from eduverse_mesa.errors import EduverseError, LessonError, StudyError
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.policies.driver import has_to_wait
from eduverse_mesa.runs.classroom import (
    COURSES,
    PlayedLesson,
    Progress,
    Run,
    RunSpec,
    begin_run,
    fork_in_memory,
    fork_start,
    go_on_from,
)
from eduverse_mesa.runs.events import RESTING, Event, EventKind, Listener, Listeners, Status
from eduverse_mesa.runs.kernel import Chosen, Part, Start, play_all, resume_start
from eduverse_mesa.runs.open_runs import note_open, same_study
from eduverse_mesa.runs.recording import Until, Writer
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.runs.threads import BrokenOffError, Thinking, Turnstile, Watched, explain, note_ending
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.store import RunStatus, Study


@dataclass(frozen=True, slots=True)
class Spending:
    """Counted over the whole run, what came to nothing included."""

    bill: Bill = field(default_factory=Bill)
    """The bill of language models."""
    outcomes: dict[AnswerStatus, int] = field(default_factory=dict)
    """Answers by status."""
    sources: dict[str, int] = field(default_factory=dict)
    """Answers by who gave them."""


class Count:
    """Counts answers step by step; what language models took stands in the run's ledger."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._outcomes: Counter[AnswerStatus] = Counter()
        self._sources: Counter[str] = Counter()

    def read(self, lesson: PlayedLesson) -> None:
        """Count the answers of the step that is complete."""
        for entry in lesson.answers_of(lesson.steps):
            answer = entry.answer
            self._outcomes[answer.status] += 1
            self._sources[answer.source] += 1

    @property
    def reading(self) -> Spending:
        """The spending, and the answers by status and source, as counted so far."""
        return Spending(self._run.bill or Bill(), dict(self._outcomes), dict(self._sources))


class Tape:
    """A recorder that may get its study later; steps and wishes to keep them come from different threads."""

    def __init__(self, run: Run, study: Study | None = None) -> None:
        self._run = run
        self._turn = Lock()
        self._done: list[tuple[Part[Any], int]] = []
        self._status: RunStatus = "running"
        self._study: Study | None = None
        self._writer: Writer | None = None
        self.path: str | None = None
        if study is not None:
            self._write_to(study)

    def _write_to(self, study: Study) -> None:
        """Write each step down there from now on."""
        self._study, self.path = study, study.path
        self._writer = Writer(study, self._run.id, self._run.ledger)
        self._leave = note_open(study.path, self._run.id)

    def note(self, part: Part[Any], step: int) -> None:
        """A step is complete."""
        with self._turn:
            if self._writer is not None:
                self._writer.note(part, step)
            else:
                self._done.append((part, step))

    def keep(self, path: str) -> str:
        """Write down what was played so far, and from now on each step as it comes."""
        with self._turn:
            if self.path is not None:
                if same_study(self.path, path):
                    return self._run.id
                raise LessonError(f"this run is kept in {self.path} already.", mend="Fork it to have another.")
            study = Study.open(path, create=True)
            try:
                self._run.id = self._copy_to(OpenStudy(study))
                self.path = study.path
                self._done.clear()
                if self._status == "running":
                    self._write_to(study)
            except BaseException:
                study.close()
                raise
            if self._writer is None:
                study.close()
            return self._run.id

    def _copy_to(self, opened: OpenStudy) -> str:
        spec, bill = self._run.spec, self._run.bill
        if spec.parent is not None and spec.parent not in opened.runs():
            raise LessonError(
                f"run {spec.parent}, of which this is a fork, is not in this study.",
                where=opened.study.path,
                mend="Keep that run there first.",
            )
        row = COURSES.row(spec)._replace(status=self._status, spent="" if bill is None else bill.write())
        return opened.enter_played(row, (part.kept(step) for part, step in self._done))

    def end(self, status: RunStatus | None) -> None:
        """Nothing more comes; without a status, how the run stands in the study is not ours to say."""
        with self._turn:
            self._status = status or "interrupted"
            study, writer = self._study, self._writer
            self._study = self._writer = None
            if study is None or writer is None:
                return
            try:
                if status is not None:
                    writer.note_bill()
                    study.set_status(self._run.id, status)
            finally:
                writer.close()
                study.close()
                self._leave()


_LOG = logging.getLogger(__name__)

Wrap = Callable[[AnyPolicy], AnyPolicy]
Made = TypeVar("Made")


class LessonPlayer:
    """Plays a run, lesson after lesson; every method can be called from any thread and returns at once.

    `progress` and listeners are called in the player's thread, between steps, so that they may read the run; so may
    anybody else within `still()`. `wrap` puts another policy around the one that the run was given: people in seats.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        policy: AnyPolicy | str | None = None,
        *,
        changes: Sequence[Intervention] = (),
        study: str | None = None,
        progress: Progress | None = None,
        wrap: Wrap | None = None,
    ) -> None:
        start = begin_run(scenario, seed, policy, changes)
        opened = None
        if study is not None:
            opened = Study.open(study, create=True)
            start = replace(start, run=_safely(opened, lambda: OpenStudy(opened).enter(COURSES.row(start.spec))))
        self._open(start, opened, progress, wrap)

    @classmethod
    def resume(
        cls,
        study: str,
        run: str,
        policy: AnyPolicy | str | None = None,
        *,
        budget: Budget | None = None,
        base_url: str | None = None,
        progress: Progress | None = None,
        wrap: Wrap | None = None,
    ) -> Self:
        """Go on with a run of a study where its last complete step ended."""
        opened = Study.open(study)
        start = _safely(
            opened, lambda: resume_start(COURSES, OpenStudy(opened), run, policy, budget=budget, base_url=base_url)
        )
        return cls.of(start, opened, progress=progress, wrap=wrap)

    @classmethod
    def fork(
        cls,
        run: Run | str,
        at: Until,
        changes: Sequence[Intervention] = (),
        policy: AnyPolicy | str | None = None,
        *,
        study: str | None = None,
        budget: Budget | None = None,
        progress: Progress | None = None,
        wrap: Wrap | None = None,
    ) -> Self:
        """Branch off after step `at`: from a run in memory, or, by its id, from a run of a study, which keeps both."""
        if isinstance(run, Run):
            return cls.of(fork_in_memory(run, at, changes, policy, budget=budget), progress=progress, wrap=wrap)
        if study is None:
            raise LessonError(f"run {run} is in no study that was named.", mend="Name the study, or give the run.")
        opened = Study.open(study)
        start = _safely(opened, lambda: fork_start(OpenStudy(opened), run, at, changes, policy, budget=budget))
        return cls.of(start, opened, progress=progress, wrap=wrap)

    @classmethod
    def go_on(
        cls,
        run: Run,
        policy: AnyPolicy | str | None = None,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        wrap: Wrap | None = None,
    ) -> Self:
        """Go on with a run in memory that was stopped, or has failed: from its last complete step. A budget goes on
        counting."""
        return cls.of(go_on_from(run, policy, budget=budget), progress=progress, wrap=wrap)

    @classmethod
    def of(
        cls,
        start: Start[RunSpec],
        study: Study | None = None,
        *,
        progress: Progress | None = None,
        wrap: Wrap | None = None,
    ) -> Self:
        """Play from any start; the study, in which the run is entered, is closed at the end."""
        player = cls.__new__(cls)
        player._open(start, study, progress, wrap)
        return player

    def _open(self, start: Start[RunSpec], study: Study | None, progress: Progress | None, wrap: Wrap | None) -> None:
        self.run = Run(start.run, start.spec, ledger=start.chosen.ledger)
        self.error: EduverseError | None = None
        self._start = start
        self._bell = threading.Condition()
        self._room = Turnstile()
        self._progress = progress
        self._tape = Tape(self.run, study)
        self._count = Count(self.run)
        self._policy = start.chosen.policy if wrap is None else wrap(start.chosen.policy)
        self._watched: Watched | None = None
        if has_to_wait(self._policy):
            self._watched = Watched(self._policy, self._bell, self._room, self._thinking_changed)
        self._listeners: Listeners[Event] = Listeners()
        self._told: Status = "loading"
        self._pace: float | None = None
        self._going, self._owed = False, 0
        self._until: Until | None = None
        self._begun, self._stopping, self._loading, self._inside = False, False, True, True
        self._head: Until = (1, 0)
        self.known: Until = max(start.recording.digests, default=(1, 0))
        """(lesson, step) of the last step that was played before; while it is `loading`, the head comes up to it."""
        self._last_step = float("-inf")
        self._end: Status | None = None
        self._thread = threading.Thread(target=self._live, name=f"eduverse-player-{start.run}", daemon=True)
        self._thread.start()

    # --- commands ---

    def play(self, pace: float | None = None, *, until: Until | None = None) -> None:
        """Play on: so many steps a second, or as fast as it goes; to the end, or until after a step."""
        _check_pace(pace)
        with self._commanding():
            self._pace, self._until = pace, until
            self._going = until is None or self._head < until

    def pause(self) -> None:
        """Rest after the step that is being taken."""
        with self._commanding():
            self._going, self._owed = False, 0

    def step(self) -> None:
        """Take one step and rest; called again before that, one more."""
        with self._commanding():
            self._going, self._owed = False, self._owed + 1

    def set_pace(self, pace: float | None) -> None:
        """So many steps a second from now on, or as fast as it goes."""
        _check_pace(pace)
        with self._bell:
            self._pace = pace
            self._bell.notify_all()

    def stop(self) -> None:
        """End here, even while somebody is being waited for; a step that is not complete is not taken."""
        with self._bell:
            self._stopping = True
            self._bell.notify_all()
        note_ending(self._thread)
        if self._watched is not None:
            self._watched.stop()

    def keep(self, path: str) -> str:
        """Write what was played so far into a study, go on recording there, and return the run's id in it."""
        run = self._tape.keep(path)
        self._emit("kept")
        return run

    @contextmanager
    def _commanding(self) -> Iterator[None]:
        with self._bell:
            if self._end in ("stopped", "failed") or self._stopping:
                raise LessonError(
                    "this lesson was stopped." if self.error is None else f"this lesson has failed: {self.error}",
                    mend="Go on from its last complete step in another player.",
                )
            if self._end is None:
                self._begun = True
                yield
            else:  # complete: there is nothing left to do, and nobody has to know beforehand
                yield
                self._going, self._owed = False, 0
            self._bell.notify_all()

    # --- what there is to know ---

    @property
    def status(self) -> Status:
        """How it stands."""
        with self._bell:
            if self._end is not None:
                return self._end
            if self._loading:
                return "loading"
            if self._watched is not None and self._watched.out:
                return "thinking"
            if self._inside or self._going or self._owed:
                return "playing"
            return "paused" if self._begun else "ready"

    @property
    def head(self) -> Until:
        """(lesson, step) of the last complete step; (1, 0) before the first."""
        return self._head

    @property
    def thinking(self) -> tuple[Thinking, ...]:
        """Those who are asked and have not answered."""
        return () if self._watched is None else self._watched.out

    @property
    def spending(self) -> Spending:
        """The spending on language models, and the answers by status and source, so far."""
        return self._count.reading

    @property
    def study(self) -> str | None:
        """The study that the run is kept in."""
        return self._tape.path

    @contextmanager
    def still(self) -> Iterator[Run]:
        """The run while nothing in it moves: between steps, or while a step waits for answers. Be quick."""
        if threading.current_thread() is self._thread:
            yield self.run
            return
        self._room.enter()
        try:
            yield self.run
        finally:
            self._room.leave()

    def wait(self, seconds: float | None = None) -> Status:
        """Block until it rests or has ended, or for so long; for scripts and tests."""
        with self._bell:
            self._bell.wait_for(self._rests, seconds)
            return self.status

    def _rests(self) -> bool:
        if self._stopping and self._end is None:
            return False
        return self.status in RESTING and self.status == self._told

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of events, in the player's thread, until the returned function is called."""
        return self._listeners.add(listener)

    # --- in the player's thread ---

    def _live(self) -> None:
        end: Status
        self._room.enter()
        try:
            play_all(
                self.run,
                policy=self._watched or self._policy,
                recorder=self._tape,
                recording=self._start.recording,
                progress=self._step_done,
                gate=self._gate,
            )
            end = "complete"
            self._tape.end("complete")
        except BaseException as error:
            end = "stopped" if isinstance(error, BrokenOffError) else "failed"
            self.error = None if end == "stopped" else explain(error, self.run.id, self._head)
            self._put_down(error)
        with self._bell:
            self._end, self._inside, self._loading = end, False, False
            self._bell.notify_all()
        self._room.leave()
        self._tell()

    def _put_down(self, error: BaseException) -> None:
        """Say in the study how the run stands; after trouble with the study itself that is not ours to say."""
        try:
            self._tape.end(None if isinstance(error, StudyError) else "interrupted")
        except EduverseError as trouble:
            _LOG.exception("run %s: its end could not be written", self.run.id)
            self.error = self.error or trouble

    def _gate(self) -> None:
        """Return when the next step is to be taken."""
        with self._bell:
            self._inside = self._loading = False
            self._bell.notify_all()
        self._room.leave()
        try:
            self._rest()
        finally:
            self._room.enter()

    def _rest(self) -> None:
        while True:
            self._tell()
            with self._bell:
                if self._stopping:
                    raise BrokenOffError
                delay = self._delay()
                if delay is not None and delay <= 0:
                    self._owed -= bool(self._owed)
                    self._inside, self._last_step = True, time.monotonic()
                    return
                if self.status == self._told:
                    self._bell.wait(delay)

    def _delay(self) -> float | None:
        """Seconds until the next step; None while none is wanted."""
        if self._owed:
            return 0.0
        if not self._going:
            return None
        return 0.0 if self._pace is None else self._last_step + 1 / self._pace - time.monotonic()

    def _step_done(self, lesson: PlayedLesson) -> None:
        with self._bell:
            self._head = (lesson.number, lesson.steps)
            if self._until is not None and self._head >= self._until:
                self._going, self._until = False, None
        self._count.read(lesson)
        if self._progress is not None:
            self._progress(lesson.model)
        self._emit("step")
        if self._loading and self._room.awaited:  # who wants to look does not wait for the end of a long recording
            self._room.leave()
            self._room.enter()
        if self._loading and self._stopping:
            raise BrokenOffError

    def _thinking_changed(self) -> None:
        self._tell()
        self._emit("thinking")

    def _tell(self) -> None:
        status = self.status
        if status == self._told:
            return
        self._emit("status", status)
        with self._bell:  # only now: who waits for it finds that everybody has heard of it
            self._told = status
            self._bell.notify_all()

    def _emit(self, kind: EventKind, status: Status | None = None) -> None:
        self._listeners.tell(Event(kind, status or self.status, self._head))


def _check_pace(pace: float | None) -> None:
    if pace is not None and not 0 < pace < float("inf"):
        raise LessonError(f"{pace} steps a second is no pace.", mend="Use more than 0, or none for as fast as it goes.")


def _safely(study: Study, make: Callable[[], Made]) -> Made:
    """Return what is made with an open study; where that fails, the study is closed again."""
    try:
        return make()
    except BaseException:
        study.close()
        raise


class _NothingMore:
    """Answers nothing: what a run has no recording of cannot be looked at."""

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:  # noqa: ARG002 - as policies have it
        """No answer."""
        raise LessonError(
            "the recording of this run ends here.",
            mend="To have its next steps, go on with the run: then who answered before is asked again.",
        )


def view_run(study: str, run: str, *, progress: Progress | None = None) -> LessonPlayer:
    """A player of what was recorded of a run. The study is read and not written, whoever else plays the run."""
    with open_study(study, read_only=True) as opened:
        stored, recording = opened.choose(run), opened.recording(run)
    chosen = Chosen(stored.spec.scenario, _NothingMore(stored.spec.policy))
    # As if it were another run's recording: so the player can write it down elsewhere, too.
    return LessonPlayer.of(Start(stored.id, stored.spec, chosen, replace(recording, own=False)), progress=progress)
