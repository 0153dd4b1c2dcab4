"""Runs of lessons: a course from its beginning, where it was left, or from a fork on; in memory or in a study.

The adapter of the kernel for the classroom.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple, Unpack

import mesa
import msgspec
from pydantic import TypeAdapter

from eduverse_mesa import __version__
from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.memory.long_term import StudentRecord
from eduverse_mesa.models.classroom import ClassroomModel, Intervention
from eduverse_mesa.models.classroom.interventions import Move, NoChange, SetTrait
from eduverse_mesa.models.classroom.journal import RejectionRow
from eduverse_mesa.models.classroom.model import MOVING
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs import kernel
from eduverse_mesa.runs.kernel import (
    Changes,
    Chosen,
    How,
    Kind,
    Part,
    Played,
    Start,
    choose_policy,
    play_all,
    with_model,
)
from eduverse_mesa.runs.recording import Recording, Until
from eduverse_mesa.runs.rule_versions import RULES
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.scenarios import Scenario, dump_scenario, fingerprint, load_scenario
from eduverse_mesa.scenarios.layout import expand_seats
from eduverse_mesa.space import Room
from eduverse_mesa.store import MemoryRow, PlayedStep, RunKind, RunRow, SummaryRow

Progress = Callable[[ClassroomModel], None]
"""Told after each step."""

_CHANGES: TypeAdapter[tuple[Intervention, ...]] = TypeAdapter(tuple[Intervention, ...])
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The description of a run, without its answers."""

    scenario: Scenario
    seed: int
    policy: str
    changes: tuple[Intervention, ...] = ()
    parent: str | None = None
    forked_at: tuple[int, int] | None = None

    @property
    def setup(self) -> Scenario:
        """Its scenario, as every kind of run has a setup."""
        return self.scenario

    @property
    def name(self) -> str:
        """A name that is the same for the same run, on every machine."""
        whole = (
            fingerprint(self.scenario),
            self.seed,
            self.policy,
            [change.model_dump(mode="json") for change in self.changes],
            self.parent,
            self.forked_at,
        )
        return f"{self.scenario.name}-s{self.seed}-{blake2b(msgspec.json.encode(whole), digest_size=3).hexdigest()}"


@dataclass(slots=True)
class PlayedLesson(Part[ClassroomModel]):
    """A lesson of a run, as far as it was played."""

    def with_more(self, done: PlayedStep) -> PlayedStep:
        """With the last step all that the lesson leaves in memory."""
        memory = self.model.memory if done.last else None
        if memory is None:
            return done
        return done._replace(
            summaries=[summary_row(record) for record in memory.records],
            student_events=[MemoryRow(e.student, e.event, e.content, e.step) for e in memory.student_events],
            teacher_events=[MemoryRow(e.phase, e.event, e.content, e.step) for e in memory.teacher_events],
        )

    def otherwise(self, step: int) -> str:
        """Say that a step does not come out as it was recorded."""
        return f"the replay of lesson {self.number} goes another way than the recording at step {step}"


def summary_row(record: StudentRecord) -> SummaryRow:
    """Return what a lesson leaves of a student, without what is written of earlier lessons already."""
    return SummaryRow(record.student, _encode(record.of_lesson()).decode())


@dataclass(slots=True)
class Run(Played[RunSpec, PlayedLesson]):
    """A run as far as it was played, with all its lessons."""

    @property
    def lessons(self) -> list[PlayedLesson]:
        """Its lessons as far as they have begun."""
        return self.parts

    @property
    def planned(self) -> int:
        """The number of lessons of its scenario."""
        return len(self.spec.scenario.lessons)

    @property
    def steps(self) -> int:
        """Steps of all lessons."""
        return sum(lesson.model.state.step for lesson in self.lessons)

    def begin(self, number: int, policy: AnyPolicy | None) -> PlayedLesson:
        """Begin its next lesson, with what the one before left in memory."""
        spec = self.spec
        model = ClassroomModel(
            spec.scenario,
            seed=spec.seed,
            policy=policy or "embedded",
            lesson_number=number,
            memory=self.parts[-1].model.memory if self.parts else None,
            interventions=spec.changes,
        )
        self.parts.append(PlayedLesson(number, model))
        return self.parts[-1]


