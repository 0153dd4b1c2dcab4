"""`eduverse sweep`: many runs by a file, on all cores or on a cluster."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import say_batches
from eduverse_mesa.cli.frame import Command, StoppedError
from eduverse_mesa.cli.options import (
    AsJson,
    EngineOptions,
    ModelOptions,
    PageFile,
    Quiet,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import batch_lines, batches_left, one_line, print_json, tell, trials_line

if TYPE_CHECKING:
    from eduverse_mesa.experiments.sweeps.execution import Status
    from eduverse_mesa.experiments.sweeps.folder import SweepFolder
    from eduverse_mesa.experiments.sweeps.plan import SweepPlan
    from eduverse_mesa.experiments.trials import Trial

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that eduverse sweep run has made.")]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="End a run that takes longer, as failed. Default: no limit."),
]
KeepGoing = Annotated[
    bool,
    typer.Option("--keep-going", help="Play all runs, also where the first have all failed; else that is the end."),
]
_SHOWN = 5
_LONGEST = 300
"""Letters of a run's error."""
_SOME_FAILED = 1

sweep = typer.Typer(
    help="Play many runs by a file: levels of factors, over seeds; on all cores or on a cluster.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@sweep.command("run", cls=Command)
@taking(EngineOptions, "engine")
@taking(ModelOptions, "llm")
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sweep file, or a built-in one: peers, rooms.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the results are kept.")],
    *,
    engine: EngineOptions,
    llm: ModelOptions,
    timeout: Timeout = None,
    keep_going: KeepGoing = False,
    quiet: Quiet = False,
) -> int:
    """Play a sweep, or what is left of it: all levels are checked before the first run.

    A budget is that of each run.
    """
    from eduverse_mesa.experiments.sweeps.folder import begin_sweep
    from eduverse_mesa.experiments.sweeps.plan import plan_sweep, state_facts

    asked = llm.settings()
    plan = plan_sweep(file, asked)
    _refuse_unused(asked, plan)
    if not quiet:
        typer.echo(f"{one_line(plan.facts.name)}: {state_facts(plan)}", err=True)
    with begin_sweep(out, plan.facts, plan.trials()) as folder:
        return _play(folder, engine, llm, timeout, keep_going=keep_going, quiet=quiet)


@sweep.command("resume", cls=Command)
@taking(ModelOptions, "llm", "model", "fidelity", "budget_usd", "budget_tokens", "budget_requests", "useless")
@taking(EngineOptions, "engine")
def resume(
    folder: Folder,
    *,
    engine: EngineOptions,
    llm: ModelOptions,
    timeout: Timeout = None,
    keep_going: KeepGoing = False,
    quiet: Quiet = False,
) -> int:
    """Go on with a sweep: play what is not done, and try again what has failed."""
    from eduverse_mesa.experiments.sweeps.folder import open_sweep

    llm.settings()
    with open_sweep(folder) as opened:
        return _play(opened, engine, llm, timeout, keep_going=keep_going, quiet=quiet)


@sweep.command("status", cls=Command)
def status(folder: Folder, as_json: AsJson = False) -> int:
    """Say how far a sweep is, also while it is being played."""
    from eduverse_mesa.experiments.sweeps.execution import status_of
    from eduverse_mesa.experiments.sweeps.folder import SweepFolder

    found = status_of(SweepFolder(folder))
    if as_json:
        print_json(_plain(found))
    else:
        typer.echo("\n".join(_told(found, folder)))
    return _exit_code(found)


