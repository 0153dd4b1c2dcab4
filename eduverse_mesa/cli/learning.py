"""`eduverse experiment simlearner-1` to `simlearner-5`, and `simlearner-all`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import trials_line, write_page

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.simlearner import Findings

PREFIX = "simlearner-"
_NOT_ALL = 1


def simlearner(
    which: str,
    seeds: int,
    policy: str,
    settings: Mapping[str, object],
    engine: Engine,
    out: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Play SimLearner's studies, and lay its numbers and statements beside what comes out.

    Exit code 1: some answers failed or were stood in for, and the reason is told.
    """
    from eduverse_mesa.experiments.simlearner import document, find, play_all, plays_of, studies

    wanted = studies(which)
    plays = plays_of(wanted, seeds, policy, settings)
    with engine, trials_line("cohorts", len(plays), hide=quiet or as_json) as line:
        table = play_all(plays, engine, watch=line)
    found = find(wanted, table, policy)
    if out is not None:
        write_findings(found, out)
    if as_json:
        print_json(document(found))
    else:
        _show(found, out)
    return _NOT_ALL if found.answers.get("failed") else 0


def write_findings(found: Findings, out: Path) -> None:
    """The numbers and tables as Parquet, and one report."""
    from eduverse_mesa.experiments.simlearner import compared_table, judged_table
    from eduverse_mesa.experiments.sweeps.durable import writing_whole
    from eduverse_mesa.visualization.learning_report import render_page_of

    tables = {
        "results": found.table,
        "tables": compared_table(found.compared),
        "statements": judged_table(found.judged),
    }
    write_page(render_page_of(found), out / "simlearner.html")
    for name, table in tables.items():
        with writing_whole(out / f"{name}.parquet") as part:
            table.to_parquet(part, index=False)


def _show(found: Findings, out: Path | None) -> None:
    from eduverse_mesa.visualization.learning_report import render_text

    typer.echo(render_text(found))
    if out is not None:
        typer.echo(f"\nIn {out}: simlearner.html; results, tables and statements as Parquet.")
