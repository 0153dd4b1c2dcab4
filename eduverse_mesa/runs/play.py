"""Play a course: its lessons in order, each with what the one before left in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

import msgspec

from eduverse_mesa.decisions import Bill, Usage
from eduverse_mesa.errors import StudyError
from eduverse_mesa.memory.long_term import LessonMemory
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.models.classroom.journal import LoggedAnswer
from eduverse_mesa.policies import AnyPolicy, NotRecordedError, Recorded, ReplayPolicy
from eduverse_mesa.policies.driver import run_waiting
from eduverse_mesa.runs.rules import UNKNOWN, Origin
from eduverse_mesa.scenarios import Scenario, fingerprint

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger

Until = tuple[int, int]
"""A place in a run: (lesson, step), both from 1."""

Progress = Callable[[ClassroomModel], None]

Gate = Callable[[], None]
"""Returns when the next step may be taken."""


def _never_wait() -> None:
    pass


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
class PlayedLesson:
    """A lesson of a run, as far as it was played."""

    number: int
    model: ClassroomModel
    complete: bool = False
    digests: dict[Until, str] = field(default_factory=dict)
    """The state's fingerprint after each step, by (lesson, step)."""


@dataclass(slots=True)
class Run:
    """A run as far as it was played, with all its lessons."""

    id: str
    spec: RunSpec
    lessons: list[PlayedLesson] = field(default_factory=list)
    ledger: Ledger | None = field(default=None, repr=False, compare=False)
    """The run's spending on a language model, where one is asked."""
    kept_bill: Bill | None = field(default=None, repr=False, compare=False)
    """The bill that a study has of a run that is played again."""

    @property
    def bill(self) -> Bill | None:
        """The bill of model servers so far; None where nobody kept count."""
        return self.kept_bill if self.ledger is None else self.ledger.bill

    @property
    def complete(self) -> bool:
        """Every lesson was played to its end."""
        return len(self.lessons) == len(self.spec.scenario.lessons) and all(lesson.complete for lesson in self.lessons)

    @property
    def steps(self) -> int:
        """Steps of all lessons."""
        return sum(lesson.model.state.step for lesson in self.lessons)

    def answers(self) -> Iterator[LoggedAnswer]:
        """The whole answer log."""
        for lesson in self.lessons:
            yield from lesson.model.journal.answers