@sweep.command("report", cls=Command)
def report(
    folder: Folder,
    out: PageFile = None,
    measure: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Only these measures, e.g. 'bec.*'; again for more.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the mean of each measure at each level of each factor, with its interval."""
    from eduverse_mesa.experiments.sweeps.report import report_sweep
    from eduverse_mesa.visualization.reports.sweeps import sweep_report

    made = report_sweep(folder, measure or ["*"])
    tell(sweep_report(made), made.document(), as_json=as_json, page=out)


def _refuse_unused(asked: dict[str, object], plan: SweepPlan) -> None:
    """A model's options where no run of the sweep would ask one."""
    if asked:
        asking = [policy for policy in plan.policies if {"llm", "local"} & set(policy.replace(",", "=").split("="))]
        refuse_unused(asked, (asking or list(plan.policies))[0])


def _say_batches(folder: SweepFolder, trial: Trial, at_once: int) -> None:
    """Say how long this may take, by a run of the sweep."""
    from eduverse_mesa.experiments.subjects import subject_of

    left = folder.facts.trials - len(folder.done())
    if left:
        subject = subject_of(trial.scenario)
        one = subject.estimate(subject.read(trial.scenario), trial.seed, trial.policy or None)
        say_batches(one, left, at_once)


def _play(
    folder: SweepFolder,
    engine: EngineOptions,
    llm: ModelOptions,
    timeout: float | None,
    *,
    keep_going: bool,
    quiet: bool,
) -> int:
    """Play what is left, and say how it went."""
    from eduverse_mesa.experiments.sweeps.execution import count_first, play_sweep, status_of, unless_all_fail

    done, batches = len(folder.done()), folder.in_batches()
    chosen = engine.make(llm.delivery, batches=batches is not None, timeout=timeout)
    if batches is not None and not quiet:
        _say_batches(folder, batches, chosen.workers)
    try:
        with (
            chosen as playing,
            batch_lines(show=batches is not None and not quiet),
            trials_line(one_line(folder.facts.name), folder.facts.trials, hide=quiet) as watch,
        ):
            if watch is not None:
                watch(done)
            ends = play_sweep(folder, playing)
            for ended in ends if keep_going else unless_all_fail(ends, folder, count_first(playing)):
                done += not ended.error
                if watch is not None:
                    watch(done)
    except KeyboardInterrupt:
        raise StoppedError(
            f"stopped; {len(folder.done()):,} of {folder.facts.trials:,} runs are kept.{batches_left()}",
            mend=f"Go on: eduverse sweep resume {quote(str(folder.path))}",
        ) from None
    found = status_of(folder)._replace(taken=False)
    typer.echo("\n".join(_told(found, folder.path)))
    return _exit_code(found)


def _exit_code(found: Status) -> int:
    return _SOME_FAILED if found.failing or found.with_failed_answers or found.damaged else 0


def _told(found: Status, folder: Path) -> list[str]:
    """How far a sweep is, in lines."""
    busy = "; a program is at work on it" if found.taken else ""
    left = f", {found.left:,} are left" if found.left else ""
    lines = [f"{one_line(found.name)}: {found.done:,} of {found.trials:,} runs are done{left}{busy}"]
    if found.begun_again:
        lines.append(f"begun again after a worker had died: {found.begun_again:,} times")
    if found.with_failed_answers:
        lines.append(f"with answers that failed: {_some(list(found.with_failed_answers))}")
    if found.damaged:
        lines.append(f"with a damaged result, to be played again: {_some(list(found.damaged))}")
    if found.failing:
        lines.append(f"failed: {len(found.failing):,}")
        lines += [
            f"  {one_line(attempt.key)}: {one_line(attempt.error, _LONGEST)}" for attempt in found.failing[:_SHOWN]
        ]
        if len(found.failing) > _SHOWN:
            lines.append(f"  and {len(found.failing) - _SHOWN:,} more (attempts.jsonl has all)")
    if found.left and not found.taken:
        lines.append(f"Go on: eduverse sweep resume {quote(str(folder))}")
    elif not found.left:
        lines.append(f"Results: {folder / 'results'}; their means: eduverse sweep report {quote(str(folder))}")
    return lines


def _some(keys: list[str]) -> str:
    more = f" and {len(keys) - _SHOWN:,} more" if len(keys) > _SHOWN else ""
    return f"{len(keys):,} run{'' if len(keys) == 1 else 's'} ({', '.join(keys[:_SHOWN])}{more})"


def _plain(found: Status) -> dict[str, object]:
    return {
        "sweep": found.name,
        "runs": found.trials,
        "done": found.done,
        "left": found.left,
        "begun_again": found.begun_again,
        "failed": {attempt.key: attempt.error for attempt in found.failing},
        "with_failed_answers": list(found.with_failed_answers),
        "damaged": list(found.damaged),
        "running": found.taken,
    }
