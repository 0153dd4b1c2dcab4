"""A Ray cluster of several nodes on this machine, whose nodes and workers can be killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eduverse_mesa.experiments.engines.ray import ENVIRONMENT


class Nodes:
    """A cluster of nodes with so many cores each."""

    def __init__(self, number: int, cores: int) -> None:
        os.environ.update(ENVIRONMENT)
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster(
            initialize_head=True, head_node_args={"num_cpus": cores, "include_dashboard": False}, connect=False
        )
        self._cores = cores
        self._others: list[Any] = []
        for _ in range(number - 1):
            self.add_a_node()

    @property
    def address(self) -> str:
        """Where it is joined."""
        return str(self._cluster.address)

    def add_a_node(self) -> None:
        """Another machine, as far as Ray knows."""
        self._others.append(self._cluster.add_node(num_cpus=self._cores))

    def lose_a_node(self) -> None:
        """A machine that fails."""
        self._cluster.remove_node(self._others.pop(), allow_graceful=False)

    def end(self) -> None:
        """End all of it."""
        self._cluster.shutdown()


@contextmanager
def cluster(number: int, cores: int = 1) -> Iterator[Nodes]:
    """A cluster, as long as it is needed."""
    made = Nodes(number, cores)
    try:
        yield made
    finally:
        made.end()


def worker_pids() -> list[int]:
    """The workers of clusters that this process has made, busy or not."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text()
        except OSError:  # gone meanwhile
            continue
        if line.startswith(("ray::labour", "ray::IDLE")) and os.getpid() in _ancestors(int(folder.name)):
            found.append(int(folder.name))
    return found


def daemons(of: int, name: str) -> list[int]:
    """Ray's own processes of this name, such as raylet, that a process has made."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            program = (folder / "cmdline").read_text().split("\0")[0]
        except OSError:  # gone meanwhile
            continue
        if Path(program).name == name and of in _ancestors(int(folder.name)):
            found.append(int(folder.name))
    return found


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return
