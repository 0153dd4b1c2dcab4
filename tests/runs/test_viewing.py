"""A run is looked at from its recording alone: whoever answered in it need not be there, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.models.classroom import Move
from eduverse_mesa.runs import fork_run, open_study, record_course, replay_run
from eduverse_mesa.runs.player import LessonPlayer, view_run
from eduverse_mesa.runs.studies import run_cards
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course, log_of
from tests.runs.people import SEAT, play_with


def stand_of(path: str) -> object:
    with open_study(path, read_only=True) as opened:
        return run_cards(opened)


def test_a_run_is_shown_whole_without_who_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = str(tmp_path / "a.study")
    scenario = course(lessons=2, steps=3)
    run = play_with(path, scenario, {SEAT: ("Ann", ["I think so."])})
    with open_study(path) as opened:
        opened.study.set_spent(run, '{"tokens":7,"requests":2,"usd":0.5}')
        with opened.study.transaction() as connection:
            connection.exec_driver_sql("update runs set policy = 'llm'")
        played = replay_run(opened, run)
    before, log = stand_of(path), log_of(path, run)
    player = view_run(path, run)
    assert player.wait(PATIENCE) == "complete"
    assert list(player.run.answers()) == list(played.answers())
    assert player.run.spec.policy == "llm"
    assert (stand_of(path), log_of(path, run)) == (before, log)
    elsewhere = str(tmp_path / "b.study")
    copy = player.keep(elsewhere)
    assert log_of(elsewhere, copy) == log


def test_a_recording_that_ends_early_says_so_and_makes_nothing_up(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    record = LessonPlayer(course(lessons=1, steps=5), SEED, study=path)
    record.play(until=(1, 2))
    assert record.wait(PATIENCE) == "paused"
    run = record.run.id
    player = view_run(path, run)  # while the other one still writes to it
    assert player.wait(PATIENCE) == "ready"
    with player.still() as seen:
        assert seen.steps == 2
    player.play()
    assert player.wait(PATIENCE) == "failed"
    assert player.error is not None
    assert "ends here" in str(player.error)
    assert list(player.run.lessons[0].digests) == [(1, 1), (1, 2)]
    record.play()
    assert record.wait(PATIENCE) == "complete"


def test_a_fork_is_shown_with_its_change(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    record_course(path, course(lessons=1, steps=4), SEED)
    with open_study(path) as opened:
        (run,) = opened.runs()
        forked = fork_run(opened, run, (1, 2), [Move(lesson=1, step=3, student="Zhang Tao", to="r1_1")])
    player = view_run(path, forked.id)
    assert player.wait(PATIENCE) == "complete"
    assert list(player.run.answers()) == list(forked.answers())
