"""Where a run starts: at its beginning, where it was left, or at a fork; in a study or in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eduverse_mesa.decisions import Bill
from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.answering import Chosen, choose_policy, with_model
from eduverse_mesa.runs.forking import check_change, check_fork
from eduverse_mesa.runs.open_runs import refuse_held
from eduverse_mesa.runs.play import EMPTY, Recording, Run, RunSpec, Until, recording_of
from eduverse_mesa.runs.sittings import end_left_open
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.scenarios.scenario import Budget

if TYPE_CHECKING:
    from eduverse_mesa.runs.studies import OpenStudy


@dataclass(frozen=True, slots=True)
class Start:
    """All that it takes to play a run from here on."""

    run: str
    spec: RunSpec
    chosen: Chosen[Scenario]
    recording: Recording = EMPTY
    """What is known already, and is not asked again."""


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
    base_url: str | None = None,
) -> Start:
    """A new run of a study that shares the parent's answers up to a step; it is entered there."""
    parent = opened.choose(run)
    check_fork(run, parent.scenario, at, changes, opened.study.digests(run), parent.status == "complete")
    recording = replace(opened.recording(run, upto=at), own=False).unpaid()
    scenario = with_model(parent.scenario, budget=budget, base_url=base_url)
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
