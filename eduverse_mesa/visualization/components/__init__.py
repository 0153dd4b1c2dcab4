"""Parts of a page: `component(model) -> element`, for Solara, a notebook, and `mesa.visualization.SolaraViz`.

Inside SolaraViz they are drawn again at each step. Anywhere else whoever steps the model says so, with `step`: the step
to be shown, which may be any that was played.
"""

from eduverse_mesa.visualization.components.pictures import (
    ActionZone,
    BecOverTime,
    Equity,
    IrfRibbon,
    Network,
    StatesOverTime,
)
from eduverse_mesa.visualization.components.room import Room
from eduverse_mesa.visualization.components.student import StudentPanel
from eduverse_mesa.visualization.components.talk import PhaseBar, Transcript

__all__ = [
    "ActionZone",
    "BecOverTime",
    "Equity",
    "IrfRibbon",
    "Network",
    "PhaseBar",
    "Room",
    "StatesOverTime",
    "StudentPanel",
    "Transcript",
]
