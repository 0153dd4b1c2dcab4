"""Runs that stay in memory: a course, and a fork of one."""

from __future__ import annotations

from collections.abc import Sequence

from eduverse_mesa.models.classroom.interventions import Intervention
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.play import Progress, Run, Until, play
from eduverse_mesa.runs.starting import Start, begin_run, fork_in_memory
from eduverse_mesa.scenarios import Scenario


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
