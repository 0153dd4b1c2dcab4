"""A Ray cluster of two nodes on this machine: as with processes, nothing is lost and nothing comes twice."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Task, make_engine
from eduverse_mesa.experiments.engines.ray import Ray
from tests.experiments.engines.nodes import Nodes, cluster, worker_pids

pytestmark = pytest.mark.xdist_group("ray")  # a cluster is a dozen processes: one at a time
LABOUR = "tests.experiments.engines.labour"


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Nodes]:
    with cluster(2) as made:
        yield made


@pytest.fixture(scope="module")
def engine(two_nodes: Nodes) -> Iterator[Ray]:
    with Ray(two_nodes.address, attempts=20) as made:
        yield made


def tasks(number: int, payload: bytes = b"x") -> list[Task]:
    return [Task(str(place), payload) for place in range(number)]


def test_so_many_at_once_as_asked_for() -> None:
    assert Ray(workers=3).workers == 3
    with pytest.raises(EduverseError, match="from 1 on"):
        Ray(workers=0)


def test_without_ray_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EduverseError, match=r'pip install "eduverse-mesa\[ray\]"'), make_engine("ray"):
        pytest.fail("made")


def test_an_address_where_nobody_answers_is_told() -> None:
    with pytest.raises(EduverseError, match=r"^address=nowhere:x: no Ray cluster can be joined"), Ray("nowhere:x"):
        pytest.fail("joined")


def test_every_task_comes_back_once_from_both_nodes(engine: Ray, tmp_path: Path) -> None:
    assert engine.workers == 2
    found = list(engine.run(f"{LABOUR}:double", [Task(str(place), str(place).encode()) for place in range(50)]))
    assert sorted(int(one.key) for one in found) == list(range(50))
    assert all(one.answer == one.key.encode() * 2 for one in found)
    both = [Task(str(place), str(tmp_path).encode()) for place in range(2)]
    assert len({one.answer for one in engine.run(f"{LABOUR}:meet", both)}) == 2


def test_what_goes_wrong_is_told_and_the_rest_goes_on(engine: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "attempts", 2)
    given = [Task("user", b"user"), Task("bug", b"bug")]
    found = {finished.key: finished.error for finished in engine.run(f"{LABOUR}:stumble", given)}
    assert found == {"user": "here: the lesson cannot go on. Mend it.", "bug": "ValueError: oh"}
    [lost] = engine.run("tests.no_such_module:f", tasks(1))
    assert "no_such_module" in lost.error
    assert "installed on all of its machines" in lost.error
    [killed] = engine.run(f"{LABOUR}:die", tasks(1))
    assert (killed.attempts, killed.error) == (2, "its worker died 2 times, at last by WorkerCrashedError")


def test_workers_know_how_many_share_a_server(engine: Ray) -> None:
    assert {one.answer for one in engine.run(f"{LABOUR}:tell_sharers", tasks(3))} == {b"2"}


def test_killed_at_random_it_gives_what_it_gives_here(engine: Ray) -> None:
    found = []
    killed = 0
    for finished in engine.run(f"{LABOUR}:dawdle", tasks(40, b"50")):
        found.append(finished)
        if len(found) % 9 == 1:
            for pid in worker_pids()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed += 1
    wanted = sorted((one.key, b"50", "") for one in tasks(40))
    assert sorted((one.key, one.answer, one.error) for one in found) == wanted
    assert killed >= 3


def test_whoever_stops_asking_stops_the_work(engine: Ray) -> None:
    results = engine.run(f"{LABOUR}:dawdle", [Task("quick", b"0"), *tasks(5, b"600000")])
    assert next(results).key == "quick"
    start = time.monotonic()
    results.close()
    [next_one] = engine.run(f"{LABOUR}:double", tasks(1))
    assert next_one.answer == b"xx", "its place is free again"
    assert time.monotonic() - start < 60


@pytest.mark.slow  # Ray may take minutes to find out that a node is gone, while others keep the machine busy
def test_a_node_that_goes_takes_nothing_with_it(two_nodes: Nodes, engine: Ray) -> None:
    found = []
    for finished in engine.run(f"{LABOUR}:dawdle", tasks(30, b"50")):
        found.append(finished)
        if len(found) == 5:
            two_nodes.lose_a_node()
    assert sorted((one.key, one.error) for one in found) == sorted((one.key, "") for one in tasks(30))


def test_one_process_is_on_one_cluster(two_nodes: Nodes, engine: Ray) -> None:
    with Ray(two_nodes.address) as other:
        assert other.workers == engine.workers
    with pytest.raises(EduverseError, match=r"on another Ray cluster, \S+:\d+"), Ray("10.0.0.1:1"):
        pytest.fail("joined")
