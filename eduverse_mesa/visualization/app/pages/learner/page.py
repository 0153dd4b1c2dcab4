"""The learner page: a cohort is taught behind it; then each learner can be looked at, read, taught and taken away."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.learner.bench import Bench, bench_of
from eduverse_mesa.visualization.app.pages.learner.choosing import Choosing
from eduverse_mesa.visualization.app.pages.learner.showing import Showing
from eduverse_mesa.visualization.words import Words


@solara.component
def LearnerPage(desk: Desk) -> None:
    """Learners over the years."""
    bench = bench_of(desk)
    use_live(bench.changed)
    t = use_words()

    def open_asked() -> None:
        asked, desk.to_teach = desk.to_teach, None
        if asked is not None:
            bench.open_run(*asked)

    solara.use_effect(open_asked, [])
    with solara.Div(classes=["ev-stack", "ev-learner"]):
        solara.Style(_style())
        with solara.Div(classes=["ev-row", "ev-headline"]):
            solara.v.Html(tag="h1", class_="ev-h1", children=[t("learner.title")])
            solara.Text(t("learner.lead"), classes=["ev-quiet"])
        Choosing(desk, bench)
        _Working(bench)
        if bench.school is not None:
            Showing(desk, bench)


@solara.component
def _Working(bench: Bench) -> None:
    """How far it is, with a way to break it off; what went wrong."""
    t = use_words()
    use_live(bench.told, rest=0.2)
    use_live(bench.changed)
    if bench.busy and bench.progress is not None:
        done, total = bench.progress
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.v.ProgressLinear(
                value=100 * done / max(total, 1),
                height=6,
                rounded=True,
                indeterminate=bench.stopping,
                attributes={"aria-label": t("learner.working")},
            )
            solara.Text(_told(done, total, t), classes=["ev-quiet"])
            solara.Button(
                t("learner.stopping" if bench.stopping else "learner.stop"),
                small=True,
                outlined=True,
                disabled=bench.stopping,
                on_click=bench.stop,
            )
    elif bench.busy:
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.Text(t("learner.working"), classes=["ev-quiet"])
    elif bench.error is not None and not (bench.error_at and bench.tab == bench.error_at):
        Trouble(bench.error)
    else:
        solara.Div(classes=["ev-idle"])


def _told(done: int, total: int, t: Words) -> str:
    return t("learner.progress", done=f"{done:,}", n=total)


@cache
def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.learner") / "learner.css").read_text(encoding="utf-8")
