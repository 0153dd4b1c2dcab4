"""The study on a desk: what it holds, what was chosen of it, and what is being done to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from eduverse_mesa.dashboard.background import Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.dashboard.notice import Stop
from eduverse_mesa.errors import EduverseError, StudyError
from eduverse_mesa.runs.erasure import Erasure, erase_participant, participant_document
from eduverse_mesa.runs.events import ENDED
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.open_runs import refuse_open, same_study, study_key
from eduverse_mesa.runs.player import LessonPlayer, view_run
from eduverse_mesa.runs.studies import OpenStudy, RunCard, RunDocuments, delete_run, open_study, rename_run, run_cards
from eduverse_mesa.store import ParticipantRow, SittingRow, Study


@dataclass(eq=False)
class _Lock:
    """A study's turn, remembered as long as somebody wants it."""

    turn: Lock = field(default_factory=Lock)


_LOCKS: WeakValueDictionary[str, _Lock] = WeakValueDictionary()
_DOOR = Lock()


@contextmanager
def while_reading(path: str) -> Iterator[None]:
    """Held by whoever reads a study for a page: erasing a person needs its file for itself. Who reads another study
    does not wait for that."""
    key = study_key(path)
    with _DOOR:
        lock = _LOCKS.get(key)
        if lock is None:
            lock = _LOCKS[key] = _Lock()
    with lock.turn:
        yield


@dataclass(frozen=True, slots=True)
class Seen:
    """Contents of a study when it was last read."""

    cards: tuple[RunCard, ...] = ()
    people: tuple[ParticipantRow, ...] = ()
    sittings: tuple[SittingRow, ...] = ()
    there: bool = False
    """There is a study; none is no mistake, it only has no run yet."""


