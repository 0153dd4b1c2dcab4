"""One scenario over several seeds, as text: each run in a line, and the mean of what the class did."""

from __future__ import annotations

from collections.abc import Sequence

from eduverse_mesa.runs.comparing import Arm, Measured, summaries
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.visualization.charts.comparing import spoken
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.page import plain_number

_CLASS = ("bec.", "irf.", "equity.", "network.")
_IN_A_LINE = ("bec.b_offtask", "bec.e_positive", "bec.c_high", "irf.irf")
"""What is told of each single run."""
_HOW = "Mean over seeds and its 95 % interval (Student's t). --json has the students', too."


def render_seeds(scenario: Scenario, measured: Sequence[Measured]) -> str:
    """The runs, then their means."""
    called = spoken(_IN_A_LINE, saying(None))
    longest = max(len("run"), *(len(one.run) for one in measured))
    heads = " ".join(f"{called[measure]:>22}" for measure in _IN_A_LINE)
    lines = [f"{scenario.title or scenario.name}: {len(measured)} seeds", ""]
    lines.append(f"{'run':<{longest}} {'seed':>8} {heads}")
    for one in measured:
        numbers = " ".join(f"{plain_number(one.numbers.get(measure, float('nan'))):>22}" for measure in _IN_A_LINE)
        lines.append(f"{one.run:<{longest}} {one.seed:>8} {numbers}")
    return "\n".join([*lines, "", *_means(measured), "", _HOW])


def _means(measured: Sequence[Measured]) -> list[str]:
    table = summaries([Arm("", tuple(measured))])
    of_class = table["measure"].str.startswith(_CLASS) & ~table["measure"].str.startswith("network.students.")
    rows = table[of_class]
    called = spoken(rows["measure"], saying(None))
    lines = [f"{'':<52} {'mean':>9} {'interval':>20}"]
    for measure, mean, low, high in rows[["measure", "mean", "low", "high"]].itertuples(index=False):
        interval = f"{plain_number(low)} .. {plain_number(high)}"
        lines.append(f"{called[measure]:<52} {plain_number(mean):>9} {interval:>20}")
    return lines
