"""`eduverse experiment`: the four experiments of the EduVerse paper, SimLearner's five studies, and MathVC's groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eduverse_mesa.cli.estimates import duration, in_a_sentence, say_batches
from eduverse_mesa.cli.frame import StoppedError
from eduverse_mesa.cli.options import (
    AsJson,
    EngineOptions,
    ModelOptions,
    Parameters,
    PolicyName,
    Quiet,
    Settings,
    pairs,
    parameters_in,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import (
    batch_lines,
    batches_left,
    print_json,
    print_report,
    trials_line,
    write_report,
    write_tables,
)
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.registry import asks_model
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    import pandas as pd

    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.papers.eduverse.findings import Findings
    from eduverse_mesa.experiments.papers.eduverse.plan import Plan
    from eduverse_mesa.experiments.papers.mathvc import Findings as GroupFindings
    from eduverse_mesa.experiments.papers.mathvc import Play
    from eduverse_mesa.experiments.papers.record import Paper, Record
    from eduverse_mesa.experiments.papers.simlearner.plan import Plan as StudyPlan
    from eduverse_mesa.visualization.reports.document import Report

NAME = "mathvc"
PREFIX = "simlearner-"
_NOT_ALL = 1


@dataclass(frozen=True)
class _Experiments:
    """Experiments of one paper, as the command plays and tells them."""

    paper: Paper[Any, Any]
    plan: Any
    trials: str
    """Word for what is played."""
    say_beforehand: Callable[[Record[Any, Any], Engine], None]
    find: Callable[[Record[Any, Any]], Any]
    document: Callable[[Any, Record[Any, Any]], Mapping[str, object]]
    tables: Callable[[Any, Record[Any, Any]], Mapping[str, pd.DataFrame]]
    reports: Callable[[Any, Record[Any, Any]], Mapping[str, Report]]
    """By the names of their files."""
    kept: tuple[str, ...] = ("results",)
    """Tables that the folder holds already."""

    def play(self, engine: Engine, out: Path | None, *, as_json: bool, quiet: bool) -> int:
        """Play what of the plan is not done yet, say what was found, and return the exit code."""
        from eduverse_mesa.experiments.engines import Serial, Threads

        with self.paper.open(self.plan, out) as record, engine as player:
            hide = quiet or as_json
            try:
                if not hide:
                    self.say_beforehand(record, player)
                with (
                    batch_lines(show=not quiet and isinstance(player, Threads | Serial)),
                    trials_line(self.trials, len(record.trials), hide=hide) as line,
                ):
                    record.play(player, watch=lambda now: line(now.done) if line is not None else None)
            except KeyboardInterrupt:
                raise self._stopped(record) from None
            found = self.find(record)
            reports = self.reports(found, record)
            kept = self._write(self.tables(found, record), reports, out) if out is not None else ""
            if as_json:
                print_json(self.document(found, record))
            else:
                for report in reports.values():
                    print_report(report)
                    typer.echo()
                if kept:
                    typer.echo(kept)
            return _tell_failures(record, found.answers)

    def _write(self, tables: Mapping[str, pd.DataFrame], reports: Mapping[str, Report], out: Path) -> str:
        """Write the tables as Parquet, and the reports; return a sentence on what there is."""
        write_tables(tables, out)
        for name, report in reports.items():
            write_report(report, out / name)
        *names, last = (*self.kept, *tables)
        return f"In {out}: {', '.join(reports)}; {', '.join(names)} and {last} as Parquet."

    def _stopped(self, record: Record[Any, Any]) -> StoppedError:
        """Ctrl-C."""
        if record.path is None:
            return StoppedError(
                f"interrupted; nothing was kept.{batches_left()}", mend="With --out FOLDER what is done would be."
            )
        done, total, _ = record.progress
        return StoppedError(
            f"interrupted; {done} of {total} {self.trials} are kept.{batches_left()}", mend="The same command goes on."
        )


def _tell_failures(record: Record[Any, Any], answers: Mapping[str, int]) -> int:
    """Say what could not be played, and why, and return the exit code; the same command tries it again."""
    if record.failures:
        first = record.failures[0]
        about = getattr(first.trial, "factors", first.trial.key)
        typer.echo(f"{len(record.failures)} could not be played. The first: {about}: {first.error}", err=True)
    return _NOT_ALL if record.failures or answers.get("failed") else 0


def _eduverse(plan: Plan) -> _Experiments:
    """The four experiments of the EduVerse paper: lessons, beside its tables and statements."""
    from eduverse_mesa.experiments.papers.eduverse import compared_table, errors_table, judged_table
    from eduverse_mesa.experiments.papers.eduverse.findings import document, find
    from eduverse_mesa.experiments.papers.eduverse.plan import PAPER, table_of
    from eduverse_mesa.visualization.reports.experiments import experiment_report

    def reports(found: Findings, record: Record[Any, Any]) -> dict[str, Report]:
        failure = record.failures[0].error if record.failures else ""
        return {
            f"experiment_{one.number}.html": experiment_report(found.of(one), plan, record.progress, failure)
            for one in found.experiments
        }

    return _Experiments(
        paper=PAPER,
        plan=plan,
        trials="lessons and attempts",
        say_beforehand=_say_lessons,
        find=lambda record: find(plan.experiments, table_of(record)),
        document=lambda found, record: {
            "seeds": plan.seeds,
            "policy": plan.policy,
            **record.progress._asdict(),
            **document(found),
        },
        tables=lambda found, _: {
            "tables": compared_table(found.compared),
            "errors": errors_table(found.errors),
            "statements": judged_table(found.judged),
        },
        reports=reports,
    )


def _simlearner(plan: StudyPlan) -> _Experiments:
    """SimLearner's studies: cohorts of learners, beside its numbers and statements."""
    from eduverse_mesa.experiments.papers.simlearner import compared_table, document, find, judged_table
    from eduverse_mesa.experiments.papers.simlearner.plan import PAPER, table_of
    from eduverse_mesa.visualization.reports.tutoring import studies_report

    return _Experiments(
        paper=PAPER,
        plan=plan,
        trials="cohorts",
        say_beforehand=_say_cohorts,
        find=lambda record: find(plan.studies, table_of(record), plan.policy),
        document=lambda found, _: document(found),
        tables=lambda found, _: {
            "tables": compared_table(found.compared),
            "statements": judged_table(found.judged),
        },
        reports=lambda found, _: {"simlearner.html": studies_report(found)},
    )