class Courses(Kind[RunSpec, Run]):
    """The adapter for runs of lessons."""

    code = "course"
    document = "scenario and changes"

    def read(self, row: RunRow) -> RunSpec:
        """The spec that was written down."""
        scenario = load_scenario(msgspec.json.decode(row.scenario))
        changes = _CHANGES.validate_json(row.changes)
        return RunSpec(scenario, row.seed, row.policy, changes, row.parent, row.forked_at)

    def row(self, spec: RunSpec) -> RunRow:
        """A run as a study enters it."""
        return RunRow(
            id=spec.name,
            name=spec.scenario.name,
            seed=spec.seed,
            scenario=_encode(dump_scenario(spec.scenario)).decode(),
            policy=spec.policy,
            changes=_CHANGES.dump_json(spec.changes).decode(),
            parent=spec.parent,
            forked_at=spec.forked_at,
            version=__version__,
            rules=RULES["course"],
            planned=len(spec.scenario.lessons) * spec.scenario.settings.steps,
        )

    def make(self, run: str, spec: RunSpec, chosen: Chosen[Any] | None, bill: Bill) -> Run:  # noqa: ARG002
        """A run of which nothing was played yet; what it has taken is with the ledger of who answers."""
        return Run(run, spec, ledger=None if chosen is None else chosen.ledger)

    def wrong(self, run: RunRow, where: str) -> StudyError:
        """The error for a run of another kind."""
        of, mend = _OTHERS[run.kind]
        return StudyError(f"run {run.id} is of {of}, not of lessons.", where=where, mend=mend)

    def unknown(self, run: str, until: Until, recording: Recording) -> StudyError:
        """The error for a step that was not recorded."""
        return StudyError(
            f"run {run} has no step {until[1]} in lesson {until[0]}.",
            where=recording.where,
            mend="Go back to a step that was recorded.",
        )


COURSES = Courses()

_OTHERS: dict[RunKind, tuple[str, str]] = {
    "tutoring": (
        "learners and their tutors",
        "It can be resumed, replayed, exported, named, deleted, and taught on: eduverse learner --help.",
    ),
    "collaboration": (
        "a group that solves a problem",
        "It can be replayed, exported, named and deleted, and is read and gone on with on the page Mathematics: "
        "eduverse app.",
    ),
}
"""Kinds of runs that are no course: what they are of, and what can be done with them."""


def check_fork(
    run: str,
    scenario: Scenario,
    at: Until,
    changes: Sequence[Intervention],
    *,
    played: Collection[Until],
    complete: bool,
) -> None:
    """Refuse a fork at a step that was not played, or with changes that cannot be or would never come."""
    lesson, step = at
    where = f"run {run}"
    if not (at in played or (step == 0 and (lesson == 1 or (lesson, 1) in played))):
        raise StudyError(
            f"there is no step {step} in lesson {lesson}.", where=where, mend="Fork at a step that was recorded."
        )
    over = (lesson, step + 1) not in played and (complete or (lesson + 1, 1) in played)
    for change in changes:
        if isinstance(change, NoChange):
            continue
        if (change.lesson, change.step) <= at:
            raise StudyError(
                f"a change before step {change.step} of lesson {change.lesson} comes too early: the fork begins after "
                f"step {step} of lesson {lesson}.",
                where=where,
                mend="Fork earlier, or change a later step.",
            )
        if over and change.lesson == lesson:
            raise StudyError(
                f"lesson {lesson} ends with step {step}: nothing follows in it that could be changed.",
                where=where,
                mend="Fork at an earlier step, or in another lesson.",
            )
        check_change(scenario, change)


def refuse_unfinished(run: str, played: Collection[Until], study: str = "") -> None:
    """Refuse to hold the fork of a run that was broken off against it: the fork is played to the end, and whatever
    differs after the last step of its parent is no effect of the change."""
    lesson, step = max(played, default=(1, 0))
    onward = f"eduverse resume {quote(study)} {quote(run)}" if study else "open it on the page Studies"
    raise StudyError(
        f"it was interrupted after step {step} of lesson {lesson}, and a fork of it would be played to the end: "
        "most of what differs would not come from the change.",
        where=f"run {run}",
        mend=f"Resume it first: {onward}.",
    )


def check_change(scenario: Scenario, change: Intervention) -> None:
    """Refuse a change that names nobody of the class, or a place where nobody can be."""
    if isinstance(change, Move | SetTrait):
        names = [student.name for student in scenario.roll.students]
        if change.student not in names:
            raise ScenarioError(
                f"there is no student '{change.student}'.", where=scenario.name, mend=f"There are {', '.join(names)}."
            )
    if isinstance(change, Move):
        _check_place(scenario, change)


