"""What a test call and an estimate have found, and the buttons that begin them."""

from __future__ import annotations

import solara

from eduverse_mesa.policies.llm.trying import Tried
from eduverse_mesa.runs.estimating import Estimate
from eduverse_mesa.visualization.app.kit import Card, Note, Reading, Trouble, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.settings.choices import Choices
from eduverse_mesa.visualization.app.pages.settings.trial import Asked, Trial
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words

_LATENCY = 1.5
"""Seconds that a call takes where nobody has tried."""


@solara.component
def Testing(choices: Choices, trial: Trial) -> None:
    """One small call, really made."""
    t = use_words()
    use_live(trial.changed)
    use_live(choices.changed)
    asked, redraw = trial.call, solara.use_state(0)[1]

    def begin() -> None:
        trial.try_it()
        redraw(lambda count: count + 1)

    with Card(t("settings.test.title")):
        solara.Text(t(f"settings.test.why_{choices.model_asked}"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("settings.test.asking" if asked.going else "settings.test.go"),
                color="primary",
                disabled=asked.going or not choices.model_named,
                on_click=begin,
            )
        if not choices.model_named:
            Note(t("settings.test.no_model"))
        _stale(asked, trial, t)
        if asked.error is not None:
            Trouble(asked.error)
        elif asked.found is not None:
            Reading(tried_tree(asked.found, t))


def _stale(asked: Asked, trial: Trial, t: Words) -> None:
    if (asked.found is not None or asked.error is not None) and asked.about != trial.about:
        Note(t("settings.stale"), kind="warn")


def tried_tree(tried: Tried, t: Words) -> Tree:
    """A model that has answered, and what it said."""
    where = t("settings.test.at", server=tried.server) if tried.server else t("settings.test.here")
    usage = (
        ""
        if tried.tokens_in is None or tried.tokens_out is None
        else t("settings.test.usage", read=tried.tokens_in, written=tried.tokens_out)
    )
    said = (
        [["blockquote", {"class": "ev-quote", "dir": "auto"}, tried.said]]
        if tried.said
        else [["p", {"class": "ev-note is-warn"}, t("settings.test.silent")]]
    )
    return [
        "div",
        {},
        ["p", {"class": "ev-note is-ok", "role": "status"}, t("settings.test.ok", seconds=f"{tried.seconds:.2f}")],
        *said,
        [
            "p",
            {"class": "ev-muted ev-small", "dir": "auto"},
            " · ".join(part for part in (tried.model, where, usage) if part),
        ],
    ]


@solara.component
def Estimating(choices: Choices, trial: Trial) -> None:
    """What the lesson on the classroom page would take."""
    t = use_words()
    use_live(trial.changed)
    use_live(choices.changed)
    asked, redraw = trial.estimate, solara.use_state(0)[1]

    def begin() -> None:
        trial.reckon()
        redraw(lambda count: count + 1)

    with Card(t("settings.estimate.title")):
        solara.Text(t("settings.estimate.why"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-row"]):
            solara.Button(
                t("settings.estimate.counting" if asked.going else "settings.estimate.go"),
                outlined=True,
                disabled=asked.going,
                on_click=begin,
            )
        _stale(asked, trial, t)
        if asked.error is not None:
            Trouble(asked.error)
        elif asked.found is not None:
            tried: Tried | None = trial.call.found
            slots = 1 if choices.model_asked == "local" else choices.model_settings.concurrency
            Reading(estimate_tree(asked.found, tried.seconds if tried else _LATENCY, slots, t))


def estimate_tree(one: Estimate, latency: float, slots: int, t: Words) -> Tree:
    """An estimate as facts."""
    out, cost = one.tokens_out, one.cost_usd
    facts = [
        (t("settings.estimate.steps"), f"{one.steps}"),
        (t("settings.estimate.calls"), f"{one.calls:,}"),
        (t("settings.estimate.read"), f"{one.tokens_in:,}"),
        (t("settings.estimate.written"), t("settings.estimate.between", **{name: f"{n:,}" for name, n in out.items()})),
        (t("settings.estimate.price"), t("settings.estimate.unpriced") if cost is None else _price(cost, t)),
        (t("settings.estimate.time", seconds=f"{latency:.1f}"), _duration(one.seconds(latency, slots), t)),
    ]  # fmt: skip
    return [
        "div",
        {},
        ["dl", {"class": "ev-facts"}, *(["div", {}, ["dt", {}, name], ["dd", {}, value]] for name, value in facts)],
        ["p", {"class": "ev-muted ev-small"}, t("settings.estimate.about")],
    ]


def _price(cost: dict[str, float], t: Words) -> str:
    if not any(cost.values()):
        return t("settings.estimate.free")
    return t("settings.estimate.between", **{name: f"${amount:.2f}" for name, amount in cost.items()})


def _duration(seconds: float, t: Words) -> str:
    if seconds < 120:
        return t("settings.estimate.seconds", n=f"{seconds:.0f}")
    return t("settings.estimate.minutes", n=f"{seconds / 60:.0f}")