def _mathvc(plays: Sequence[Play]) -> _Experiments:
    """MathVC's groups: all problems with and without stages and schemas, and with a scripted student."""
    from eduverse_mesa.experiments.papers.mathvc import document, find, judged_table, numbers_table
    from eduverse_mesa.experiments.papers.mathvc.dialogues import PAPER, Plan, tables_of
    from eduverse_mesa.visualization.reports.groups import groups_report

    def tables(found: GroupFindings, record: Record[Any, Any]) -> dict[str, pd.DataFrame]:
        rows = tables_of(plays, record.results)
        return {
            "messages": rows.messages,
            "revisions": rows.revisions,
            "errors": rows.errors,
            "ends": rows.ends,
            "dialogues": found.table,
            "numbers": numbers_table(found.compared),
            "statements": judged_table(found),
        }

    return _Experiments(
        paper=PAPER,
        plan=Plan(plays),
        trials="dialogues",
        say_beforehand=_say_dialogues,
        find=lambda record: find(tables_of(plays, record.results), plays[0].policy),
        document=lambda found, _: document(found),
        tables=tables,
        reports=lambda found, _: {"mathvc.html": groups_report(found)},
        kept=(),
    )


def _say_cohorts(record: Record[Any, Any], player: Engine) -> None:
    """Say what a language model will have to do."""
    from eduverse_mesa.experiments.papers.simlearner.designs import tutoring_of
    from eduverse_mesa.experiments.papers.simlearner.plays import estimate_plays

    left, policy = record.left, record.plan.policy
    if not left or not asks_model(policy):
        return
    told = f"{len(left)} of {len(record.trials)} cohorts are to be taught."
    one = estimate_plays(left, policy)
    typer.echo(f"{told} Asked of the model: {in_a_sentence(one)}", err=True)
    if in_batches(policy, tutoring_of(left[0].tutoring).settings.llm):
        say_batches(one, len(left), player.workers)


