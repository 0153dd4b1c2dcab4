"""Every measure of two sides, with its difference, and a picture of those that are looked at."""

from __future__ import annotations

from typing import Any

import solara

from eduverse_mesa.runs.comparing import Arm, pairing, summaries, values
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.app.kit import Card, Choice, Form, Note, Picture, Reading, chart_words, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.compare.comparison import Comparison
from eduverse_mesa.visualization.app.pages.compare.fields import search_field
from eduverse_mesa.visualization.app.pages.compare.table import GROUPS, SORTS, Row, chosen_rows, drawable, rows_of, tree
from eduverse_mesa.visualization.charts.comparing import measure_words
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.seeds_report import told_few
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import Words

_REST = 0.5
_CHANCE = 0.05


@solara.component
def Measures(comparison: Comparison) -> None:
    """The table, and beside it the picture."""
    t = use_words()
    use_live(comparison.changed, rest=_REST)
    against, set_against = solara.use_state("1")
    sides = comparison.sides
    if len(sides) < 2:
        with Card(t("compare.table.title")):
            Note(t("compare.table.one_side"))
        return
    other = min(int(against), len(sides) - 1)
    names = {str(number): side.name for number, side in enumerate(sides) if number}
    pick = []
    if len(sides) > 2:
        choice = Choice(t("compare.table.against"), names, str(other), set_against)
        pick = [solara.Div(classes=["ev-pick"], children=[choice])]
    with Card(t("compare.table.title"), actions=pick):
        _Two(comparison, other, comparison.version)


@solara.component
def _Two(comparison: Comparison, other: int, version: int) -> None:
    """The first side and another one."""
    t = use_words()
    arms = (comparison.arms[0], comparison.arms[other])
    say = saying(chart_words(t))
    rows = solara.use_memo(
        lambda: rows_of(*arms, lambda measure: measure_words(measure, say)), [version, other, t.language]
    )
    with solara.Div(classes=["ev-stack"]):
        _LeftOut(comparison)
        _Told(arms, rows, alone=comparison.forked is not None)
        _Found(comparison, other, rows, version)


@solara.component
def _LeftOut(comparison: Comparison) -> None:
    """How many runs were interrupted, and whether they count."""
    t = use_words()
    n = comparison.left_out
    if not n:
        solara.Div(classes=["ev-idle"])
        return
    with solara.Div(classes=["ev-stack"]):
        Note(t(f"compare.note.{'counted_in' if comparison.counts_all else 'left_out'}", n=n), kind="warn")
        check: Field = {
            "id": "all", "kind": "check", "label": t("compare.note.count_all"), "value": comparison.counts_all,
        }  # fmt: skip
        Form([check], hear=lambda _, value: comparison.count_all(bool(value)))


@solara.component
def _Told(arms: tuple[Arm, Arm], rows: list[Row], *, alone: bool) -> None:
    """How the sides are compared, and how much of it may be chance."""
    t = use_words()
    n = max((row.n for row in rows), default=0)
    if n == 0:  # all runs of a side were interrupted
        Note(t("compare.note.nothing"), kind="warn")
        return
    if n == 1:
        if alone:  # beside a fork it is said already
            solara.Div(classes=["ev-idle"])
        else:
            Note(t("compare.note.one"), kind="warn")
        return
    Note(" ".join(notes_of(arms, rows, t)), kind="warn" if told_few(n, t) else "info")


def notes_of(arms: tuple[Arm, Arm], rows: list[Row], t: Words) -> list[str]:
    """How the sides are compared, how many intervals leave out zero, and that the seeds are few where they are."""
    n = max(row.n for row in rows)
    how = "paired" if pairing(*arms) == "seeds" else "unpaired"
    bounded = [row for row in rows if row.low == row.low]
    clear = sum(row.clear for row in bounded)
    chance = round(_CHANCE * len(bounded))
    told = [t(f"compare.note.{how}", n=n), t("compare.note.chance", clear=clear, all=len(bounded), chance=chance)]
    return [*told, told_few(n, t)] if told_few(n, t) else told


@solara.component
def _Found(comparison: Comparison, other: int, rows: list[Row], version: int) -> None:
    t = use_words()
    heads = [(number, comparison.sides[number].name) for number in (0, other)]
    search, set_search = solara.use_state("")
    group, set_group = solara.use_state("class")
    order, set_order = solara.use_state(("order", True))
    chosen, set_chosen = solara.use_state("")
    sort, down = order
    found = chosen_rows(rows, group, search, sort, down=down)

    def hear(event: Any) -> None:
        if not isinstance(event, dict):
            return
        if event.get("sort") in SORTS:
            name = event["sort"]
            set_order((name, not down) if name == sort and down else ("order", True) if name == sort else (name, True))
        elif any(row.measure == event.get("measure") for row in rows):
            set_chosen("" if event["measure"] == chosen else event["measure"])

    with solara.Div(classes=["ev-stack"]):
        with solara.Div(classes=["ev-filters"]):
            Form([search_field(t("compare.table.search"), search)], hear=lambda _, text: set_search(text))
            Choice(t("compare.table.group"), {name: t(f"compare.group.{name}") for name in GROUPS}, group, set_group)
        intervals = any(row.low == row.low for row in rows)
        with solara.Div(classes=["ev-detail"]):
            with solara.Div(
                classes=["ev-numbers"],
                attributes={"tabindex": "0", "role": "region", "aria-label": t("compare.table.title")},
            ):
                Reading(tree(found, heads, t, sort=sort, down=down, chosen=chosen, intervals=intervals), on_event=hear)
            _Picture(comparison, tuple([chosen] if chosen else drawable(found)), version, hear)


@solara.component
def _Picture(comparison: Comparison, measures: tuple[str, ...], version: int, hear: Any) -> None:
    t = use_words()
    spec = solara.use_memo(lambda: _spec(comparison, measures, t), [version, measures, t.language])
    with solara.Div(classes=["ev-figure"]):
        solara.Text(t("compare.picture.title"), classes=["ev-figure-title"])
        Picture(spec, label=t("compare.picture.label"), on_event=hear)


def _spec(comparison: Comparison, measures: tuple[str, ...], t: Words) -> dict[str, Any]:
    arms = comparison.arms
    summary, single = summaries(arms), values(arms)
    return charts.measure_intervals.spec(
        summary[summary["measure"].isin(measures)],
        single[single["measure"].isin(measures)] if max(len(arm.seeds) for arm in arms) > 1 else None,
        words=chart_words(t),
        width="container",
    )
