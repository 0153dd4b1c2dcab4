"""Where trials are played: in this process, in processes of this machine, or on a Ray cluster."""

from eduverse_mesa.experiments.engines.engine import Engine, Finished, Task, Work
from eduverse_mesa.experiments.engines.serial import Serial

__all__ = ["Engine", "Finished", "Serial", "Task", "Work"]
