"""`eduverse run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import say_batches, say_local_time
from eduverse_mesa.cli.model_options import (
    BaseUrl,
    BudgetRequests,
    BudgetTokens,
    BudgetUsd,
    Cache,
    Delivery,
    Fidelity,
    Model,
    engine_name,
    model_settings,
    refuse_unused,
)
from eduverse_mesa.cli.options import (
    AsJson,
    Parameters,
    PolicyName,
    Quiet,
    Report,
    ScenarioName,
    Settings,
    pairs,
    parameters_in,
)
from eduverse_mesa.cli.seeds import Wanted, run_seeds
from eduverse_mesa.cli.showing import finish, progress_line
from eduverse_mesa.cli.watching import batch_lines, local_lines
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.sharing import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.runs.estimating import Estimate
    from eduverse_mesa.scenarios import Scenario


def run(
    scenario: ScenarioName = None,
    layout: Annotated[str | None, typer.Option(help="Another layout: a name or a file.")] = None,
    lesson: Annotated[
        list[str] | None, typer.Option(help="Another lesson; give the option again for the next lesson.")
    ] = None,
    students: Annotated[
        str | None,
        typer.Option(help="Another class: a name, a file, a class list (.csv), or a number to sample so many."),
    ] = None,
    sessions: Annotated[int | None, typer.Option(help="How many of the scenario's lessons to run.")] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps of a lesson's plan; adaptive pacing may take fewer or more.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same scenario and seed, same run.")] = 1,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="So many runs, with seeds from --seed on, and the means over them.")
    ] = 1,
    policy: PolicyName = None,
    model: Model = None,
    base_url: BaseUrl = None,
    fidelity: Fidelity = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    budget_requests: BudgetRequests = None,
    cache: Cache = None,
    delivery: Delivery = None,
    parameters: Parameters = None,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option(metavar="STUDY", help="Keep it in this study.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also play what the study holds already, as runs of their own.")
    ] = False,
    report: Report = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Run a lesson or a course of lessons.

    Without --out nothing is kept: the run lives in memory, and the report is printed. A study is given the same run
    (scenario, seed and policy) once: of several --seeds only those are played that it does not hold.
    """
    from eduverse_mesa.runs import run_course
    from eduverse_mesa.runs.repeating import known_runs, refuse_known
    from eduverse_mesa.runs.studies import record_course
    from eduverse_mesa.scenarios import load_scenario

    asked = model_settings(model, base_url, fidelity, budget_usd, budget_tokens, budget_requests, cache, delivery)
    loaded = load_scenario(
        scenario,
        layout=layout,
        lessons=lesson or None,
        students=number_or_name(students),
        sessions=sessions,
        steps=steps,
        settings={**parameters_in(parameters), **pairs(settings), **asked},
    )
    refuse_unused(asked, policy or loaded.settings.policy)
    asks = policy or loaded.settings.policy
    known = {} if out is None or again else known_runs(out, loaded, range(seed, seed + seeds), policy)
    if out is not None and seeds == 1 and known:
        refuse_known(out, known[seed])
    batches = in_batches(asks, loaded.settings.llm)
    engine_name(None, delivery, batches)
    if not quiet:
        say_local_time(loaded, asks, seed, seeds)
        if batches:
            say_batches(_estimate(loaded, seed, asks), seeds, seeds)
    if seeds > 1:
        wanted = Wanted(loaded, range(seed, seed + seeds), policy, out, known)
        with local_lines(asks, loaded.lessons[0].language, hide=quiet, bar=False):
            return run_seeds(wanted, report=report, as_json=as_json, quiet=quiet)
    with (
        local_lines(asks, loaded.lessons[0].language, hide=quiet, bar=not as_json),
        batch_lines(show=batches and not quiet),
        progress_line(loaded, hide=quiet or as_json) as progress,
    ):
        if out is None:
            played = run_course(loaded, seed, policy, progress=progress)
        else:
            played = record_course(out, loaded, seed, policy, progress=progress)
    return finish(played, as_json=as_json, report=report, study=out)


def _estimate(scenario: Scenario, seed: int, policy: str) -> Estimate:
    from eduverse_mesa.runs.estimating import estimate_run, settled

    return estimate_run(settled(scenario, policy), seed, policy, scenario.settings.llm.fidelity)


_MAX_DIGITS = 9


def number_or_name(students: str | None) -> str | int | None:
    """A class by its size, or by its name or file."""
    if students is None:
        return None
    if not students.isdecimal():
        return students
    if len(students) > _MAX_DIGITS:
        raise EduverseError("is more than any school has.", where="--students", mend="Give a number such as 30.")
    return students if Path(students).exists() else int(students)