def _check_place(scenario: Scenario, move: Move) -> None:
    layout = scenario.layout
    seats = {seat.id: seat.at for seat in expand_seats(layout)}
    if isinstance(move.to, str):
        if move.to not in seats:
            raise ScenarioError(
                f"there is no seat '{move.to}'.", where=layout.name, mend=f"Its seats are {', '.join(seats)}."
            )
        return
    # The room that the lesson will be in, without people: only furniture and the teacher never make way.
    refusal = Room(mesa.Model(), layout).refusal(move.to)
    reason = refusal.reason if refusal is not None else ""
    if move.to == layout.teacher and scenario.roll.teacher is not None:
        reason = f"{scenario.roll.teacher.name} is there"
    if reason:
        raise ScenarioError(
            f"{move.student} cannot go to {move.to}: {reason}.",
            where=layout.name,
            mend=f"Choose a free cell, or a seat: {', '.join(seats)}.",
        )


def refused_moves(run: Run) -> list[RejectionRow]:
    """The moves of a fork that were asked for and did not take place."""
    begun = run.spec.forked_at or (0, 0)
    return [
        row
        for lesson in run.lessons
        for row in lesson.model.journal.rejections
        if row.wanted.startswith(MOVING) and (lesson.number, row.step) > begun
    ]


def tell_refused(move: RejectionRow) -> str:
    """The move and the reason in one sentence."""
    return f"{move.agent} was not moved in step {move.step} ({move.wanted}): {move.reason}."


# --- in memory ---


def begin_run(
    scenario: Scenario, seed: int, policy: AnyPolicy | str | None, changes: Sequence[Intervention] = ()
) -> Start[RunSpec]:
    """A run from its beginning."""
    for change in changes:
        check_change(scenario, change)
    chosen = choose_policy(scenario, policy)
    spec = RunSpec(chosen.scenario, seed, chosen.policy.name, tuple(changes))
    return Start(spec.name, spec, chosen)


def play(run_id: str, spec: RunSpec, *, progress: Progress | None = None, **how: Unpack[How]) -> Run:
    """Play a run: recorded steps from the recording, later ones with the policy.

    `until` = (lesson, step) stops after that step: a step back in time is a shorter replay. Without a policy the run
    ends where the recording ends.
    """
    run = Run(run_id, spec)
    play_all(run, progress=_told(progress), **how)
    return run


def _told(progress: Progress | None) -> Callable[[PlayedLesson], object]:
    return lambda lesson: None if progress is None else progress(lesson.model)


def fork_in_memory(
    run: Run,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    **llm: Unpack[Changes],
) -> Start[RunSpec]:
    """Branch off a run in memory after a step."""
    parent = run.spec
    check_fork(run.id, parent.scenario, at, changes, played=run.digests, complete=run.complete)
    spec, chosen = _forked(parent, run.id, at, changes, with_model(parent.scenario, **llm), policy)
    return Start(spec.name, spec, chosen, kernel.recording_of(run, "course", at).unpaid())


def _forked(
    parent: RunSpec,
    run: str,
    at: Until,
    changes: Sequence[Intervention],
    scenario: Scenario,
    policy: AnyPolicy | str | None,
) -> tuple[RunSpec, Chosen[Scenario]]:
    chosen = choose_policy(scenario, parent.policy if policy is None else policy)
    return RunSpec(chosen.scenario, parent.seed, chosen.policy.name, (*parent.changes, *changes), run, at), chosen


def go_on_from(run: Run, policy: AnyPolicy | str | None = None, **llm: Unpack[Changes]) -> Start[RunSpec]:
    """A run in memory, where its last complete step ended; what it has taken so far counts."""
    chosen = choose_policy(with_model(run.spec.scenario, **llm), run.spec.policy if policy is None else policy)
    if chosen.ledger is not None and chosen.ledger is not run.ledger and run.bill is not None:
        chosen.ledger.go_on_from(run.bill)
    return Start(run.id, run.spec, chosen, kernel.recording_of(run, "course"))


def run_course(
    scenario: Scenario,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    changes: Sequence[Intervention] = (),
    progress: Progress | None = None,
) -> Run:
    """Play a course in memory, with no study."""
    return _play(begin_run(scenario, seed, policy, changes), progress)


