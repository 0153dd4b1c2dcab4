"""`eduverse experiment simlearner-1` to `simlearner-5`, and `simlearner-all`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eduverse_mesa.cli.estimates import in_a_sentence, say_batches
from eduverse_mesa.cli.interrupting import StoppedError
from eduverse_mesa.cli.model_options import asks_model
from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import batch_lines, batches_left, trials_line, write_page
from eduverse_mesa.policies.sharing import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.simlearner import Findings
    from eduverse_mesa.experiments.simlearner.recording import Recorded

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
    from eduverse_mesa.experiments.engines import Threads
    from eduverse_mesa.experiments.simlearner import document, find
    from eduverse_mesa.experiments.simlearner.recording import Plan, play, recording

    plan = Plan(which=which, seeds=seeds, policy=policy, settings=dict(settings))
    with recording(plan, out) as recorded, engine as player:
        try:
            if not (quiet or as_json):
                _say_beforehand(recorded, player)
            with (
                batch_lines(show=not quiet and isinstance(player, Threads)),
                trials_line("cohorts", len(recorded.plays), hide=quiet or as_json) as line,
            ):
                play(recorded, player, watch=line)
        except KeyboardInterrupt:
            raise _stopped(recorded) from None
        found = find(plan.studies, recorded.table(), policy)
        if out is not None:
            write_findings(found, out)
    if as_json:
        print_json(document(found))
    else:
        _show(found, out)
    return _NOT_ALL if found.answers.get("failed") else 0


def _say_beforehand(recorded: Recorded, player: Engine) -> None:
    """What a language model will have to do."""
    from eduverse_mesa.experiments.simlearner.designs import tutoring_of
    from eduverse_mesa.experiments.simlearner.estimating import estimate_plays

    left, policy = recorded.left, recorded.plan.policy
    if not left or not asks_model(policy):
        return
    told = f"{len(left)} of {len(recorded.plays)} cohorts are to be taught."
    one = estimate_plays(left, policy)
    typer.echo(f"{told} Asked of the model: {in_a_sentence(one)}", err=True)
    if in_batches(policy, tutoring_of(left[0].tutoring).settings.llm):
        say_batches(one, len(left), player.workers)


def _stopped(recorded: Recorded) -> StoppedError:
    """Ctrl-C."""
    done, total = recorded.progress
    if recorded.path is None:
        return StoppedError(
            f"interrupted; nothing was kept.{batches_left()}", mend="With --out FOLDER what is done would be."
        )
    return StoppedError(f"interrupted; {done} of {total} are kept.{batches_left()}", mend="The same command goes on.")


def write_findings(found: Findings, out: Path) -> None:
    """The tables as Parquet, and one report. The numbers are there: each cohort's were written when it was done."""
    from eduverse_mesa.experiments.simlearner import compared_table, judged_table
    from eduverse_mesa.experiments.sweeps.durable import writing_whole
    from eduverse_mesa.visualization.simlearner_report import render_page_of

    tables = {"tables": compared_table(found.compared), "statements": judged_table(found.judged)}
    write_page(render_page_of(found), out / "simlearner.html")
    for name, table in tables.items():
        with writing_whole(out / f"{name}.parquet") as part:
            table.to_parquet(part, index=False)


def _show(found: Findings, out: Path | None) -> None:
    from eduverse_mesa.visualization.simlearner_report import render_text

    typer.echo(render_text(found))
    if out is not None:
        typer.echo(f"\nIn {out}: simlearner.html; results, tables and statements as Parquet.")
