"""What a player has played, written to a study at once, or from the moment on when somebody wants to keep it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.journal import LoggedAnswer
from eduverse_mesa.runs.open_runs import note_open, same_study
from eduverse_mesa.runs.play import Run
from eduverse_mesa.runs.recording import Committed, StudyRecorder
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.store import RunStatus, Study

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger


class Tape:
    """A recorder that may get its study later; steps and wishes to keep them come from different threads."""

    def __init__(self, run: Run, ledger: Ledger | None, study: Study | None = None) -> None:
        self._run = run
        self._ledger = ledger
        self._turn = Lock()
        self._done: list[Committed] = []
        self._status: RunStatus = "running"
        self._study = study
        self._recorder = None if study is None else StudyRecorder(study, run.id, ledger)
        self.path = None if study is None else study.path
        self._leave = None if study is None else note_open(study.path, run.id)

    def step(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A step is complete."""
        with self._turn:
            if self._recorder is not None:
                self._recorder.step(model, answers)
            self._note(model, last=False)

    def lesson(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A lesson is complete with this, its last step."""
        with self._turn:
            if self._recorder is not None:
                self._recorder.lesson(model, answers)
            self._note(model, last=True)

    def _note(self, model: ClassroomModel, *, last: bool) -> None:
        if self._recorder is None:
            self._done.append(Committed(model, model.state.step, model.digest(), last))

    def keep(self, path: str) -> str:
        """Write down what was played so far, and from now on each step as it comes."""
        with self._turn:
            if self.path is not None:
                if same_study(self.path, path):
                    return self._run.id
                raise LessonError(f"this run is kept in {self.path} already.", mend="Fork it to have another.")
            study = Study.open(path, create=True)
            try:
                run, recorder = self._copy_to(study)
            except BaseException:
                study.close()
                raise
            self._run.id, self.path = run, study.path
            self._done.clear()
            if self._status == "running":
                self._study, self._recorder = study, recorder
                self._leave = note_open(study.path, run)
            else:
                study.close()
            return run

    def _copy_to(self, study: Study) -> tuple[str, StudyRecorder]:
        opened, spec = OpenStudy(study), self._run.spec
        if spec.parent is not None and spec.parent not in opened.runs():
            raise LessonError(
                f"run {spec.parent}, of which this is a fork, is not in this study.",
                where=study.path,
                mend="Keep that run there first.",
            )
        run = opened.add(spec)
        recorder = StudyRecorder(study, run, self._ledger)
        try:
            for done in self._done:
                recorder.commit(done)
            recorder.note_bill()
            if self._status != "running":
                recorder.close()
                study.set_status(run, self._status)
        except BaseException:
            recorder.close()
            raise
        return run, recorder

    def end(self, status: RunStatus | None) -> None:
        """Nothing more comes; without a status, how the run stands in the study is not ours to say."""
        with self._turn:
            self._status = status or "interrupted"
            study, recorder = self._study, self._recorder
            self._study = self._recorder = None
            if study is None or recorder is None:
                return
            try:
                if status is not None:
                    recorder.note_bill()
                    study.set_status(self._run.id, status)
            finally:
                recorder.close()
                study.close()
                if self._leave is not None:
                    self._leave()