class Recorder(Protocol):
    """A recorder to which a run is written as it goes on."""

    def step(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A step is complete."""

    def lesson(self, model: ClassroomModel, answers: Sequence[LoggedAnswer]) -> None:
        """A lesson is complete with this, its last step."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The part of a run that is known already: its answers up to some step, with the state's digest after each step."""

    answers: tuple[Recorded, ...]
    digests: dict[tuple[int, int], str]
    origin: Origin = UNKNOWN
    own: bool = True
    """The recording is this run's own log; otherwise (a fork) its steps are written to the new run, too."""

    def unpaid(self) -> Recording:
        """The same answers for another run, which did not pay for them."""
        free = (entry._replace(answer=entry.answer._replace(usage=_free(entry.answer.usage))) for entry in self.answers)
        return replace(self, answers=tuple(free))

    def holds(self, lesson: int, step: int) -> bool:
        """This step was recorded."""
        return (lesson, step) in self.digests


def _free(usage: Usage | None) -> Usage | None:
    """Nothing was taken; who answered stays known."""
    return Usage(model=usage.model) if usage is not None and usage.model else None


EMPTY = Recording((), {})


def play(
    run_id: str,
    spec: RunSpec,
    *,
    policy: AnyPolicy | None = None,
    recorder: Recorder | None = None,
    recording: Recording = EMPTY,
    until: Until | None = None,
    progress: Progress | None = None,
) -> Run:
    """Play a run: recorded steps from the recording, later ones with the policy.

    `until` = (lesson, step) stops after that step: a step back in time is a shorter replay. Without a policy the run
    ends where the recording ends.
    """
    run = Run(run_id, spec)
    play_into(
        run, policy=policy, recorder=recorder, recording=recording, until=until, progress=progress, gate=_never_wait
    )
    return run


def play_into(
    run: Run,
    *,
    policy: AnyPolicy | None,
    recorder: Recorder | None,
    recording: Recording,
    until: Until | None,
    progress: Progress | None,
    gate: Gate,
) -> None:
    """Play into a run that somebody may be looking at meanwhile, and ask at the gate before each step that is new.

    Between two lessons the gate comes before the next lesson's room is made: whoever waits there still has the end of
    the last one before their eyes.
    """
    spec = run.spec
    memory: LessonMemory | None = None
    for number in range(1, len(spec.scenario.lessons) + 1):
        if policy is None and not recording.holds(number, 1):
            break
        if number > 1 and not recording.holds(number, 1):
            gate()
        lesson = _begin(spec, number, policy, memory)
        run.lessons.append(lesson)
        replay = ReplayPolicy(entry for entry in recording.answers if entry.lesson == number)
        if not _play_lesson(
            lesson, policy, replay, recorder=recorder, recording=recording, until=until, progress=progress, gate=gate
        ):
            break
        lesson.complete = True
        memory = lesson.model.memory


def replay_each(spec: RunSpec, recording_of_lesson: Callable[[int], Recording]) -> Iterator[PlayedLesson]:
    """Each lesson of a recorded run, as far as it was recorded; of a long course no more than one is held at a time."""
    memory: LessonMemory | None = None
    for number in range(1, len(spec.scenario.lessons) + 1):
        recording = recording_of_lesson(number)
        if not recording.holds(number, 1):
            break
        lesson, replay = _begin(spec, number, None, memory), ReplayPolicy(recording.answers)
        lesson.complete = _play_lesson(
            lesson, None, replay, recorder=None, recording=recording, until=None, progress=None, gate=_never_wait
        )
        yield lesson
        if not lesson.complete:
            break
        memory = lesson.model.memory


def _begin(spec: RunSpec, number: int, policy: AnyPolicy | None, memory: LessonMemory | None) -> PlayedLesson:
    model = ClassroomModel(
        spec.scenario,
        seed=spec.seed,
        policy=policy or "embedded",
        lesson_number=number,
        memory=memory,
        interventions=spec.changes,
    )
    return PlayedLesson(number, model)


def _play_lesson(
    lesson: PlayedLesson,
    policy: AnyPolicy | None,
    replay: ReplayPolicy,
    *,
    recorder: Recorder | None,
    recording: Recording,
    until: Until | None,
    progress: Progress | None,
    gate: Gate,
) -> bool:
    """True when the lesson was played to its end."""
    model, number = lesson.model, lesson.number
    while model.running:
        step = model.state.step + 1
        if until is not None and (number, step) > until:
            return False
        if recording.holds(number, step):
            _replay_step(model, replay, recording)
            if recorder is not None and not recording.own:
                _record(model, recorder)
        elif policy is None:
            return False
        else:
            if number == 1 or step > 1:
                gate()
            model.step()
            if recorder is not None:
                _record(model, recorder)
        lesson.digests[number, step] = model.digest()
        if progress is not None:
            progress(model)
    return True


def _replay_step(model: ClassroomModel, replay: ReplayPolicy, recording: Recording) -> None:
    number, step = model.lesson_number, model.state.step + 1
    otherwise = f"the replay of lesson {number} goes another way than the recording at step {step}"
    try:
        run_waiting(model.rounds(), replay)
    except NotRecordedError as error:
        raise StudyError(f"{otherwise}: {error.message}", mend=recording.origin.mend) from error
    model.finish_driven_step()
    if model.digest() != recording.digests[number, step]:
        raise StudyError(f"{otherwise}.", mend=recording.origin.mend)


def _record(model: ClassroomModel, recorder: Recorder) -> None:
    answers = answers_of(model, model.state.step)
    (recorder.step if model.running else recorder.lesson)(model, answers)


def answers_of(model: ClassroomModel, step: int) -> list[LoggedAnswer]:
    """Return the answers that are written with a step. Those given before the first step belong to it: a lesson begins
    whole, too."""
    return [*(model.journal.of_step(0) if step == 1 else ()), *model.journal.of_step(step)]


def recording_of(run: Run, upto: Until | None = None) -> Recording:
    """A run in memory as a recording, up to a step."""
    entries = [entry for entry in run.answers() if upto is None or (entry.lesson, entry.step) <= upto]
    digests = {place: digest for lesson in run.lessons for place, digest in lesson.digests.items()}
    return Recording(
        tuple(Recorded(entry.lesson, entry.step, entry.agent, entry.kind, entry.answer) for entry in entries),
        {place: digest for place, digest in digests.items() if upto is None or place <= upto},
        Origin.here("course"),
        own=False,
    )
