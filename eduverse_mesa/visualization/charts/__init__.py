"""Charts: pure functions from tables to altair charts, for a notebook, a page or a report."""

from eduverse_mesa.visualization.charts.bec import bec_by_student, bec_over_time, bec_shares_chart
from eduverse_mesa.visualization.charts.irf import irf_ribbon
from eduverse_mesa.visualization.charts.moves import moves_over_time
from eduverse_mesa.visualization.charts.network import interaction_network
from eduverse_mesa.visualization.charts.room import room_plan
from eduverse_mesa.visualization.charts.seats import participation_at_seats
from eduverse_mesa.visualization.charts.states import STATES, state_over_time

__all__ = [
    "STATES",
    "bec_by_student",
    "bec_over_time",
    "bec_shares_chart",
    "interaction_network",
    "irf_ribbon",
    "moves_over_time",
    "participation_at_seats",
    "room_plan",
    "state_over_time",
]
