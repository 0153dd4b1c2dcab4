"""`eduverse seat`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.options import (
    AsJson,
    Cores,
    ModelOptions,
    PolicyName,
    Quiet,
    Report,
    ScenarioName,
    SearchSeed,
    Settings,
    pairs,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import local_engine, tell, trials_line, write_page

if TYPE_CHECKING:
    from eduverse_mesa.experiments.seating import Advice, Constraint
    from eduverse_mesa.scenarios import Scenario

Names = list[str] | None


@taking(ModelOptions, "llm", "delivery")
def seat(
    scenario: ScenarioName = None,
    objective: Annotated[
        str, typer.Option(help="engagement, equity or calm, or weights: engagement=0.6,equity=0.4")
    ] = "engagement",
    apart: Annotated[Names, typer.Option(metavar="A,B", help="Not neighbours; again for others.")] = None,
    together: Annotated[Names, typer.Option(metavar="A,B", help="Neighbours; again for others.")] = None,
    front: Annotated[Names, typer.Option(metavar="A", help="In the third nearest to the board.")] = None,
    fixed: Annotated[Names, typer.Option(metavar="A", help="Stays in the present seat.")] = None,
    layouts: Annotated[str, typer.Option(metavar="NAME,...", help="Other layouts that may be taken.")] = "",
    seeds: Annotated[int, typer.Option(help="Seeds on which the plan is judged; the search uses others.")] = 20,
    budget: Annotated[int, typer.Option(help="Runs that the search may play before.")] = 300,
    seed: SearchSeed = 1,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    settings: Settings = None,
    workers: Cores = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the scenario with the plan here.")] = None,
    report: Report = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Look for a seating plan that serves the class better, and say whether it does.

    Many plans are tried with the same luck. The best is then judged against the present one on seeds that the search
    has not seen; where the difference may be chance, this is what is said.
    """
    from eduverse_mesa.experiments.seating import Request, advise, read_objective
    from eduverse_mesa.scenarios import load_scenario

    asked = llm.settings()
    loaded = load_scenario(scenario, settings={**pairs(settings), **asked})
    refuse_unused(asked, policy or loaded.settings.policy)
    request = Request(
        scenario=loaded,
        objective=read_objective(objective),
        constraints=_constraints(loaded, {"apart": apart, "together": together, "front": front, "fixed": fixed}),
        layouts=tuple(name for name in (part.strip() for part in layouts.split(",")) if name),
        seeds=seeds,
        budget=budget,
        seed=seed,
        policy=policy or "",
    )
    with local_engine(workers) as engine, trials_line("runs", request.plays, hide=quiet or as_json) as watch:
        advice = advise(request, engine, watch)
    return _tell(advice, out, report, as_json=as_json)


def _tell(advice: Advice, out: Path | None, report: Path | None, *, as_json: bool) -> int:
    """Write the plan where there is a better one, and print what was found."""
    from eduverse_mesa.scenarios.drafts import Draft
    from eduverse_mesa.visualization.reports.sweeps import advice_report

    written = out is not None and advice.adopted
    if out is not None and written:
        write_page(Draft.of_scenario(advice.planned).dump(), out)
    plan = f"Plan: {out}  (eduverse run {out})" if written else f"{out} was not written: there is nothing to change."
    document = {**advice.document(), "file": str(out) if written else None}
    tell(advice_report(advice), document, as_json=as_json, page=report, kept=plan if out is not None else "")
    return 0


def _constraints(scenario: Scenario, given: dict[str, Names]) -> tuple[Constraint, ...]:
    from eduverse_mesa.experiments.seating import read_constraint

    return tuple(read_constraint(demand, text, scenario) for demand, texts in given.items() for text in texts or ())  # type: ignore[arg-type] # the keys are demands
