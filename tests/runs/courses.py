"""Courses that the tests of runs share, and processes that can be killed while they play one."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs import open_study, record_course, resume_run
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.store import Study
from eduverse_mesa.store import steps as steps_of_store

SEED = 5
Point = Literal["before", "inside", "after"]


def course(*, lessons: int = 3, steps: int = 5, **settings: object) -> Scenario:
    """A short course."""
    return load_scenario(sessions=lessons, steps=steps, settings={"pacing.mode": "fixed", **settings})


def go_on(path: str, lessons: int, steps: int) -> None:
    """Play the course in this study, from wherever the last program left it."""
    try:
        with open_study(path) as opened:
            runs = opened.runs()
            if runs:
                resume_run(opened, runs[-1])
    except StudyError:
        runs = []  # killed before there was a study
    if not runs:
        record_course(path, course(lessons=lessons, steps=steps), SEED)


def die_at(point: Point, count: int, path: str, lessons: int, steps: int) -> None:
    """The same, and die by SIGKILL around the transaction of the step of this number."""
    reached = 0
    inserting = steps_of_store.insert_step

    def insert(*given: Any, **named: Any) -> None:
        nonlocal reached
        reached += 1
        if point == "before" and reached == count:
            _die()
        inserting(*given, **named)
        if point == "inside" and reached == count:
            _die()

    def dying_after(act: Callable[..., None]) -> Callable[..., None]:
        def acted(*given: Any, **named: Any) -> None:
            act(*given, **named)
            if point == "after" and reached == count:
                _die()

        return acted

    steps_of_store.insert_step = insert
    Study.commit = dying_after(Study.commit)  # type: ignore[method-assign]
    go_on(path, lessons, steps)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def child(target: Callable[..., None], *given: object) -> BaseProcess:
    """A started process of its own; all of them branch off one that has imported everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.runs.courses"])
    process = context.Process(target=target, args=given)
    process.start()
    return process


def ended(process: BaseProcess) -> int:
    """How it ended: 0, or minus the signal."""
    process.join(60)
    assert process.exitcode is not None, "it hangs"
    return process.exitcode


def log_of(path: Path | str, run: str | None = None) -> bytes:
    """The canonical log of a run."""
    with open_study(str(path), read_only=True) as opened:
        return "".join(f"{line}\n" for line in opened.study.export_log(opened.choose(run).id)).encode()
