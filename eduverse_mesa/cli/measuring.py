"""`eduverse measure`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.options import AsJson
from eduverse_mesa.cli.showing import print_json

if TYPE_CHECKING:
    import pandas as pd


def measure(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Transcripts: CSV or XLSX, a row a sentence.")],
    as_json: AsJson = False,
) -> int:
    """Measure transcripts of real or simulated lessons, and lay them beside 231 real mathematics lessons."""
    from importlib.resources import files as packaged

    from eduverse_mesa.measures import beside_reference, load_reference, measure_lessons, read_transcripts

    measured = measure_lessons(read_transcripts(files))
    if as_json:
        print_json(_documents(measured))
        return 0
    from eduverse_mesa.visualization.measure_report import render_measures

    reference = load_reference(packaged("eduverse_mesa.scenarios") / "reference" / "real_classes.csv")
    typer.echo(render_measures(measured, beside_reference(measured, reference)))
    return 0


def _documents(measured: pd.DataFrame) -> list[dict[str, object]]:
    """A list with one object a lesson; what a lesson cannot tell is null."""
    documents: list[dict[str, object]] = []
    for lesson, row in measured.iterrows():
        values = {str(name): None if value != value else value for name, value in row.items()}
        documents.append({"lesson": str(lesson), **values})
    return documents
