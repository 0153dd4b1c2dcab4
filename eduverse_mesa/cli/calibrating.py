"""`eduverse calibrate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from eduverse_mesa.cli.options import AsJson, Cores, Quiet, SearchSeed
from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import local_engine, trials_line, write_page

PARAMETERS, PAGE = "parameters.yaml", "report.html"


def calibrate(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything goes; the same call goes on there.")],
    members: Annotated[int, typer.Option(help="Sets of parameters that are moved together.")] = 240,
    assimilations: Annotated[int, typer.Option(help="How often.")] = 4,
    lessons: Annotated[int, typer.Option(help="Lessons of each kind that a set is tried with.")] = 1,
    free: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Parameters to fit instead of the usual ones; again for more."),
    ] = None,
    judge: Annotated[int, typer.Option(help="Fresh lessons of each kind to judge the fit with.")] = 20,
    predict: Annotated[int, typer.Option(help="Seeds of the papers' experiments to predict with; 0: none.")] = 10,
    profiles: Annotated[
        int, typer.Option(help="Parameters of which a profile is played, those best learned first; 0: none.")
    ] = 6,
    seed: SearchSeed = 1,
    workers: Cores = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Fit the embedded policy's parameters to published lessons and real classes.

    Writes parameters.yaml, which `eduverse run --parameters` takes, and report.html. Interrupted, the same call goes on
    where it was.
    """
    from eduverse_mesa.experiments.calibration.fitting import Plan, fit
    from eduverse_mesa.experiments.calibration.free import free_parameters
    from eduverse_mesa.experiments.calibration.profiles import best_learned, profile
    from eduverse_mesa.experiments.calibration.report import judge_fit
    from eduverse_mesa.experiments.calibration.targets import targets
    from eduverse_mesa.experiments.calibration.writing import write_parameters
    from eduverse_mesa.visualization.calibration_report import render_page_of, render_text

    plan = Plan(members, assimilations, lessons, seed)
    chosen, wanted = free_parameters(tuple(free or ())), targets()
    hide = quiet or as_json
    with local_engine(workers) as engine:
        total = members * (assimilations + 1)
        with trials_line("sets of parameters", total, hide) as told:
            hear = None if told is None else (lambda number, done: told(number * members + done))
            found = fit(chosen, wanted, plan, engine=engine, folder=out, watch=hear)
        write_parameters(found, wanted, out / PARAMETERS)
        with trials_line("fresh lessons", None, hide) as told:
            hear_fresh = None if told is None else (lambda _, done: told(done))
            judged = judge_fit(found, wanted, engine, lessons=judge, predict_seeds=predict, watch=hear_fresh)
        if profiles > 0:
            names = best_learned(found, profiles)
            with trials_line("lessons of profiles", None, hide) as told:
                shapes = profile(found, chosen, wanted, engine, parameters=names, watch=told)
            judged = replace(judged, profiles=shapes)
    write_page(render_page_of(judged), out / PAGE)
    if as_json:
        print_json(judged.document())
        return 0
    typer.echo(render_text(judged))
    typer.echo(f"Parameters: {out / PARAMETERS}\nPage: {out / PAGE}")
    return 0
