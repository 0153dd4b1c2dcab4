"""Runs over seeds: the same scenario with other luck, and the same change made to each of them.

Runs come one by one as they are complete, so that whoever compares them need not keep them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from eduverse_mesa.errors import LessonError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.classroom import Progress, Run, RunSpec, fork, fork_run, record_course, run_course
from eduverse_mesa.runs.recording import Until
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.runs.threads import BrokenOffError
from eduverse_mesa.scenarios import Scenario

Stop = Callable[[], bool]

MOST_SEEDS = 1000
"""More would be a study of its own, and is surely a slip of the finger."""


@dataclass(frozen=True, slots=True)
class SeedProgress:
    """How far the runs of an arm are."""

    run: int
    """The run that is being played, from 1."""
    runs: int
    step: int
    """The step that is complete, of this run."""
    steps: int
    """Steps that the run has by its plan; pacing may add some."""

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min((self.run - 1 + min(self.step / max(self.steps, 1), 1)) / self.runs, 1.0)


Tell = Callable[[SeedProgress], None]


@dataclass(frozen=True, slots=True)
class Pair:
    """A run and its fork: same luck, one difference. No fork where the run was over before the change came."""

    parent: Run
    fork: Run | None


def check_seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    """The seeds, each once; refused where there are none, too many, or negative ones."""
    wanted = tuple(dict.fromkeys(seeds))
    if not 1 <= len(wanted) <= MOST_SEEDS or min(wanted) < 0:
        raise LessonError(
            f"{len(wanted)} seeds cannot be played." if wanted and min(wanted) >= 0 else "no seed, or a negative one.",
            mend=f"Give 1 to {MOST_SEEDS} whole numbers from 0 on.",
        )
    return wanted


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """The parts that the runs of an arm have in common."""

    name: str
    scenario: Scenario
    policy: AnyPolicy | str | None = None
    changes: tuple[Intervention, ...] = ()


def play_arms(
    plans: Sequence[ArmPlan],
    seeds: Iterable[int],
    *,
    study: str | None = None,
    progress: Tell | None = None,
    stop: Stop | None = None,
) -> Iterator[tuple[ArmPlan, Run]]:
    """Play every plan once for each seed, in memory or into a study; each run comes when it is complete.

    One seed after the other, so that whatever has come can be compared. When `stop()` becomes true, the run that is
    being played is broken off (a study has it as interrupted) and no more come.
    """
    wanted = check_seeds(seeds)
    todo = [(seed, plan) for seed in wanted for plan in plans]
    for number, (seed, plan) in enumerate(todo):
        watch = watching(number, len(todo), plan.scenario, progress, stop)
        try:
            run = _play(plan.scenario, seed, plan.policy, plan.changes, study, watch)
        except BrokenOffError:
            return
        yield plan, run


def play_seeds(
    scenario: Scenario,
    seeds: Iterable[int],
    policy: AnyPolicy | str | None = None,
    *,
    changes: Sequence[Intervention] = (),
    study: str | None = None,
    progress: Tell | None = None,
    stop: Stop | None = None,
) -> Iterator[Run]:
    """Play a scenario once for each seed."""
    plan = ArmPlan(scenario.name, scenario, policy, tuple(changes))
    for _, run in play_arms([plan], seeds, study=study, progress=progress, stop=stop):
        yield run


def fork_seeds(
    spec: RunSpec,
    at: Until,
    changes: Sequence[Intervention],
    seeds: Iterable[int],
    policy: AnyPolicy | str | None = None,
    *,
    study: str | None = None,
    progress: Tell | None = None,
    stop: Stop | None = None,
) -> Iterator[Pair]:
    """For each seed play a run like this one, and its fork after step `at` with the changes."""
    wanted = check_seeds(seeds)
    chosen = spec.policy if policy is None else policy
    for number, seed in enumerate(wanted):
        first, second = (watching(2 * number + half, 2 * len(wanted), spec.scenario, progress, stop) for half in (0, 1))
        try:
            parent = _play(spec.scenario, seed, chosen, spec.changes, study, first)
            child = _fork(parent, at, changes, chosen, study, second)
        except BrokenOffError:
            return
        yield Pair(parent, child)


def _play(
    scenario: Scenario,
    seed: int,
    policy: AnyPolicy | str | None,
    changes: Sequence[Intervention],
    study: str | None,
    watch: Progress,
) -> Run:
    if study is None:
        return run_course(scenario, seed, policy, changes=changes, progress=watch)
    return record_course(study, scenario, seed, policy, changes=changes, progress=watch)


def _fork(
    parent: Run,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str,
    study: str | None,
    watch: Progress,
) -> Run | None:
    lesson, step = at
    if not any((lesson, step + 1) in played.digests for played in parent.lessons):
        return None
    if study is None:
        return fork(parent, at, changes, policy, progress=watch)
    with open_study(study) as opened:
        return fork_run(opened, parent.id, at, changes, policy, progress=watch)


def watching(done: int, runs: int, scenario: Scenario, progress: Tell | None, stop: Stop | None) -> Progress:
    """Hears of each step: tells whoever wants to know, and breaks off where it was asked to."""
    a_lesson = scenario.settings.steps

    def step_done(model: ClassroomModel) -> None:
        if stop is not None and stop():
            raise BrokenOffError
        if progress is not None:
            step = (model.lesson_number - 1) * a_lesson + model.state.step
            progress(SeedProgress(done + 1, runs, step, a_lesson * len(scenario.lessons)))

    return step_done
