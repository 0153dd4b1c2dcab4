"""Processes of this machine: nothing is lost and nothing comes twice, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import EduverseError, EngineGoneError
from eduverse_mesa.experiments.engines import Processes, Serial, Task

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for workers in /proc")
LABOUR = "tests.experiments.engines.labour"


def tasks(number: int, payload: bytes = b"x") -> list[Task]:
    return [Task(str(place), payload) for place in range(number)]


def children() -> list[str]:
    """The workers of this process, also those that are dead and not buried."""
    pids = [pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()]
    return [pid for pid in pids if "engines.worker" in (line := _command(pid)) or not line]


def _command(pid: str) -> str:
    """Empty for one that is dead and not buried."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:  # gone meanwhile
        return "gone"


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(true: object, seconds: float = 90.0) -> None:
    until = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _nobody_is_left() -> Iterator[None]:
    yield
    assert children() == []


def test_every_task_comes_back_once_as_it_would_here() -> None:
    given = [Task(str(place), str(place).encode()) for place in range(50)]
    with Processes(2) as engine:
        found = list(engine.run(f"{LABOUR}:double", iter(given)))
    assert sorted(found) == sorted(Serial().run(f"{LABOUR}:double", given))


def test_workers_live_as_long_as_the_context_and_are_several() -> None:
    with Processes(2) as engine:
        first = {finished.answer for finished in engine.run(f"{LABOUR}:tell_pid", tasks(12))}
        second = {finished.answer for finished in engine.run(f"{LABOUR}:tell_pid", tasks(12))}
        assert first == second == {str(pid).encode() for pid in engine.pids}
        assert len(first) == 2
    assert engine.pids == []


def test_without_a_context_the_workers_go_with_the_run() -> None:
    engine = Processes(1)
    assert [finished.answer for finished in engine.run(f"{LABOUR}:double", tasks(2))] == [b"xx", b"xx"]
    assert engine.pids == []


def test_tasks_are_drawn_as_workers_become_free() -> None:
    drawn: list[int] = []

    def endless() -> Iterator[Task]:
        place = 0
        while True:
            drawn.append(place)
            yield Task(str(place), b"1")
            place += 1

    with Processes(2) as engine:
        results = engine.run(f"{LABOUR}:dawdle", endless())
        for taken in range(1, 20):
            next(results)
            assert len(drawn) <= taken + 3
        results.close()


def test_what_goes_wrong_is_told_and_the_rest_goes_on() -> None:
    given = [Task("user", b"user"), Task("bug", b"bug")]
    with Processes(1) as engine:
        found = {finished.key: finished.error for finished in engine.run(f"{LABOUR}:stumble", given)}
        assert found == {"user": "here: the lesson cannot go on. Mend it.", "bug": "ValueError: oh"}
        [lost] = engine.run("tests.no_such_module:f", tasks(1))
        assert "no_such_module" in lost.error


def test_a_worker_that_prints_and_reads_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(1) as engine:
        assert [finished.answer for finished in engine.run(f"{LABOUR}:chatter", tasks(2))] == [b"x", b"x"]
    assert "hellohello" in capfd.readouterr().err


def test_a_dead_worker_is_replaced_and_its_task_begun_again(tmp_path: Path) -> None:
    given = [Task(str(place), str(tmp_path / str(place)).encode()) for place in range(2)]
    with Processes(2) as engine:
        found = sorted(engine.run(f"{LABOUR}:die_first", given))
    assert [(finished.answer, finished.attempts, finished.error) for finished in found] == [(b"done", 2, "")] * 2


def test_a_task_that_kills_its_workers_comes_back_as_an_error() -> None:
    with Processes(1, attempts=2) as engine:
        [killed] = engine.run(f"{LABOUR}:die", tasks(1))
        [left] = engine.run(f"{LABOUR}:leave", tasks(1))
        [fine] = engine.run(f"{LABOUR}:double", tasks(1))
    assert (killed.attempts, killed.error) == (2, "its worker died 2 times, at last by SIGKILL")
    assert left.error == "its worker died 2 times, at last by exit code 3"
    assert fine.answer == b"xx"


