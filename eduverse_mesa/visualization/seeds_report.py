"""One scenario over several seeds, as text: each run in a line, and the mean of what the class did."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from eduverse_mesa.measures.intervals import FEW
from eduverse_mesa.runs.comparing import Arm, Measured, summaries
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.visualization.charts.comparing import spoken
from eduverse_mesa.visualization.charts.frame import chart_words, saying
from eduverse_mesa.visualization.columns import left, right
from eduverse_mesa.visualization.page import plain_number
from eduverse_mesa.visualization.words import Words, words_in
from eduverse_mesa.visualization.words.titles import title_of

_CLASS = ("bec.", "irf.", "equity.", "network.")
_IN_A_LINE = ("bec.b_offtask", "bec.e_positive", "bec.c_high", "irf.irf")
"""What is told of each single run."""


def render_seeds(scenario: Scenario, measured: Sequence[Measured], warnings: Sequence[str] = ()) -> str:
    """The runs, then their means."""
    t = words_in(scenario.lessons[0].language)
    called = spoken(_IN_A_LINE, saying(chart_words(t.language)))
    run, seed = t("report.fact.run"), t("report.fact.seed")
    longest = max(cell_len(run), *(cell_len(one.run) for one in measured))
    heads = " ".join(right(called[measure], 22) for measure in _IN_A_LINE)
    lines = [t("report.seeds.title", name=title_of("scenario", scenario, t), n=len(measured)), ""]
    lines.append(f"{left(run, longest)} {right(seed, 8)} {heads}")
    for one in measured:
        numbers = " ".join(f"{plain_number(one.numbers.get(measure, float('nan'))):>22}" for measure in _IN_A_LINE)
        lines.append(f"{left(one.run, longest)} {right(str(one.seed), 8)} {numbers}")
    warned = [f"!! {warning}" for warning in warnings]
    seeds = len({one.seed for one in measured})
    few = [told] if (told := told_few(seeds, t)) else []
    return "\n".join([*lines, *warned, "", *_means(measured, t), "", t("report.seeds.how"), *few])


def told_few(seeds: int, t: Words) -> str:
    """What is said beside intervals over so few seeds; empty where there are enough."""
    return t("report.seeds.few", n=seeds, least=FEW) if seeds < FEW else ""


def _means(measured: Sequence[Measured], t: Words) -> list[str]:
    table = summaries([Arm("", tuple(measured))])
    of_class = table["measure"].str.startswith(_CLASS) & ~table["measure"].str.startswith("network.students.")
    rows = table[of_class]
    called = spoken(rows["measure"], saying(chart_words(t.language)))
    lines = [f"{'':<52} {right(t('report.seeds.mean'), 9)} {right(t('report.seeds.interval'), 20)}"]
    for measure, mean, low, high in rows[["measure", "mean", "low", "high"]].itertuples(index=False):
        interval = f"{plain_number(low)} .. {plain_number(high)}"
        lines.append(f"{left(called[measure], 52)} {plain_number(mean):>9} {interval:>20}")
    return lines
