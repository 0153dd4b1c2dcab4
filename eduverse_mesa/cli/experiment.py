"""`eduverse experiment`: the four experiments of the EduVerse paper, SimLearner's five studies, and MathVC's groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eduverse_mesa.cli.estimates import duration, in_a_sentence, say_batches
from eduverse_mesa.cli.frame import StoppedError
from eduverse_mesa.cli.groups import NAME as GROUPS_NAME
from eduverse_mesa.cli.groups import mathvc_experiment
from eduverse_mesa.cli.options import (
    Address,
    AsJson,
    BaseUrl,
    Cache,
    Delivery,
    EngineName,
    Fidelity,
    Model,
    Parameters,
    PolicyName,
    Quiet,
    Settings,
    Workers,
    asks_model,
    engine_name,
    model_settings,
    pairs,
    parameters_in,
    refuse_unused,
)
from eduverse_mesa.cli.output import (
    batch_lines,
    batches_left,
    print_json,
    print_report,
    tell,
    trials_line,
    write_report,
    write_tables,
)
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.papers.eduverse.findings import Findings
    from eduverse_mesa.experiments.papers.eduverse.recording import Plan, Recorded
    from eduverse_mesa.experiments.papers.simlearner import Findings as StudyFindings
    from eduverse_mesa.experiments.papers.simlearner.recording import Recorded as RecordedStudies
    from eduverse_mesa.visualization.reports.document import Report

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
    from eduverse_mesa.experiments.papers.simlearner import document, find
    from eduverse_mesa.experiments.papers.simlearner.recording import Plan, play, recording
    from eduverse_mesa.visualization.reports.tutoring import studies_report

    plan = Plan(which=which, seeds=seeds, policy=policy, settings=dict(settings))
    with recording(plan, out) as recorded, engine as player:
        try:
            if not (quiet or as_json):
                _simlearner_say_beforehand(recorded, player)
            with (
                batch_lines(show=not quiet and isinstance(player, Threads)),
                trials_line("cohorts", len(recorded.plays), hide=quiet or as_json) as line,
            ):
                play(recorded, player, watch=line)
        except KeyboardInterrupt:
            raise _simlearner_stopped(recorded) from None
        found = find(plan.studies, recorded.table(), policy)
        if out is not None:
            write_study_findings(found, out)
    kept = f"In {out}: simlearner.html; results, tables and statements as Parquet." if out is not None else ""
    tell(studies_report(found), document(found), as_json=as_json, kept=kept)
    return _NOT_ALL if found.answers.get("failed") else 0


def _simlearner_say_beforehand(recorded: RecordedStudies, player: Engine) -> None:
    """Say what a language model will have to do."""
    from eduverse_mesa.experiments.papers.simlearner.designs import tutoring_of
    from eduverse_mesa.experiments.papers.simlearner.plays import estimate_plays

    left, policy = recorded.left, recorded.plan.policy
    if not left or not asks_model(policy):
        return
    told = f"{len(left)} of {len(recorded.plays)} cohorts are to be taught."
    one = estimate_plays(left, policy)
    typer.echo(f"{told} Asked of the model: {in_a_sentence(one)}", err=True)
    if in_batches(policy, tutoring_of(left[0].tutoring).settings.llm):
        say_batches(one, len(left), player.workers)


def _simlearner_stopped(recorded: RecordedStudies) -> StoppedError:
    """Ctrl-C."""
    done, total = recorded.progress
    if recorded.path is None:
        return StoppedError(
            f"interrupted; nothing was kept.{batches_left()}", mend="With --out FOLDER what is done would be."
        )
    return StoppedError(f"interrupted; {done} of {total} are kept.{batches_left()}", mend="The same command goes on.")


def write_study_findings(found: StudyFindings, out: Path) -> None:
    """The tables as Parquet, and one report. The numbers are there: each cohort's were written when it was done."""
    from eduverse_mesa.experiments.papers.simlearner import compared_table, judged_table
    from eduverse_mesa.visualization.reports.tutoring import studies_report

    write_report(studies_report(found), out / "simlearner.html")
    write_tables({"tables": compared_table(found.compared), "statements": judged_table(found.judged)}, out)


