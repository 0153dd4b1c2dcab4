"""Engines that play trials: in this process, also many at once, in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import math

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines.engine import Engine, Finished, Serial, Task, Work
from eduverse_mesa.experiments.engines.processes import Processes
from eduverse_mesa.experiments.engines.threads import Threads

__all__ = ["ENGINES", "Engine", "Finished", "Processes", "Serial", "Task", "Threads", "Work", "make_engine"]

ENGINES = ("serial", "processes", "threads", "ray")


def make_engine(
    name: str = "processes", workers: int | None = None, address: str | None = None, timeout: float | None = None
) -> Engine:
    """Return an engine by its name: `serial` (one after the other, here), `processes` (of this machine), `threads`
    (many at once in this process, for models that answer in batches) or `ray` (a cluster, also by its address).

    `timeout` is how many seconds a task may take: processes can be ended, and are.
    """
    if name not in ENGINES:
        raise EduverseError(f"there is no engine '{name}'.", where="engine", mend=f"Known: {', '.join(ENGINES)}.")
    if address is not None and name != "ray":
        raise EduverseError(f"engine '{name}' has no address.", where="address", mend="Take engine 'ray'.")
    if timeout is not None and name != "processes":
        raise EduverseError(
            f"engine '{name}' cannot end what takes too long.", where="timeout", mend="Take engine 'processes'."
        )
    if timeout is not None and not 0 < timeout < math.inf:
        raise EduverseError(f"{timeout:g} s is no time.", where="timeout", mend="Give seconds, such as 600.")
    if name == "ray":
        from eduverse_mesa.experiments.engines.ray import Ray

        return Ray(address, workers)
    if name == "serial":
        if workers is not None and workers != 1:
            raise EduverseError("engine 'serial' has one worker.", where="workers", mend="Take engine 'processes'.")
        return Serial()
    if name == "threads":
        return Threads(workers)
    return Processes(workers, timeout=timeout)
