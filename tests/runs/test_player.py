"""A player says only when: what is played is what `run_course` plays, whatever it is told and whoever looks on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import LessonError, PolicyError, ScenarioError, StudyError
from eduverse_mesa.models.classroom import ClassroomModel, SetTrait
from eduverse_mesa.policies import make_policy
from eduverse_mesa.policies.driver import answered
from eduverse_mesa.policies.llm.calls import Call, Completion
from eduverse_mesa.runs import Run, fork, kernel, open_study, record_course, replay_run, run_course, threads
from eduverse_mesa.runs.classroom import COURSES
from eduverse_mesa.runs.events import ENDED, Event
from eduverse_mesa.runs.player import LessonPlayer
from tests.policies.llm.rehearsal import Rehearsal, policy_with
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course, log_of

STEPS = 4
COURSE = course(lessons=2, steps=STEPS)
WHOLE = run_course(COURSE, SEED)


def same(one: Run, other: Run) -> bool:
    """The same answers and the same state after each step."""
    return list(one.answers()) == list(other.answers()) and [lesson.digests for lesson in one.lessons] == [
        lesson.digests for lesson in other.lessons
    ]


def rested(player: LessonPlayer) -> str:
    status = player.wait(PATIENCE)
    assert status in ENDED or status in ("ready", "paused"), status
    return status


class Slow:
    """Answers like the embedded policy, a moment later, and counts what it was asked."""

    name = "embedded"

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.batches = 0
        self._embedded: Any = make_policy("embedded")

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        self.batches += 1
        await asyncio.sleep(self.seconds)
        for decision in decisions:
            answered(decision)
        return list(self._embedded.answer(decisions))


class OneByOne(Slow):
    """The first of a batch has answered; the others think until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        if len(decisions) > 1:
            answered(decisions[0])
            while not self.go.is_set():
                await asyncio.sleep(0.001)
        return list(self._embedded.answer(decisions))


def until(told: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not told():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.001)


# --- the same run, whatever it is told ---

COMMANDS = st.lists(
    st.sampled_from(["play", "slow", "pause", "step", "pace", "until", "look", "keep", "wait"]), max_size=12
)


