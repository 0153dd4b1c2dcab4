"""`eduverse realism`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eduverse_mesa.cli.model_options import BaseUrl, Cache, Fidelity, Model, model_settings, refuse_unused
from eduverse_mesa.cli.options import (
    AsJson,
    Cores,
    PageFile,
    Parameters,
    PolicyName,
    Quiet,
    SearchSeed,
    Settings,
    pairs,
    parameters_in,
)
from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import local_engine, trials_line, write_page


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
    model: Model = None,
    base_url: BaseUrl = None,
    fidelity: Fidelity = None,
    cache: Cache = None,
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
    from eduverse_mesa.visualization.realism_report import render_page_of, render_text

    asked = model_settings(model, base_url, fidelity, cache=cache)
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
        report = compare_with_real(design, real, engine, watch)
    if out is not None:
        write_page(render_page_of(report), out)
    if as_json:
        print_json(report.document())
        return 0
    typer.echo(render_text(report))
    if out is not None:
        typer.echo(f"Page: {out}")
    return 0
