"""Charts: pure functions from tables to altair charts, for a notebook, a page or a report."""

from eduverse_mesa.visualization.charts.discourse import irf_ribbon
from eduverse_mesa.visualization.charts.room import interaction_network, room_plan
from eduverse_mesa.visualization.charts.states import bec_by_student, bec_over_time, bec_shares_chart, state_over_time

__all__ = [
    "bec_by_student",
    "bec_over_time",
    "bec_shares_chart",
    "interaction_network",
    "irf_ribbon",
    "room_plan",
    "state_over_time",
]
