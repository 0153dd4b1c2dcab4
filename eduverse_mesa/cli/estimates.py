"""Estimates of a language model's work: as a table, as JSON, and in one sentence before the model is asked."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.output import print_json
from eduverse_mesa.policies.registry import policy_parts

if TYPE_CHECKING:
    from eduverse_mesa.runs.estimate import Estimate
    from eduverse_mesa.scenarios import Scenario
    from eduverse_mesa.scenarios.scenario import LanguageModel

LATENCY = 1.5
Latency = Annotated[float, typer.Option(min=0, max=3600, help="Seconds that one call takes.")]


def show_estimates(found: Sequence[Estimate], llm: LanguageModel, latency: float, *, as_json: bool) -> None:
    """Estimates side by side, and what to make of them."""
    if as_json:
        print_json([_document(one, latency, llm.concurrency) for one in found])
        return
    typer.echo(table([_column(one, latency, llm.concurrency) for one in found]))
    if found[0].cost_usd is None:
        typer.echo(f"No price is known for {llm.model or 'a model without a name (--model)'}: no cost is given.")
    typer.echo("Tokens are counted without the model's own tokenizer; expect them within a fifth or so.")


def in_a_sentence(one: Estimate) -> str:
    """Size and price, before a model is asked."""
    price = "" if one.cost_usd is None else f", about {one.cost_usd['likely']:,.2f} USD"
    return f"about {one.calls:,} calls and {one.tokens_in + one.tokens_out['likely']:,} tokens{price}."


def say_batches(one: Estimate, runs: int, at_once: int) -> None:
    """Say how many batches runs of this kind take one after the other, before the first is sent."""
    waves = math.ceil(runs / at_once)
    rounds = one.rounds * waves
    beside = "run alone" if runs == 1 else f"{min(runs, at_once):,} runs side by side"
    typer.echo(
        f"Answers come in batches. A run asks about {one.rounds:,} times one after the other, and each time is a batch "
        f"that may take minutes or a day: about {rounds:,} batches, {beside}; at an hour each {_days(rounds)}. Ctrl-C "
        "loses nothing: the same command waits for the batch that is out.",
        err=True,
    )


def _days(hours: float) -> str:
    return f"{hours:,.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"


def say_local_time(scenario: Scenario, policy: str, seed: int, runs: int) -> None:
    """Say how long runs take whose answers a model on this machine writes: it is far slower than anything else."""
    if "local" not in policy_parts(policy).values():
        return
    from eduverse_mesa.policies import settle
    from eduverse_mesa.runs.estimate import estimate_run

    settings = settle(policy, scenario.settings)
    settled = scenario.model_copy(update={"settings": settings})
    one = estimate_run(settled, seed, policy, settings.llm.fidelity).times(runs)
    seconds = one.local_seconds * _slowdown()
    typer.echo(
        f"The model on this machine is asked about {one.calls:,} times and writes about {one.tokens_out['likely']:,} "
        f"tokens: about {duration(one.local_seconds)} on two free cores, several times as long on busy ones.",
        err=True,
    )
    if seconds > 2 * one.local_seconds:
        typer.echo(f"They are busy now: rather {duration(seconds)}, or more.", err=True)
    if seconds > _LONG and policy == "local":
        words = estimate_run(settled, seed, _ONLY_WORDS, settings.llm.fidelity).times(runs)
        brief = duration(words.local_seconds * _slowdown())
        typer.echo(f"Where it only speaks (--policy {_ONLY_WORDS}) about {brief}.", err=True)


_ONLY_WORDS = "words=local,rest=embedded"
_LONG = 300.0
"""Seconds that nobody likes to wait for."""


def _slowdown() -> float:
    """Return how many times longer work takes because of what this machine already does."""
    cores = os.cpu_count() or 1
    return 1 + (os.getloadavg()[0] / cores if hasattr(os, "getloadavg") else 0)


def _document(one: Estimate, latency: float, slots: int) -> dict[str, object]:
    return {
        "fidelity": one.fidelity,
        "steps": one.steps,
        "calls": one.calls,
        "rounds": one.rounds,
        "tokens_in": one.tokens_in,
        "tokens_in_reusable": one.reusable,
        "tokens_out": one.tokens_out,
        "cost_usd": one.cost_usd,
        "seconds_at_least": one.seconds(latency, slots),
    }


def _column(one: Estimate, latency: float, slots: int) -> list[tuple[str, str]]:
    out, cost = one.tokens_out, one.cost_usd
    rows = [
        ("", one.fidelity),
        *([("steps", f"{one.steps}")] if one.steps else []),
        ("calls", f"{one.calls:,}"),
        ("calls one after the other", f"{one.rounds:,}"),
        ("tokens read", f"{one.tokens_in:,}"),
        ("  of which seen before", f"{one.reusable / one.tokens_in:.0%}" if one.tokens_in else "-"),
        ("tokens written", f"{out['likely']:,} ({out['least']:,} to {out['most']:,})"),
        (f"time, at {latency:g} s a call", duration(one.seconds(latency, slots))),
    ]
    if cost is not None:
        rows.append(("cost, USD", f"{cost['likely']:.2f} ({cost['least']:.2f} to {cost['most']:.2f})"))
    return rows


def table(columns: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Columns of the same rows, side by side."""
    labels = [label for label, _ in columns[0]]
    widths = [max(len(value) for _, value in column) for column in columns]
    lines = []
    for place, label in enumerate(labels):
        cells = "   ".join(f"{column[place][1]:>{width}}" for column, width in zip(columns, widths, strict=True))
        lines.append(f"{label:<{max(map(len, labels))}}   {cells}".rstrip())
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """In seconds, or in minutes where they are many."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