def _say_dialogues(record: Record[Any, Any], player: Engine) -> None:
    """Say how many batches there will be, where answers come in batches."""
    from eduverse_mesa.experiments.papers.mathvc.dialogues import estimate_play, group_of

    left = record.left
    if left and in_batches(left[0].policy, group_of(left[0].collaboration).settings.llm):
        say_batches(estimate_play(left[0]), len(left), player.workers)


@taking(EngineOptions, "engine")
@taking(ModelOptions, "llm")
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
    *,
    engine: EngineOptions,
    llm: ModelOptions,
    parameters: Parameters = None,
    settings: Settings = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Play experiments of a paper, and lay its tables and statements beside what comes out.

    A budget is that of each run. Exit code 1: not everything could be played, and the reason is told.
    """
    asked = llm.settings()
    refuse_unused(asked, policy or "embedded")
    changed = {**parameters_in(parameters), **pairs(settings), **asked}
    _refuse_unknown(which)
    batches = in_batches(policy or "embedded", _Model(changed.get("llm.delivery")))
    player = engine.make(llm.delivery, batches=batches)
    return _experiments(which, seeds, policy or "", changed).play(player, out, as_json=as_json, quiet=quiet)


def _experiments(which: str, seeds: int, policy: str, settings: dict[str, object]) -> _Experiments:
    """Return the experiments of a paper by their name."""
    if which == NAME:
        from eduverse_mesa.experiments.papers.mathvc import plays_of

        return _mathvc(plays_of(seeds, policy or "embedded", settings))
    if which.startswith(PREFIX):
        from eduverse_mesa.experiments.papers.simlearner.plan import Plan as StudyPlan

        return _simlearner(StudyPlan(which=which, seeds=seeds, policy=policy or "embedded", settings=settings))
    from eduverse_mesa.experiments.papers.eduverse.plan import Plan

    return _eduverse(Plan(which=which, seeds=seeds, policy=policy, settings=settings))


@dataclass(frozen=True)
class _Model:
    """Settings of a language model, as far as options say how its answers come."""

    delivery: Any


def _refuse_unknown(which: str) -> None:
    """Papers know their own experiments; all of them are known here."""
    from eduverse_mesa.experiments.papers.eduverse.designs import EXPERIMENTS
    from eduverse_mesa.experiments.papers.simlearner.designs import STUDIES
    from eduverse_mesa.scenarios.problems import suggest

    known = [*map(str, EXPERIMENTS), "all", *(one.name for one in STUDIES), f"{PREFIX}all", NAME]
    if which not in known:
        raise EduverseError(
            f"there is no experiment '{which[:40]}'.",
            where="experiment",
            mend=f"{suggest(which, known)}Known: {', '.join(known)}.",
        )


def _say_lessons(record: Record[Any, Any], player: Engine) -> None:
    """How much there is to do, and about how long it takes."""
    from eduverse_mesa.experiments.papers.eduverse.plan import time_left

    done, total, _ = record.progress
    told = f"{total - done} of {total} lessons and attempts are to be played"
    policy = record.plan.policy or "embedded"
    if asks_model(policy):
        typer.echo(f"{told}. {_cost(record, player, policy)}", err=True)
        return
    seconds = time_left(record, player.workers)
    if seconds:
        many = f"{player.workers} at a time" if player.workers > 1 else "one after the other"
        typer.echo(f"{told}, {many}: about {duration(max(seconds, 1.0))}.", err=True)


def _batches(record: Record[Any, Any]) -> bool:
    """Return True if answers come in batches."""
    from eduverse_mesa.experiments.trials import comes_in_batches

    return any(comes_in_batches(trial) for trial in record.trials)


def _cost(record: Record[Any, Any], player: Engine, policy: str) -> str:
    """Return a sentence on the language model's work, estimated from one lesson played without it; empty where nothing
    is left to play."""
    from eduverse_mesa.experiments.subjects import scenario_of
    from eduverse_mesa.runs.estimate import estimate_run, settled

    left = record.left
    if not left:
        return ""
    scenario = settled(scenario_of(left[0].scenario), policy)
    one = estimate_run(scenario, 1, policy, scenario.settings.llm.fidelity)
    lessons = sum(1 if trial.task else len(scenario_of(trial.scenario).lessons) for trial in left)
    whole = one.times(lessons)
    if _batches(record):
        say_batches(one, len(left), player.workers)
    return f"At most {lessons:,} lessons' worth of calls to the model: {in_a_sentence(whole)}"
