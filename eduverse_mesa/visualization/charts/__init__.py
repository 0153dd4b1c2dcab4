"""Charts: pure functions from tables to altair charts, for a notebook, a page or a report.

Called, each gives an Altair chart. `charts.bec_over_time.spec(...)` gives the same as Vega-Lite for a widget, fast
enough for every step of a lesson. All take `words` (`chart_words(language)`; English when left out) and `width`
("container": as wide as the page). Charts over time have a signal `cursor`, the step that is marked; what can be
clicked carries `ev_on`.
"""

from eduverse_mesa.visualization.charts.comparison import measure_intervals, paired_differences, series_together
from eduverse_mesa.visualization.charts.frame import chart_words, config, themed
from eduverse_mesa.visualization.charts.room import action_zone, interaction_network, room_plan
from eduverse_mesa.visualization.charts.states import (
    bec_by_student,
    bec_of_student,
    bec_over_time,
    bec_shares_chart,
    state_over_time,
    states_of_student,
)
from eduverse_mesa.visualization.charts.talk import (
    gate_scores,
    irf_ribbon,
    lorenz_curve,
    request_matrix,
    request_network,
    shares_of_students,
)

__all__ = [
    "action_zone",
    "bec_by_student",
    "bec_of_student",
    "bec_over_time",
    "bec_shares_chart",
    "chart_words",
    "config",
    "gate_scores",
    "interaction_network",
    "irf_ribbon",
    "lorenz_curve",
    "measure_intervals",
    "paired_differences",
    "request_matrix",
    "request_network",
    "room_plan",
    "series_together",
    "shares_of_students",
    "state_over_time",
    "states_of_student",
    "themed",
]