# A budget is each lesson's: `eduverse run` knows of one lesson only, and so do its words.
BudgetUsd = Annotated[float | None, typer.Option("--budget-usd", min=0, metavar="USD", help="For each lesson.")]
BudgetTokens = Annotated[int | None, typer.Option("--budget-tokens", min=0, metavar="N", help="For each lesson.")]
BudgetRequests = Annotated[int | None, typer.Option("--budget-requests", min=0, metavar="N", help="For each lesson.")]


def experiment(
    which: Annotated[
        str,
        typer.Argument(
            metavar="1|2|3|4|all|simlearner-1..5|simlearner-all|mathvc",
            help="Which experiments of the EduVerse paper, which of SimLearner's studies, or MathVC's groups.",
        ),
    ],
    seeds: Annotated[int, typer.Option(min=1, help="How many times each lesson is played, with seeds from 1.")] = 50,
    policy: PolicyName = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Keep numbers, tables and reports here; the same command goes on where it stopped."
        ),
    ] = None,
    engine: EngineName = None,
    workers: Workers = None,
    address: Address = None,
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
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Play experiments of a paper, and lay its tables and statements beside what comes out.

    Exit code 1: not everything could be played, and the reason is told.
    """
    from eduverse_mesa.experiments.engines import make_engine
    from eduverse_mesa.experiments.papers.eduverse.recording import Plan

    asked = model_settings(
        model,
        base_url,
        fidelity,
        budget_usd=budget_usd,
        budget_tokens=budget_tokens,
        budget_requests=budget_requests,
        cache=cache,
        delivery=delivery,
    )
    refuse_unused(asked, policy or "embedded")
    changed = {**parameters_in(parameters), **pairs(settings), **asked}
    _refuse_unknown(which)
    batches = in_batches(policy or "embedded", _Model(changed.get("llm.delivery")))
    player = make_engine(engine_name(engine, delivery, batches), workers, address)
    if which == GROUPS_NAME:
        return mathvc_experiment(seeds, policy or "embedded", changed, player, out, as_json=as_json, quiet=quiet)
    if which.startswith(PREFIX):
        return simlearner(which, seeds, policy or "embedded", changed, player, out, as_json=as_json, quiet=quiet)
    plan = Plan(which=which, seeds=seeds, policy=policy or "", settings=changed)
    return _play_and_tell(plan, player, out, as_json=as_json, quiet=quiet)


@dataclass(frozen=True)
class _Model:
    """Settings of a language model, as far as options say how its answers come."""

    delivery: Any


def _refuse_unknown(which: str) -> None:
    """Papers know their own experiments; all of them are known here."""
    from eduverse_mesa.experiments.papers.eduverse.designs import EXPERIMENTS
    from eduverse_mesa.experiments.papers.simlearner.designs import STUDIES
    from eduverse_mesa.scenarios.problems import suggest

    known = [*map(str, EXPERIMENTS), "all", *(one.name for one in STUDIES), f"{PREFIX}all", GROUPS_NAME]
    if which not in known:
        raise EduverseError(
            f"there is no experiment '{which[:40]}'.",
            where="experiment",
            mend=f"{suggest(which, known)}Known: {', '.join(known)}.",
        )


def _play_and_tell(plan: Plan, engine: Engine, out: Path | None, *, as_json: bool, quiet: bool) -> int:
    """Play what of the plan is not done yet, and say what was found."""
    from eduverse_mesa.experiments.papers.eduverse.findings import document, find
    from eduverse_mesa.experiments.papers.eduverse.recording import play, recording
    from eduverse_mesa.visualization.reports.experiments import experiment_report

    with recording(plan, out) as recorded, engine as player:
        try:
            if not (quiet or as_json):
                _say_beforehand(recorded, player)
            with (
                batch_lines(show=not quiet and _batches(recorded)),
                trials_line("lessons and attempts", len(recorded.trials), hide=quiet or as_json) as line,
            ):
                play(recorded, player, watch=lambda now: line(now.done) if line is not None else None)
        except KeyboardInterrupt:
            raise _stopped(recorded) from None
        found = find(plan.experiments, recorded.table())
        failure = recorded.failures[0].error if recorded.failures else ""
        reports = [experiment_report(found.of(one), plan, recorded.progress, failure) for one in found.experiments]
        if out is not None:
            write_findings(found, reports, out)
        if as_json:
            print_json({"seeds": plan.seeds, "policy": plan.policy, **recorded.progress._asdict(), **document(found)})
        else:
            _show(found, reports, out)
        return _tell_failures(recorded)


def _stopped(recorded: Recorded) -> StoppedError:
    """Ctrl-C."""
    done, total, _ = recorded.progress
    if recorded.path is None:
        return StoppedError(
            f"interrupted; nothing was kept.{batches_left()}", mend="With --out FOLDER what is done would be."
        )
    return StoppedError(f"interrupted; {done} of {total} are kept.{batches_left()}", mend="The same command goes on.")


def _say_beforehand(recorded: Recorded, player: Engine) -> None:
    """How much there is to do, and about how long it takes."""
    from eduverse_mesa.experiments.papers.eduverse.recording import time_left

    done, total, _ = recorded.progress
    told = f"{total - done} of {total} lessons and attempts are to be played"
    policy = recorded.plan.policy or "embedded"
    if asks_model(policy):
        typer.echo(f"{told}. {_cost(recorded, player, policy)}", err=True)
        return
    seconds = time_left(recorded, player.workers)
    if seconds:
        many = f"{player.workers} at a time" if player.workers > 1 else "one after the other"
        typer.echo(f"{told}, {many}: about {duration(max(seconds, 1.0))}.", err=True)


def _batches(recorded: Recorded) -> bool:
    """Return True if answers come in batches."""
    from eduverse_mesa.experiments.trials import comes_in_batches

    return any(comes_in_batches(trial) for trial in recorded.trials)


def _cost(recorded: Recorded, player: Engine, policy: str) -> str:
    """Return a sentence on the language model's work, estimated from one lesson played without it; empty where nothing
    is left to play."""
    from eduverse_mesa.experiments.subjects import scenario_of
    from eduverse_mesa.runs.estimate import estimate_run, settled

    left = recorded.left
    if not left:
        return ""
    scenario = settled(scenario_of(left[0].scenario), policy)
    one = estimate_run(scenario, 1, policy, scenario.settings.llm.fidelity)
    lessons = sum(1 if trial.task else len(scenario_of(trial.scenario).lessons) for trial in left)
    whole = one.times(lessons)
    if _batches(recorded):
        say_batches(one, len(left), player.workers)
    return f"At most {lessons:,} lessons' worth of calls to the model: {in_a_sentence(whole)}"


def write_findings(found: Findings, reports: Sequence[Report], out: Path) -> None:
    """The tables as Parquet, and the report of each experiment."""
    from eduverse_mesa.experiments.papers.eduverse.findings import compared_table, errors_table
    from eduverse_mesa.experiments.papers.eduverse.statements import judged_table

    tables = {
        "tables": compared_table(found.compared),
        "errors": errors_table(found.errors),
        "statements": judged_table(found.judged),
    }
    write_tables(tables, out)
    for one, report in zip(found.experiments, reports, strict=True):
        write_report(report, out / f"experiment_{one.number}.html")


def _show(found: Findings, reports: Sequence[Report], out: Path | None) -> None:
    for report in reports:
        print_report(report)
        typer.echo()
    if out is not None:
        names = ", ".join(f"experiment_{one.number}.html" for one in found.experiments)
        typer.echo(f"In {out}: {names}; results, tables, errors and statements as Parquet.")


def _tell_failures(recorded: Recorded) -> int:
    """Say what could not be played, and why, and return the exit code; the same command tries it again."""
    failures = recorded.failures
    if not failures:
        return 0
    first = failures[0]
    typer.echo(f"{len(failures)} could not be played. The first: {first.trial.factors}: {first.error}", err=True)
    return _NOT_ALL
