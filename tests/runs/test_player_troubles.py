"""A player that is stopped, what goes wrong while it plays, and who looks on: all is said, and nobody is disturbed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from eduverse_mesa.decisions import Answer, Bill, Decision
from eduverse_mesa.errors import LessonError, PolicyError
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.events import ENDED, Event
from eduverse_mesa.runs.player import LessonPlayer
from tests.policies.test_waiting import PATIENCE, Doorbell
from tests.runs.courses import SEED
from tests.runs.test_player import COURSE, STEPS, WHOLE, OneByOne, Slow, rested, same, until

# --- stopping ---


def test_it_stops_while_somebody_is_being_waited_for() -> None:
    bell = Doorbell()
    player = LessonPlayer(COURSE, SEED, bell)
    player.play()
    assert bell.waiting.wait(PATIENCE)
    until(lambda: player.status == "thinking")
    (asked,) = player.thinking
    assert asked.kind == "prepare"
    assert asked.since <= time.monotonic()
    player.stop()
    assert rested(player) == "stopped"
    assert bell.ended == ["cancelled"]
    assert (player.error, player.thinking, player.head) == (None, (), (1, 0))


def test_a_stopped_lesson_says_how_to_go_on() -> None:
    player = LessonPlayer(COURSE, SEED)
    player.stop()
    player.stop()
    assert rested(player) == "stopped"
    for command in (player.play, player.pause, player.step):
        with pytest.raises(LessonError, match="stopped") as caught:
            command()
        assert "another player" in caught.value.mend


def test_a_complete_lesson_takes_commands_and_does_nothing() -> None:
    player = LessonPlayer(COURSE, SEED)
    player.play()
    rested(player)
    player.play()
    player.step()
    player.pause()
    player.stop()
    assert player.status == "complete"
    assert same(player.run, WHOLE)


# --- what goes wrong ---


def test_a_listener_that_raises_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_event: Event) -> None:
        raise ZeroDivisionError("a page is gone")

    heard: list[Event] = []
    player = LessonPlayer(COURSE, SEED)
    player.listen(broken)
    player.listen(heard.append)
    with caplog.at_level(logging.ERROR):
        player.play()
        assert rested(player) == "complete"
    assert same(player.run, WHOLE)
    assert "a page is gone" in caplog.text
    assert [event.head for event in heard if event.kind == "step"][-1] == (2, STEPS)
    assert heard[-1] == Event("status", "complete", (2, STEPS))


def test_who_no_longer_listens_hears_nothing() -> None:
    heard: list[Event] = []
    player = LessonPlayer(COURSE, SEED)
    rested(player)
    stop_listening = player.listen(heard.append)
    player.step()
    rested(player)
    count = len(heard)
    assert count
    stop_listening()
    stop_listening()
    player.play()
    rested(player)
    assert len(heard) == count


class Broken(Slow):
    """Breaks at the third batch."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        if self.batches >= 12:
            raise self.error
        return await super().answer_async(decisions)


def test_a_policy_that_fails_is_heard_of() -> None:
    error = PolicyError("the server is gone.", mend="Start it.")
    player = LessonPlayer(COURSE, SEED, Broken(error))
    player.play()
    assert rested(player) == "failed"
    assert player.error is error
    assert player.head == (1, 1)
    with pytest.raises(LessonError, match="the server is gone"):
        player.play()
    again = LessonPlayer.go_on(player.run, "embedded")
    again.play()
    assert rested(again) == "complete"
    assert same(again.run, WHOLE)


def test_a_mistake_of_the_program_is_no_silence(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    path = str(tmp_path / "broken.study")
    player = LessonPlayer(COURSE, SEED, Broken(RuntimeError("boom")), study=path)
    with caplog.at_level(logging.ERROR):
        player.play()
        assert rested(player) == "failed"
    assert isinstance(player.error, LessonError)
    assert "boom" in str(player.error)
    assert player.error.mend
    assert "Traceback" in caplog.text
    with open_study(path, read_only=True) as opened:
        assert opened.study.run(player.run.id).status == "interrupted"


def test_progress_that_raises_is_a_failure_too() -> None:
    def progress(_model: ClassroomModel) -> None:
        raise KeyError("frame")

    player = LessonPlayer(COURSE, SEED, progress=progress)
    player.play()
    assert rested(player) == "failed"
    assert "frame" in str(player.error)


# --- looking on ---


def test_who_has_answered_is_told_while_others_think() -> None:
    policy = OneByOne()
    player = LessonPlayer(COURSE, SEED, policy)
    events: list[Event] = []
    player.listen(events.append)
    player.step()
    until(lambda: {one.kind for one in player.thinking} == {"plan"})
    until(lambda: len(player.thinking) == len(WHOLE.lessons[0].model.students) - 1)
    with player.still() as run:  # the teacher has spoken; nobody has acted
        assert run.lessons[0].model.state.turn is not None
        assert not run.lessons[0].model.journal.teacher
    assert player.status == "thinking"
    policy.go.set()
    assert rested(player) == "paused"
    assert player.thinking == ()
    assert {"thinking", "status", "step"} == {event.kind for event in events}


def test_many_look_on_from_many_threads() -> None:
    player = LessonPlayer(COURSE, SEED, Slow(0.001))
    failures: list[BaseException] = []

    def watch() -> None:
        try:
            while player.status not in ENDED:
                with player.still() as run:
                    if run.lessons:
                        steps = len(run.lessons[-1].model.journal.teacher)
                        time.sleep(0.0005)
                        assert len(run.lessons[-1].model.journal.teacher) == steps
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=watch) for _ in range(4)]
    for thread in threads:
        thread.start()
    player.play()
    assert rested(player) == "complete"
    for thread in threads:
        thread.join(PATIENCE)
    assert failures == []
    assert same(player.run, WHOLE)


def test_a_listener_may_look_and_command() -> None:
    player = LessonPlayer(COURSE, SEED)

    def pause_at_two(event: Event) -> None:
        with player.still() as run:
            if event.kind == "step" and run.lessons[0].model.state.step == 2:
                player.pause()

    player.listen(pause_at_two)
    player.play()
    assert rested(player) == "paused"
    assert player.head == (1, 2)


def test_spending_counts_answers_by_status_and_source() -> None:
    player = LessonPlayer(COURSE, SEED)
    player.play()
    rested(player)
    total = len(list(WHOLE.answers()))
    assert player.spending.outcomes == {"ok": total}
    assert player.spending.sources == {"embedded": total}
    assert player.spending.bill == Bill()
