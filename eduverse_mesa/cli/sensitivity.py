"""`eduverse sensitivity`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import duration
from eduverse_mesa.cli.options import (
    AsJson,
    Cores,
    ModelOptions,
    PolicyName,
    Quiet,
    ScenarioName,
    SearchSeed,
    Settings,
    pairs,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import local_engine, tell, trials_line
from eduverse_mesa.policies.registry import asks_model

if TYPE_CHECKING:
    from eduverse_mesa.experiments.sensitivity import Sensitivity, Study


MethodName = Annotated[str, typer.Option("--method", help="morris: what matters at all; sobol: shares of variance.")]
Globs = Annotated[
    list[str] | None,
    typer.Option(
        "--parameters", metavar="GLOB", help="Parameters of the embedded policy, such as 'attention.*'; again for more."
    ),
]
Factors = Annotated[
    list[str] | None,
    typer.Option(
        "--factors", metavar="KEY=LOW:HIGH", help="students, steps, interest, demand or any dotted key; again for more."
    ),
]
Around = Annotated[str, typer.Option("--around", help="Vary parameters by a share of their value, or of their range.")]
Spread = Annotated[
    float | None, typer.Option("--spread", help="That share, to each side. Default: value 0.5, range 0.25.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", metavar="GLOB", help="Measures to look at, such as 'bec.*'; again for more."),
]
Folder = Annotated[
    Path | None,
    typer.Option("--out", metavar="FOLDER", help="Keep runs, tables and page here; the same command goes on."),
]


@taking(ModelOptions, "llm", "delivery")
def sensitivity(
    scenario: ScenarioName = None,
    method: MethodName = "morris",
    parameters: Globs = None,
    factors: Factors = None,
    around: Around = "value",
    spread: Spread = None,
    measure: Measures = None,
    seeds: Annotated[int, typer.Option(help="Seeds at every point, the same at all.")] = 5,
    trajectories: Annotated[int, typer.Option(help="Paths of Morris' method.")] = 10,
    samples: Annotated[int, typer.Option(help="Base samples of Sobol's method: a power of two.")] = 64,
    seed: SearchSeed = 1,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    settings: Settings = None,
    workers: Cores = None,
    out: Folder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Find out what a class's measures depend on: Morris' or Sobol's sensitivity analysis."""
    from eduverse_mesa.experiments.sensitivity import (
        MEASURES,
        Method,
        Study,
        choose_parameters,
        find_sensitivity,
        read_factor,
    )
    from eduverse_mesa.scenarios import load_scenario

    asked = llm.settings()
    changed = {**pairs(settings), **asked}
    base = load_scenario(scenario, settings=changed)
    refuse_unused(asked, policy or base.settings.policy)
    chosen = choose_parameters(parameters or (), around, spread, base.settings.parameters)
    study = Study(
        inputs=(*chosen, *(read_factor(text) for text in factors or ())),
        method=Method(method, trajectories if method == "morris" else samples, seed),  # type: ignore[arg-type] # it checks
        scenario=scenario,
        measures=tuple(measure or MEASURES),
        seeds=seeds,
        seed=seed,
        policy=policy or "",
        settings=changed,
    )
    folder = None if out is None else out / "runs"
    with local_engine(workers) as engine:
        if not (quiet or as_json):
            _say_beforehand(study, policy or base.settings.policy, engine.workers, folder)
        with trials_line("runs", study.runs, hide=quiet or as_json) as watch:
            found = find_sensitivity(study, engine, folder, watch)
    return _tell(found, out, as_json)


def _say_beforehand(study: Study, policy: str, workers: int, folder: Path | None) -> None:
    """Say how many runs there are to play, and about how long they take."""
    from eduverse_mesa.experiments.sensitivity import count_runs, seconds_a_run

    left, total = count_runs(study, folder)
    if not left:
        return
    told = f"{left:,} of {total:,} runs are to be played"
    if asks_model(policy):
        typer.echo(f"{told}, and each asks the model: eduverse estimate tells what one takes.", err=True)
        return
    many = f"{workers} at a time" if workers > 1 else "one after the other"
    seconds = seconds_a_run(study) * left / workers
    typer.echo(f"{told}, {many}: about {duration(max(seconds, 1.0))}.", err=True)


def _tell(found: Sensitivity, out: Path | None, as_json: bool) -> int:
    """Keep the page and the indices where a folder is given, and print what was found."""
    from eduverse_mesa.runs.tables import write_csv
    from eduverse_mesa.visualization.reports.sweeps import sensitivity_report

    page, kept = None, ""
    if out is not None:
        page, kept = out / "sensitivity.html", f"Indices: {out / 'indices.csv'}"
        out.mkdir(parents=True, exist_ok=True)
        write_csv(found.indices, out / "indices.csv")
    tell(sensitivity_report(found), found.document(), as_json=as_json, page=page, kept=kept)
    return 0
