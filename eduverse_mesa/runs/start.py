"""Starts of runs: at the beginning, where a run was left, at a fork; who answers; in a study or in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Generic, TypeVar

import mesa

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import ScenarioError, StudyError
from eduverse_mesa.models.classroom.interventions import Intervention, Move, NoChange, SetTrait
from eduverse_mesa.models.classroom.journal import RejectionRow
from eduverse_mesa.models.classroom.model import MOVING
from eduverse_mesa.policies import AnyPolicy, make_policy, settle
from eduverse_mesa.policies.registry import MAKERS, AnySettings, Maker
from eduverse_mesa.runs.open_runs import end_left_open, refuse_held
from eduverse_mesa.runs.play import EMPTY, Progress, Recording, Run, RunSpec, Until, play, recording_of
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.layout import expand_seats
from eduverse_mesa.scenarios.scenario import Budget
from eduverse_mesa.scenarios.tutoring import Tutoring
from eduverse_mesa.space import Room

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.calling import Ledger
    from eduverse_mesa.runs.studies import OpenStudy

Setup = TypeVar("Setup", Scenario, Tutoring, Collaboration)
"""The kinds of setups that can be played, with settings that say who answers."""


def with_model(scenario: Setup, **changes: Budget | str | float | None) -> Setup:
    """The scenario with changes to its language model; None changes nothing."""
    llm = scenario.settings.llm.model_copy(update={key: value for key, value in changes.items() if value is not None})
    return scenario.model_copy(update={"settings": scenario.settings.model_copy(update={"llm": llm})})


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Setup]):
    """The policy that answers in a run, with the setup it belongs to."""

    scenario: Setup
    """The setup, with what the environment has decided about the policy."""
    policy: AnyPolicy
    ledger: Ledger | None = None
    """The spending on a language model, and its bounds, where one is asked."""


def choose_policy(scenario: Setup, policy: AnyPolicy | str | None) -> Chosen[Setup]:
    """The policy of a run, and the scenario with what the environment has decided about it.

    A run that was recorded with a model goes on with that model, whatever the environment says by then.
    """
    wanted = scenario.settings.policy if policy is None else policy
    if not isinstance(wanted, str):
        return Chosen(scenario, wanted)  # its ledger, where it has one, may be of several runs
    settings = settle(wanted, scenario.settings)
    if settings is not scenario.settings:
        scenario = scenario.model_copy(update={"settings": settings})
    asked: list[AnyPolicy] = []

    def noted(name: str) -> Maker:
        def make(settings: AnySettings) -> AnyPolicy:
            asked.append(MAKERS[name](settings))
            return asked[-1]

        return make

    people = scenario.members if isinstance(scenario, Collaboration) else scenario.people
    made = make_policy(wanted, scenario.settings, people, {name: noted(name) for name in MAKERS})
    asked.sort(key=lambda one: one.name == "llm")  # beside an endpoint, a local model is free
    ledgers = [ledger for one in asked if (ledger := getattr(one, "ledger", None)) is not None]
    return Chosen(scenario, made, ledgers[-1] if ledgers else None)


Place = tuple[int, int]


def check_fork(
    run: str, scenario: Scenario, at: Place, changes: Sequence[Intervention], played: Collection[Place], complete: bool
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


def refuse_unfinished(run: str, played: Collection[Place], study: str = "") -> None:
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


@dataclass(frozen=True, slots=True)
class Start:
    """All that it takes to play a run from here on."""

    run: str
    spec: RunSpec
    chosen: Chosen[Scenario]
    recording: Recording = EMPTY
    """The part that is known already, and is not asked again."""


def begin_run(
    scenario: Scenario, seed: int, policy: AnyPolicy | str | None, changes: Sequence[Intervention] = ()
) -> Start:
    """A run from its beginning."""
    for change in changes:
        check_change(scenario, change)
    chosen = choose_policy(scenario, policy)
    spec = RunSpec(chosen.scenario, seed, chosen.policy.name, tuple(changes))
    return Start(spec.name, spec, chosen)


def resume_start(
    opened: OpenStudy,
    run: str,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> Start:
    """A run of a study, where its last complete step ended."""
    refuse_held(opened.study.path, run)
    stored, recording = opened.choose(run), opened.recording(run)
    scenario = with_model(stored.scenario, budget=budget, useless=useless, base_url=base_url)
    chosen = choose_policy(scenario, stored.spec.policy if policy is None else policy)
    if chosen.ledger is not None:
        chosen.ledger.go_on_from(Bill.read(opened.study.run(run).spent))
    end_left_open(opened.study, run)
    if stored.status != "complete":
        opened.study.set_status(run, "running")
    return Start(run, stored.spec, chosen, recording)


def fork_start(
    opened: OpenStudy,
    run: str,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
    base_url: str | None = None,
) -> Start:
    """A new run of a study that shares the parent's answers up to a step; it is entered there."""
    parent = opened.choose(run)
    check_fork(run, parent.scenario, at, changes, opened.study.digests(run), parent.status == "complete")
    recording = replace(opened.recording(run, upto=at), own=False).unpaid()
    scenario = with_model(parent.scenario, budget=budget, useless=useless, base_url=base_url)
    chosen = choose_policy(scenario, parent.spec.policy if policy is None else policy)
    spec = RunSpec(chosen.scenario, parent.spec.seed, chosen.policy.name, (*parent.spec.changes, *changes), run, at)
    return Start(opened.add(spec), spec, chosen, recording)


def fork_in_memory(
    run: Run,
    at: Until,
    changes: Sequence[Intervention],
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
) -> Start:
    """Branch off a run in memory after a step."""
    scenario = run.spec.scenario
    played = {place for lesson in run.lessons for place in lesson.digests}
    check_fork(run.id, scenario, at, changes, played, run.complete)
    chosen = choose_policy(with_model(scenario, budget=budget), run.spec.policy if policy is None else policy)
    spec = RunSpec(chosen.scenario, run.spec.seed, chosen.policy.name, (*run.spec.changes, *changes), run.id, at)
    return Start(spec.name, spec, chosen, recording_of(run, at).unpaid())


def go_on_from(
    run: Run,
    policy: AnyPolicy | str | None = None,
    *,
    budget: Budget | None = None,
    useless: float | None = None,
) -> Start:
    """A run in memory, where its last complete step ended; what it has taken so far counts."""
    scenario = with_model(run.spec.scenario, budget=budget, useless=useless)
    chosen = choose_policy(scenario, run.spec.policy if policy is None else policy)
    if chosen.ledger is not None and chosen.ledger is not run.ledger and run.bill is not None:
        chosen.ledger.go_on_from(run.bill)
    return Start(run.id, run.spec, chosen, recording_of(run))


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


def _play(start: Start, progress: Progress | None) -> Run:
    run = play(start.run, start.spec, policy=start.chosen.policy, recording=start.recording, progress=progress)
    run.ledger = start.chosen.ledger
    return run
