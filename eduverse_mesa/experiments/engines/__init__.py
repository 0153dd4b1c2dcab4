"""Engines that play trials: in this process, also many at once, in processes of this machine, or on a Ray cluster."""

from eduverse_mesa.experiments.engines.engine import Engine, Finished, Serial, Task, Work
from eduverse_mesa.experiments.engines.processes import Processes
from eduverse_mesa.experiments.engines.registry import ENGINES, make_engine
from eduverse_mesa.experiments.engines.threads import Threads

__all__ = ["ENGINES", "Engine", "Finished", "Processes", "Serial", "Task", "Threads", "Work", "make_engine"]