@given(commands=COMMANDS, waits=st.booleans())
@settings(max_examples=30)
def test_commands_change_nothing_but_the_time(
    commands: list[str], waits: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    study = str(tmp_path_factory.mktemp("player") / "kept.study")
    player = LessonPlayer(COURSE, SEED, Slow() if waits else None)
    acts: dict[str, Callable[[], object]] = {
        "play": player.play,
        "slow": lambda: player.play(300.0),
        "pause": player.pause,
        "step": player.step,
        "pace": lambda: player.set_pace(500.0),
        "until": lambda: player.play(until=(1, 2)),
        "look": lambda: look(player),
        "keep": lambda: player.keep(study),
        "wait": lambda: player.wait(0.002),
    }
    for command in commands:
        acts[command]()
    player.play()
    assert rested(player) == "complete"
    assert same(player.run, WHOLE)
    if "keep" in commands:
        assert log_of(study) == log_of(RECORDED)


def look(player: LessonPlayer) -> None:
    with player.still() as run:
        for lesson in run.lessons:
            model = lesson.model
            assert len(model.journal.students) == len(model.students) * len(model.journal.teacher)


RECORDED = ""


@pytest.fixture(scope="module", autouse=True)
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> None:
    global RECORDED
    RECORDED = str(tmp_path_factory.mktemp("recorded") / "course.study")
    record_course(RECORDED, COURSE, SEED)


def test_one_step_after_the_other_crosses_into_the_next_lesson() -> None:
    player = LessonPlayer(COURSE, SEED)
    assert rested(player) == "ready"
    heads = []
    for _ in range(STEPS * 2):
        player.step()
        rested(player)
        heads.append(player.head)
    assert heads == [(lesson, step) for lesson in (1, 2) for step in range(1, STEPS + 1)]
    assert player.status == "complete"
    assert same(player.run, WHOLE)


def test_who_waits_between_lessons_still_sees_the_end_of_the_last_one() -> None:
    player = LessonPlayer(COURSE, SEED)
    player.play(until=(1, STEPS))
    assert rested(player) == "paused"
    assert [(one.number, one.complete) for one in player.run.lessons] == [(1, True)]


def test_the_room_is_there_before_the_first_step() -> None:
    player = LessonPlayer(COURSE, SEED)
    rested(player)
    with player.still() as run:
        assert run.lessons[0].model.state.step == 0
    player.stop()
    assert rested(player) == "stopped"


def test_a_pace_is_kept() -> None:
    player = LessonPlayer(COURSE, SEED)
    times: list[float] = []
    player.listen(lambda event: times.append(time.monotonic()) if event.kind == "step" else None)
    player.play(50.0, until=(1, STEPS))
    rested(player)
    assert times[-1] - times[0] >= (STEPS - 1) / 50 * 0.9


@pytest.mark.parametrize("pace", [0, -1, float("inf"), float("nan")])
def test_no_pace_is_refused(pace: float) -> None:
    player = LessonPlayer(COURSE, SEED)
    with pytest.raises(LessonError, match="no pace"):
        player.play(pace)
    with pytest.raises(LessonError, match="no pace"):
        player.set_pace(pace)
    player.stop()


def test_what_cannot_be_started_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(PolicyError):
        LessonPlayer(COURSE, SEED, "nobody")
    with pytest.raises(StudyError):
        LessonPlayer.resume(str(tmp_path / "none.study"), "x")
    with pytest.raises(ScenarioError):
        LessonPlayer.fork(WHOLE, (1, 2), [SetTrait(step=3, student="Nobody", trait="ability", value=1)])
    with pytest.raises(LessonError, match="no study"):
        LessonPlayer.fork("some-run", (1, 2))


# --- studies and forks ---


def test_what_was_committed_stays_and_goes_on_as_the_same_run(tmp_path: Path) -> None:
    path = str(tmp_path / "course.study")
    player = LessonPlayer(COURSE, SEED, Slow(0.05), study=path)
    player.play(until=(1, 2))
    rested(player)
    player.play()
    until(lambda: player.status == "thinking")
    player.stop()
    rested(player)
    with open_study(path, read_only=True) as opened:
        assert opened.study.run(player.run.id).status == "interrupted"
        assert list(opened.study.digests(player.run.id)) == [(1, step) for step in range(1, player.head[1] + 1)]
    again = LessonPlayer.resume(path, player.run.id)
    assert rested(again) == "ready"
    assert again.head == player.head
    again.play()
    assert rested(again) == "complete"
    assert log_of(path) == log_of(RECORDED)
    in_memory = LessonPlayer.go_on(player.run)
    in_memory.play()
    assert rested(in_memory) == "complete"
    assert same(in_memory.run, WHOLE)


def test_a_recorded_run_is_the_one_that_record_course_writes(tmp_path: Path) -> None:
    path = str(tmp_path / "course.study")
    player = LessonPlayer(COURSE, SEED, study=path)
    player.play()
    assert rested(player) == "complete"
    assert log_of(path) == log_of(RECORDED)
    with open_study(path, read_only=True) as opened, open_study(RECORDED, read_only=True) as other:
        assert opened.study.run(player.run.id)[:10] == other.study.run(other.newest())[:10]
        assert opened.study.memories(player.run.id) == other.study.memories(other.newest())
        assert same(replay_run(opened, player.run.id), WHOLE)


@pytest.mark.parametrize("kept_at", [(1, 0), (1, 1), (1, STEPS), (2, 1), (2, STEPS)], ids=str)
def test_a_run_can_be_kept_at_any_time(kept_at: tuple[int, int], tmp_path: Path) -> None:
    path = str(tmp_path / "kept.study")
    player = LessonPlayer(COURSE, SEED)
    if kept_at != (1, 0):
        player.play(until=kept_at)
    rested(player)
    run = player.keep(path)
    assert player.keep(path) == run == player.run.id
    assert player.study == path
    with pytest.raises(LessonError, match="already"):
        player.keep(str(tmp_path / "other.study"))
    player.play()
    assert rested(player) == "complete"
    assert log_of(path) == log_of(RECORDED)
    with open_study(path, read_only=True) as opened, open_study(RECORDED, read_only=True) as other:
        assert opened.study.run(run)[:10] == other.study.run(other.newest())[:10]
        assert opened.study.memories(run) == other.study.memories(other.newest())


def test_a_run_in_memory_can_be_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "kept.study")
    with open_study(path, create=True) as opened:
        run = kernel.keep(COURSES, opened, WHOLE)
        assert opened.study.run(run).status == "complete"
        assert same(replay_run(opened, run), WHOLE)
    assert log_of(path) == log_of(RECORDED)