def test_work_that_calls_sys_exit_is_an_error_and_the_rest_goes_on() -> None:
    with Processes(1) as engine:
        for playing in (engine, Serial()):
            found = list(playing.run(f"{LABOUR}:exit_as_a_script", tasks(2)))
            assert [(one.error, one.attempts) for one in found] == [("it called sys.exit(0)", 1)] * 2


def test_work_that_hangs_is_ended_once_and_the_rest_goes_on() -> None:
    with Processes(1, attempts=5, timeout=6) as engine:
        [hung] = engine.run(f"{LABOUR}:hang", tasks(1))
        assert (hung.error, hung.attempts) == ("it took longer than a time limit of 6 s", 1)
        [fine] = engine.run(f"{LABOUR}:double", tasks(1))
        assert fine.answer == b"xx"


def test_whoever_stops_asking_stops_the_work() -> None:
    with Processes(2) as engine:
        results = engine.run(f"{LABOUR}:tell_pid", tasks(1000))
        next(results)
        results.close()
        assert children() == []


def test_leaving_ends_what_is_going_on_at_once() -> None:
    start = time.monotonic()
    with Processes(2) as engine:
        results = engine.run(f"{LABOUR}:dawdle", [Task("quick", b"0"), *tasks(5, b"60000")])
        assert next(results).key == "quick"
    assert time.monotonic() - start < 60, "the work would have taken five minutes"
    with pytest.raises(RuntimeError, match="was left"):
        list(results)


def test_a_mistake_in_drawing_tasks_reaches_who_asks() -> None:
    def broken() -> Iterator[Task]:
        yield Task("one", b"x")
        raise KeyError("two")

    with Processes(1) as engine, pytest.raises(KeyError, match="two"):
        list(engine.run(f"{LABOUR}:double", broken()))


def test_workers_know_how_many_share_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with Processes(3) as engine:
        assert {one.answer for one in engine.run(f"{LABOUR}:tell_sharers", tasks(3))} == {b"3"}
    monkeypatch.setenv("EDUVERSE_SHARERS", "2")
    with Processes(3) as engine:
        assert {one.answer for one in engine.run(f"{LABOUR}:tell_sharers", tasks(3))} == {b"6"}


def test_no_workers_are_a_mistake() -> None:
    with pytest.raises(EduverseError, match="from 1 on"):
        Processes(0)


_PARENT = f"""
from eduverse_mesa.experiments.engines import Processes, Task
with Processes(2) as engine:
    results = engine.run("{LABOUR}:dawdle", [Task("a", b"0"), Task("b", b"600000"), Task("c", b"600000")])
    next(results)
    print(*engine.pids, flush=True)
    next(results)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_workers_end_with_their_parent_however_it_ends(how: signal.Signals) -> None:
    root = Path(__file__).parents[3]
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, text=True
    )
    assert parent.stdout is not None
    assert parent.stderr is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    parent.send_signal(how)
    said = parent.communicate(timeout=120)[1]
    assert parent.returncode == -how
    if how is signal.SIGINT:
        assert said.count("KeyboardInterrupt") == 1, "only the parent has heard it"
    wait_until(lambda: not any(is_there(pid) for pid in pids))


def test_killed_at_random_it_gives_what_it_gives_here() -> None:
    given = [Task(str(place), b"10") for place in range(40)]
    found = []
    killed: list[int] = []
    with Processes(2, attempts=20) as engine:
        for finished in engine.run(f"{LABOUR}:dawdle", given):
            found.append(finished)
            if len(found) % 6 == 1:
                killed.append(engine.pids[len(killed) % 2])
                os.kill(killed[-1], signal.SIGKILL)
    assert sorted((one.key, one.answer, one.error) for one in found) == sorted((task.key, b"10", "") for task in given)
    assert len(killed) == 7


def test_a_machine_that_makes_no_process_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    told = r"no worker can be started \(Resource temporarily unavailable\)\. Take fewer workers"
    with Processes(2) as engine, pytest.raises(EngineGoneError, match=told):
        list(engine.run(f"{LABOUR}:double", tasks(4)))


def test_where_no_worker_can_be_started_this_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("import os; os._exit(7)")
    monkeypatch.syspath_prepend(str(tmp_path))
    with Processes(1) as engine, pytest.raises(EngineGoneError, match=r"no worker can be started.*exit code 7"):
        list(engine.run(f"{LABOUR}:double", tasks(2)))