class StudyReader:
    """Reads one study. Opening checks a whole file, so it is done once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen = Seen()
        self._study: Study | None = None
        self._file: int | None = None
        self._version: str | None = None
        self._closed = False

    def look(self) -> Seen:
        """Return the contents of the study now; StudyError if it cannot be read. Once it was closed, nothing is opened
        again, for nobody would close it: a thread that still looks gets what was seen last."""
        with while_reading(self.path):
            if self._closed:
                return self.seen
            file = _number_of(self.path)
            if file != self._file:  # it is another file than before, or none
                self._shut()
            if file is None:
                self.seen = Seen()
                return self.seen
            if self._study is None:
                self._study, self._file = Study.open(self.path, read_only=True), file
            version = self._study.standing()
            if version != self._version:
                self.seen = _read(self._study, {card.id: card.plan for card in self.seen.cards})
                self._version = version  # as it was before: what was written meanwhile is read the next time
            return self.seen

    def _shut(self) -> None:
        if self._study is not None:
            self._study.close()
        self._study = self._file = self._version = None

    def close(self) -> None:
        """Let go of the file, for good."""
        with while_reading(self.path):
            self._closed = True
            self._shut()


def _read(study: Study, known: Mapping[str, RunDocuments]) -> Seen:
    return Seen(tuple(run_cards(OpenStudy(study), known)), tuple(study.participants()), tuple(study.sittings()), True)


def _number_of(path: str) -> int | None:
    """Return the inode of the file; None if there is no file or it is empty, 0 for a database on a server."""
    if "://" in path:
        return 0
    try:
        state = Path(path).stat()
    except (OSError, ValueError):  # the latter for a path that no file can have
        return None
    return state.st_ino if state.st_size else None


_EVERY = 2.0
"""Seconds between two looks at a study."""


class StudyShelf(Worker):
    """A study as the page shows it. What takes longer is done by a thread, one piece at a time."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.selected = ""
        """The run that is looked at closely."""
        self.unread: EduverseError | None = None
        """Why the study cannot be read."""
        self.proof: Erasure | None = None
        self._reader = StudyReader(desk.study)
        self._attending = 0
        self._wake = threading.Event()
        self._door = threading.RLock()

    @property
    def seen(self) -> Seen:
        """Contents of the study when it was last read."""
        return self._reader.seen

    @property
    def path(self) -> str:
        """Path of the study."""
        return self._reader.path

    def card(self, run: str) -> RunCard | None:
        """A run, unless it is gone."""
        return next((card for card in self.seen.cards if card.id == run), None)

    # --- looking ---

    def look(self) -> None:
        """Read the study, and say so where it holds something else than before."""
        before, unread = self._reader.seen, self.unread
        try:
            self._reader.look()
            self.unread = None
        except EduverseError as error:
            self.unread = error
        if self._reader.seen != before or str(self.unread) != str(unread):
            self._forget_what_is_gone()
            self.changed.tell()

    def attend(self) -> Stop:
        """Keep looking until what is returned is called."""
        with self._door:
            self._attending += 1
            if self._attending == 1:
                self._wake = threading.Event()
                threading.Thread(
                    target=self._keep_looking, args=(self._wake,), name="eduverse-study", daemon=True
                ).start()

        def leave() -> None:
            with self._door:
                self._attending -= 1
                if not self._attending:
                    self._wake.set()

        return leave

    def _keep_looking(self, over: threading.Event) -> None:
        while not over.wait(_EVERY):
            self.look()

    def _forget_what_is_gone(self) -> None:
        there = {card.id for card in self.seen.cards}
        self.desk.to_compare[:] = [run for run in self.desk.to_compare if run in there]
        if self.selected not in there:
            self.selected = ""

    def turn_to(self, path: str) -> bool:
        """Look at another study; where that is none, this one stays."""
        path = path.strip()
        if path == self.path:
            return True
        reader = StudyReader(path)
        try:
            if not reader.look().there and path != self.desk.office.study:
                raise StudyError(
                    "there is no such study.", where=path, mend="Give the path of a study on this machine."
                )
        except EduverseError as error:
            reader.close()
            self.refuse(error)
            return False
        self._reader.close()
        self._reader, self.desk.study = reader, path
        self.selected, self.error, self.unread, self.proof = "", None, None, None
        self.desk.to_compare.clear()
        self.changed.tell()
        return True

    # --- choosing ---

    def select(self, run: str) -> None:
        """Look at a run closely; at none where the id is empty."""
        self.selected, self.error = run, None
        self.changed.tell()

    def tick(self, run: str) -> None:
        """Choose a run for comparing, or no longer."""
        chosen = self.desk.to_compare
        if run in chosen:
            chosen.remove(run)
        elif self.card(run) is not None:
            chosen.append(run)
        self.changed.tell()

    def untick(self) -> None:
        """Choose none."""
        self.desk.to_compare.clear()
        self.changed.tell()

    # --- doing ---

    def rename(self, run: str, title: str) -> None:
        """Give a run a title."""

        def work() -> None:
            with open_study(self.path) as opened:
                rename_run(opened, run, title)

        self._work("renaming", work)

    def delete(self, run: str, *, with_forks: bool = False, abandoned: bool = False) -> None:
        """Take a run out of the study."""

        def work() -> None:
            with open_study(self.path) as opened:
                delete_run(opened, run, with_forks=with_forks, abandoned=abandoned)
            self.desk.office.forget(self.path)

        self._work("deleting", work)

    def show(self, run: str, then: Callable[[], None]) -> None:
        """Open what was recorded of a run on the classroom page."""
        path = self.path
        self._open(
            run,
            lambda lesson: lesson.open(lambda film: view_run(path, run, progress=film.take), kept=run, study=path),
            then,
        )

    def _open(self, run: str, open_in: Callable[[ClassroomLesson], object], then: Callable[[], None]) -> None:
        """Put a run on the classroom page, unless it is there, and go on with `then`."""
        lesson = classroom_lesson(self.desk)
        if self._plays_here(run):
            then()
            return

        def work() -> None:
            open_in(lesson)
            self._arrive(lesson.error, then)

        self._work("opening", work)

    def show_learners(self, run: str) -> None:
        """Let the page Learner open the learners of a run, as they were after it."""
        self.desk.to_teach = self.path, run

    def show_group(self, run: str) -> None:
        """Let the page Mathematics open a group's dialogue."""
        self.desk.to_meet = self.path, run

    def live(self, run: str) -> LiveLesson | None:
        """The lesson with people in it that this run is, where it is open in this very program and goes on."""
        for lesson in self.desk.office.lessons.all():
            player = lesson.player
            if player.run.id == run and player.study is not None and same_study(player.study, self.path):
                return None if player.status in ENDED else lesson
        return None

    def go_on(self, run: str, then: Callable[[], None]) -> None:
        """Open a run that is not complete on the classroom page, to be gone on with. One that is open in this program,
        in a lesson with people or in another browser, is refused: whoever has it open would be thrown out."""
        path = self.path

        def open_in(lesson: ClassroomLesson) -> None:
            refuse_open(path, [run])
            lesson.open(lambda film: LessonPlayer.resume(path, run, progress=film.take))

        self._open(run, open_in, then)

    def _plays_here(self, run: str) -> bool:
        player = classroom_lesson(self.desk).player
        return player.study == self.path and player.run.id == run and player.status not in ENDED

    def _arrive(self, error: EduverseError | None, then: Callable[[], None]) -> None:
        if error is not None:
            lesson = classroom_lesson(self.desk)
            lesson.error = None  # it is said here, where it was asked for
            raise error
        then()

    def document(self, participant: str) -> dict[str, Any]:
        """All that is kept of a person."""
        with open_study(self.path, read_only=True) as opened:
            return participant_document(opened, participant)

    def erase(self, participant: str) -> None:
        """Erase a person, and keep the proof to be read."""
        from eduverse_mesa.policies.llm.connection import cache_path

        def work() -> None:
            with while_reading(self.path):
                self.proof = erase_participant(self.path, participant, cache=cache_path())
            self.desk.office.forget(self.path)

        self.proof = None
        self._work("erasing", work)

    def _work(self, name: str, work: Callable[[], None]) -> None:
        """Do something with the study in a thread, and read it again."""

        def go() -> None:
            try:
                work()
            finally:
                self.look()

        self.do(name, lambda _: go(), where=self.path)

    def close(self) -> None:
        """Let go of the study."""
        self._wake.set()
        self._reader.close()


def study_shelf(desk: Desk) -> StudyShelf:
    """The study on this desk."""
    return desk.drawer(StudyShelf, lambda: StudyShelf(desk))


def forks_of(cards: Iterable[RunCard], run: str) -> list[str]:
    """The forks of a run, and theirs, oldest first."""
    family = {run}
    found = []
    for card in cards:
        if card.row.parent in family:
            family.add(card.id)
            found.append(card.id)
    return found