CHANGES = (SetTrait(lesson=1, step=3, student="Wang Fang", trait="motivation", value=0.0),)


def test_a_fork_in_memory_plays_on_from_its_step() -> None:
    seen: list[int] = []
    player = LessonPlayer.fork(WHOLE, (1, 2), CHANGES, progress=lambda model: seen.append(model.state.step))
    assert rested(player) == "ready"
    assert player.head == (1, 2)
    assert seen == [1, 2]
    player.play()
    rested(player)
    assert same(player.run, fork(WHOLE, (1, 2), CHANGES))


def test_a_fork_is_kept_where_its_parent_is(tmp_path: Path) -> None:
    path = str(tmp_path / "course.study")
    player = LessonPlayer.fork(WHOLE, (1, 2), CHANGES)
    rested(player)
    with pytest.raises(LessonError, match="is not in this study") as caught:
        player.keep(path)
    assert "first" in caught.value.mend
    with open_study(path) as opened:
        kernel.keep(COURSES, opened, WHOLE)
    run = player.keep(path)
    player.play()
    assert rested(player) == "complete"
    with open_study(path, read_only=True) as opened:
        assert same(replay_run(opened, run), player.run)


def test_who_answers_at_once_is_never_said_to_think(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_AT_ONCE", 60.0)  # so that a busy machine is no slow thinker
    events: list[Event] = []
    player = LessonPlayer(COURSE, SEED, Slow())
    player.listen(events.append)
    player.play()
    assert rested(player) == "complete"
    assert [event for event in events if event.kind == "thinking"] == []


class Hanging(Rehearsal):
    """Answers so many calls, and then none."""

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        if len(self.calls) >= 30:
            await asyncio.Event().wait()
        return await super().complete(call, ledger)


def test_a_model_that_hangs_is_left_and_its_run_goes_on() -> None:
    player = LessonPlayer(COURSE, SEED, policy_with(Hanging()))
    player.play()
    until(lambda: player.status == "thinking")
    player.stop()
    assert rested(player) == "stopped"
    assert player.error is None
    again = LessonPlayer.go_on(player.run, policy_with(Rehearsal()))
    again.play()
    assert rested(again) == "complete"
    assert same(again.run, run_course(COURSE, SEED, policy_with(Rehearsal())))


def test_a_fork_in_a_study_is_entered_there(tmp_path: Path) -> None:
    path = str(tmp_path / "course.study")
    parent = record_course(path, COURSE, SEED)
    player = LessonPlayer.fork(parent.id, (1, 2), CHANGES, study=path)
    player.play()
    assert rested(player) == "complete"
    assert same(player.run, fork(WHOLE, (1, 2), CHANGES))
    with open_study(path, read_only=True) as opened:
        assert opened.study.run(player.run.id).parent == parent.id
        assert same(replay_run(opened, player.run.id), player.run)


def test_a_long_recording_can_be_left(tmp_path: Path) -> None:
    held = threading.Event()
    reached = threading.Event()

    def progress(_model: ClassroomModel) -> None:
        reached.set()
        held.wait(PATIENCE)

    player = LessonPlayer.go_on(WHOLE, progress=progress)
    assert reached.wait(PATIENCE)
    assert player.status == "loading"
    player.stop()
    held.set()
    assert rested(player) == "stopped"


def test_a_run_that_is_complete_is_complete_at_once() -> None:
    player = LessonPlayer.go_on(WHOLE)
    assert rested(player) == "complete"
    assert same(player.run, WHOLE)