def fork(
    run: Run,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    *,
    progress: Progress | None = None,
) -> Run:
    """Branch off a run in memory after step `at` = (lesson, step), with changes: same luck, one difference."""
    return _play(fork_in_memory(run, at, changes, policy), progress)


def _play(start: Start[RunSpec], progress: Progress | None) -> Run:
    run = play(start.run, start.spec, policy=start.chosen.policy, recording=start.recording, progress=progress)
    run.ledger = start.chosen.ledger
    return run


# --- in a study ---


def record_course(
    path: str,
    scenario: Scenario,
    seed: int,
    policy: AnyPolicy | str | None = None,
    *,
    changes: Sequence[Intervention] = (),
    progress: Progress | None = None,
) -> Run:
    """Play a course and keep it in a study."""
    start = begin_run(scenario, seed, policy, changes)
    with open_study(path, create=True) as opened:
        return kernel.enter_and_play(COURSES, opened, start, progress=_told(progress))


def resume_run(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    progress: Progress | None = None,
    **llm: Unpack[Changes],
) -> Run:
    """Go on where the last complete step ended; a complete run is read again, and nothing is written."""
    return kernel.resume(COURSES, opened, run, policy, progress=_told(progress), **llm)


def replay_run(opened: OpenStudy, run: str, *, until: Until | None = None) -> Run:
    """Play a recorded run again, without its policy; `until` = (lesson, step) goes back to that step."""
    return kernel.replay(COURSES, opened, run, until=until)


def replay_lessons(opened: OpenStudy, run: str) -> Iterator[PlayedLesson]:
    """Play a recorded run again, lesson by lesson: who needs no more than one at a time holds no more."""
    played = Run(run, opened.choose(run).spec)
    for lesson in kernel.play_parts(played, recording=opened.lazy_recording(run)):
        yield lesson
        del played.parts[:-1]


def fork_start(
    opened: OpenStudy,
    run: str,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    **llm: Unpack[Changes],
) -> Start[RunSpec]:
    """A new run of a study that shares the parent's answers up to a step; it is entered there."""
    stored = opened.choose(run)
    parent = stored.spec
    complete = stored.status == "complete"
    check_fork(run, parent.scenario, at, changes, played=opened.study.digests(run), complete=complete)
    recording = replace(opened.recording(run, upto=at), own=False).unpaid()
    spec, chosen = _forked(parent, run, at, changes, with_model(parent.scenario, **llm), policy)
    return Start(opened.enter(COURSES.row(spec)), spec, chosen, recording)


def fork_run(
    opened: OpenStudy,
    run: str,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    *,
    progress: Progress | None = None,
    **llm: Unpack[Changes],
) -> Run:
    """A new run that shares the parent's answers up to a step, and is changed there."""
    start = fork_start(opened, run, at, changes, policy, **llm)
    return kernel.play_on(COURSES, opened, start, progress=_told(progress))


class Known(NamedTuple):
    """A run that is there, and whether it was played to its end."""

    run: str
    complete: bool


def known_runs(
    study: str, scenario: Scenario, seeds: Collection[int], policy: AnyPolicy | str | None = None
) -> dict[int, Known]:
    """By seed, the run that would be played again; of several a complete one."""
    if "://" not in study and not Path(study).exists():
        return {}
    spec = begin_run(scenario, 0, policy).spec
    names = {replace(spec, seed=seed).name: seed for seed in seeds}
    found: dict[int, Known] = {}
    with open_study(study, create=True) as opened:  # of an earlier format, it is upgraded, as playing would
        for row in opened.study.runs():
            if row.rules != RULES[row.kind]:
                continue
            seed = names.get(row.id, names.get(_NUMBERED.sub("", row.id)))
            if seed is not None and not found.get(seed, _NONE).complete:
                found[seed] = Known(row.id, row.status == "complete")
    return found


_NONE = Known("", complete=False)
_NUMBERED = re.compile(r"-[0-9]+$")
"""The ending that a run's name gets where the name was taken: it is the same run once more."""


def refuse_known(study: str, known: Known) -> None:
    """StudyError for a run that is there."""
    place = f"{quote(study)} {quote(known.run)}"
    read = f"Read it: eduverse replay {place}" if known.complete else f"Go on with it: eduverse resume {place}"
    raise StudyError(
        f"this study already holds this run (same scenario, seed, policy): {known.run}. Nothing was played.",
        where=study,
        mend=f"{read}; play another with --seed, or this one once more, as a run of its own, with --again.",
    )
