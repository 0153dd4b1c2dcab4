"""`eduverse realism`, `measure` and `calibrate`: simulated lessons and transcripts beside real lessons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.options import (
    AsJson,
    Cores,
    ModelOptions,
    PageFile,
    Parameters,
    PolicyName,
    Quiet,
    SearchSeed,
    Settings,
    pairs,
    parameters_in,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import local_engine, tell, trials_line

if TYPE_CHECKING:
    import pandas as pd


@taking(ModelOptions, "llm", "delivery")
def realism(
    lessons: Annotated[int, typer.Option(help="How many lessons to play.")] = 60,
    students: Annotated[str, typer.Option(metavar="RANGE", help="Sizes of the classes, such as 20-30.")] = "20-30",
    steps: Annotated[int, typer.Option(help="Nominal steps of a lesson.")] = 30,
    lesson: Annotated[
        str, typer.Option(help="The lesson: a name or a file; left out, plans of mathematics that suit each teacher.")
    ] = "",
    reference: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Transcripts of your own to compare with; again for the next file."),
    ] = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    parameters: Parameters = None,
    settings: Settings = None,
    seed: SearchSeed = 1,
    workers: Cores = None,
    out: PageFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Hold simulated lessons against real ones.

    Plays lessons of many classes and teachers, and lays every measure of their talk beside 231 real mathematics
    lessons, or beside transcripts of your own.
    """
    from eduverse_mesa.experiments.realism import Design, compare_with_real, from_transcripts, read_range
    from eduverse_mesa.visualization.reports.realism import realism_report

    asked = llm.settings()
    refuse_unused(asked, policy or "embedded")
    smallest, largest = read_range(students)
    design = Design(
        lessons=lessons,
        smallest=smallest,
        largest=largest,
        steps=steps,
        lesson=lesson,
        policy=policy or "",
        seed=seed,
        settings={**parameters_in(parameters), **pairs(settings), **asked},
    )
    real = from_transcripts(reference) if reference else None
    with local_engine(workers) as engine, trials_line("lessons", design.plays, hide=quiet or as_json) as watch:
        found = compare_with_real(design, real, engine, watch)
    tell(realism_report(found), found.document(), as_json=as_json, page=out)
    return 0


def measure(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Transcripts: CSV or XLSX, a row a sentence.")],
    out: PageFile = None,
    as_json: AsJson = False,
) -> int:
    """Measure transcripts of real or simulated lessons, and lay them beside 231 real mathematics lessons."""
    from importlib.resources import files as packaged

    from eduverse_mesa.measures import beside_reference, load_reference, measure_lessons, read_transcripts
    from eduverse_mesa.visualization.reports.realism import measures_report

    measured = measure_lessons(read_transcripts(files))
    reference = load_reference(packaged("eduverse_mesa.scenarios") / "reference" / "real_classes.csv")
    report = measures_report(measured, beside_reference(measured, reference))
    tell(report, _documents(measured), as_json=as_json, page=out)
    return 0


def _documents(measured: pd.DataFrame) -> list[dict[str, object]]:
    """A list with one object a lesson; what a lesson cannot tell is null."""
    documents: list[dict[str, object]] = []
    for lesson, row in measured.iterrows():
        values = {str(name): None if value != value else value for name, value in row.items()}
        documents.append({"lesson": str(lesson), **values})
    return documents


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
    from eduverse_mesa.experiments.calibration.fit import Plan, fit, free_parameters, write_parameters
    from eduverse_mesa.experiments.calibration.report import best_learned, judge_fit, profile
    from eduverse_mesa.experiments.calibration.targets import targets
    from eduverse_mesa.visualization.reports.realism import calibration_report

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
    kept = f"Parameters: {out / PARAMETERS}"
    tell(calibration_report(judged), judged.document(), as_json=as_json, page=out / PAGE, kept=kept)
    return 0
