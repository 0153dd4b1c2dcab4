"""The experiments page: what is to be played, how far it is, and what it found."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.experiments.bench import Bench, bench_of
from eduverse_mesa.visualization.app.pages.experiments.choosing import Choosing
from eduverse_mesa.visualization.app.pages.experiments.showing import Showing
from eduverse_mesa.visualization.words import Words

_MINUTES = 100.0
"""From so many seconds on minutes are said."""


@solara.component
def ExperimentsPage(desk: Desk) -> None:
    """The paper's four experiments."""
    bench = bench_of(desk)
    use_live(bench.changed)
    t = use_words()
    with solara.Div(classes=["ev-stack", "ev-experiments"]):
        solara.Style(_style())
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("experiments.title")])
            solara.Text(t("experiments.lead"), classes=["ev-quiet"])
        Choosing(desk, bench)
        _Working(bench)
        if bench.found is not None and bench.plan is not None and bench.progress is not None and not bench.busy:
            Showing(bench.found, bench.plan, bench.progress, bench.failure).key(str(bench.folder))


@solara.component
def _Working(bench: Bench) -> None:
    """How far it is, with a way to break it off; what went wrong."""
    t = use_words()
    use_live(bench.told, rest=0.2)
    use_live(bench.changed)
    now = bench.progress
    if bench.busy:
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.v.ProgressLinear(
                value=100 * now.done / max(now.total, 1) if now else 0,
                height=6,
                rounded=True,
                indeterminate=now is None or bench.stopping,
                attributes={"aria-label": t("experiments.working")},
            )
            solara.Text(_told(bench, t), classes=["ev-quiet"])
            solara.Button(
                t("experiments.stopping" if bench.stopping else "experiments.stop"),
                small=True,
                outlined=True,
                disabled=bench.stopping,
                on_click=bench.stop,
            )
    elif bench.error is not None:
        Trouble(bench.error)
    else:
        solara.Div(classes=["ev-idle"])


def _told(bench: Bench, t: Words) -> str:
    now, left = bench.progress, bench.seconds_left
    if now is None:
        return t("experiments.working")
    told = t("experiments.progress", done=now.done, total=now.total)
    if not math.isfinite(left) or bench.stopping:
        return told
    if left < _MINUTES:
        return f"{told} · {t('experiments.seconds', n=max(round(left), 1))}"
    return f"{told} · {t('experiments.minutes', n=round(left / 60))}"


@cache
def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.experiments") / "experiments.css").read_text(encoding="utf-8")
