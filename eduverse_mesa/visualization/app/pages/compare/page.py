"""The compare page: what is compared at the top, the rooms in step with each other, then what differs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

import solara

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.compare.choosing import FromStudy, take_ticked
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison, comparison_of
from eduverse_mesa.visualization.app.pages.compare.forking import ForkTold, WhatIf
from eduverse_mesa.visualization.app.pages.compare.making import PlayArms
from eduverse_mesa.visualization.app.pages.compare.measures import Measures
from eduverse_mesa.visualization.app.pages.compare.rooms import Rooms
from eduverse_mesa.visualization.app.pages.compare.series import Series
from eduverse_mesa.visualization.words import Words

WAYS = {"play": PlayArms, "study": FromStudy, "fork": WhatIf}


@solara.component
def ComparePage(desk: Desk) -> None:
    """Runs side by side."""
    comparison = comparison_of(desk)
    use_live(comparison.changed)
    t = use_words()
    asked = solara.use_memo(lambda: take_ticked(desk, comparison, t), [])
    with solara.Div(classes=["ev-stack", "ev-compare"]):
        solara.Style(_style())
        _Head(desk, comparison, asked)
        _Working(comparison)
        if comparison.sides:
            ForkTold(comparison)
            Rooms(comparison)
            Series(comparison)
            Measures(comparison)
        else:
            solara.Text(t("compare.empty"), classes=["ev-quiet"])


@solara.component
def _Head(desk: Desk, comparison: Comparison, asked: bool) -> None:
    """`asked`: what is compared was chosen elsewhere, and no form is needed."""
    t = use_words()
    use_live(comparison.changed)
    way, set_way = solara.use_state("" if comparison.sides or asked else "play")
    with solara.Div(classes=["ev-stack"]):
        _Title(comparison, way, set_way)
        if way:
            with Card(t(f"compare.way.{way}")):
                WAYS[way](desk, comparison, lambda: set_way("")).key(way)


@solara.component
def _Title(comparison: Comparison, way: str, set_way: Callable[[str], None]) -> None:
    t = use_words()
    use_live(comparison.changed)
    with solara.Div(classes=["ev-row", "ev-headline"]):
        solara.v.Html(tag="h1", class_="ev-h1", children=[t("compare.title")])
        solara.Text(_told(comparison, t), classes=["ev-quiet"])
        solara.v.Spacer()
        for name in WAYS:
            here = name == way
            solara.Button(
                t(f"compare.way.{name}"),
                outlined=True,
                classes=["ev-toggle", "on"] if here else ["ev-toggle"],
                attributes={"aria-pressed": str(here).lower()},
                on_click=lambda name=name, here=here: set_way("" if here else name),
            )


def _told(comparison: Comparison, t: Words) -> str:
    if not comparison.sides:
        return t("compare.lead")
    seeds = len(comparison.seeds)
    return f"{t('compare.sides', n=len(comparison.sides))} · {t('compare.seeds_count', n=seeds)}"


@solara.component
def _Working(comparison: Comparison) -> None:
    """How far the work is, with a way to break it off; what went wrong."""
    t = use_words()
    use_live(comparison.work.told, rest=0.1)
    work = comparison.work
    if work.busy:
        now = work.progress
        with solara.Div(classes=["ev-row", "ev-working"], attributes={"role": "status"}):
            solara.v.ProgressLinear(
                value=100 * now.share if now else 0,
                height=6,
                rounded=True,
                indeterminate=now is None,
                attributes={"aria-label": t("compare.working")},
            )
            told = t("compare.progress", run=now.run, runs=now.runs) if now else t("compare.working")
            solara.Text(told, classes=["ev-quiet"])
            solara.Button(t("compare.cancel"), small=True, outlined=True, on_click=work.stop)
    elif work.error is not None:
        Trouble(work.error)
    else:
        solara.Div(classes=["ev-idle"])


@cache
def _style() -> str:
    return (files("eduverse_mesa.visualization.app.pages.compare") / "compare.css").read_text(encoding="utf-8")
