"""A course that is killed at any moment goes on as if nothing had been."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.runs import Run, open_study, record_course, replay_run, results
from tests.runs.courses import SEED, Point, child, course, die_at, ended, go_on, log_of

LESSONS, STEPS = 3, 5


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any], float]:
    """The log and the measures of the course without any kill, and how long it takes."""
    path = tmp_path_factory.mktemp("whole") / "whole.study"
    begun = time.perf_counter()
    run: Run = record_course(str(path), course(lessons=LESSONS, steps=STEPS), SEED)
    return log_of(path), results(run), time.perf_counter() - begun


def check(path: Path, whole: tuple[bytes, dict[str, Any], float]) -> None:
    assert log_of(path) == whole[0]
    with open_study(str(path), read_only=True) as opened:
        assert len(opened.runs()) == 1
        stored = opened.choose(None)
        assert stored.status == "complete"
        assert results(replay_run(opened, stored.id)) == whole[1]
        for lesson in range(1, LESSONS + 1):
            assert len(opened.study.summaries(stored.id, lesson)) == 6
        memories = opened.study.memories(stored.id)
    assert len(memories) == len(set(memories))  # nothing twice


@pytest.mark.parametrize("case", [*range(8), *(pytest.param(case, marks=pytest.mark.slow) for case in range(8, 100))])
def test_killed_at_a_random_moment(case: int, tmp_path: Path, whole: tuple[bytes, dict[str, Any], float]) -> None:
    chance = random.Random(case)
    path = tmp_path / "killed.study"
    kills = 1 + (case % 4 == 0)  # some are killed again while they resume
    for _ in range(kills):
        process = child(go_on, str(path), LESSONS, STEPS)
        time.sleep(chance.uniform(0, whole[2]))
        process.kill()
        assert ended(process) in (-signal.SIGKILL, 0)
    assert ended(child(go_on, str(path), LESSONS, STEPS)) == 0
    check(path, whole)


@pytest.mark.parametrize("point", ["before", "inside", "after"])
@pytest.mark.parametrize("count", [1, STEPS, STEPS + 1], ids=["first", "last-of-lesson", "first-of-next"])
def test_killed_around_a_commit(
    point: Point, count: int, tmp_path: Path, whole: tuple[bytes, dict[str, Any], float]
) -> None:
    path = tmp_path / "killed.study"
    assert ended(child(die_at, point, count, str(path), LESSONS, STEPS)) == -signal.SIGKILL
    with open_study(str(path), read_only=True) as opened:
        run = opened.choose(None)
        kept = count if point == "after" else count - 1
        assert len(opened.study.digests(run.id)) == kept
        assert run.status == "running"
        # What was kept is a run by itself, if an unfinished one.
        assert replay_run(opened, run.id).steps == kept
    if count == STEPS:
        assert ended(child(die_at, point, 1, str(path), LESSONS, STEPS)) == -signal.SIGKILL
    assert ended(child(go_on, str(path), LESSONS, STEPS)) == 0
    check(path, whole)
