"""`eduverse run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eduverse_mesa.cli.estimates import say_batches, say_local_time
from eduverse_mesa.cli.frame import StoppedError, run_begun
from eduverse_mesa.cli.options import (
    AsJson,
    ModelOptions,
    Parameters,
    PolicyName,
    Quiet,
    Report,
    ScenarioName,
    Settings,
    pairs,
    parameters_in,
    refuse_delivery,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import (
    batch_lines,
    batches_left,
    finish,
    local_lines,
    progress_line,
    tell,
    trials_line,
)
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.runs.classroom import Known, Run
    from eduverse_mesa.runs.comparison import Measured
    from eduverse_mesa.runs.estimate import Estimate
    from eduverse_mesa.scenarios import Scenario
    from eduverse_mesa.visualization.words import Words

_FAILED_ANSWERS = 1


@dataclass(frozen=True)
class Wanted:
    """The scenario and seeds that are to be played, and the study in which they are kept."""

    scenario: Scenario
    seeds: range
    policy: str | None
    study: str | None
    known: Mapping[int, Known]
    """The runs that the study holds already: they are read, or gone on with."""

    @property
    def in_batches(self) -> bool:
        """Return True if answers come in batches, so that the runs go side by side."""
        settings = self.scenario.settings
        return in_batches(self.policy or settings.policy, settings.llm)


def run_seeds(wanted: Wanted, *, report: Path | None, as_json: bool, quiet: bool) -> int:
    """Play all of them, and say what came of them on average."""
    from eduverse_mesa.visualization.reports.run import seeds_report
    from eduverse_mesa.visualization.words import words_in

    if wanted.known and not quiet:
        _tell_known(wanted)
    documents, measured = _play(wanted, hide=quiet or as_json)
    t = words_in(wanted.scenario.lessons[0].language)
    warnings = [warning for one in documents for warning in _told(one, t)]
    tell(
        seeds_report(wanted.scenario, measured, warnings),
        {"runs": documents, "means": _means(measured)},
        as_json=as_json,
        page=report,
        kept=f"Kept in {wanted.study}: eduverse list {quote(wanted.study)}" if wanted.study is not None else "",
    )
    return _FAILED_ANSWERS if any(document["outcomes"]["failed"] for document in documents) else 0


def _tell_known(wanted: Wanted) -> None:
    known = wanted.known.values()
    complete = sum(one.complete for one in known)
    typer.echo(
        f"{wanted.study} already holds {len(known)} of these {len(wanted.seeds)} runs (same scenario, seed, policy). "
        f"Complete, and read: {complete}; interrupted, and gone on with: {len(known) - complete}. "
        "Only the others are played; --again plays all of them once more.",
        err=True,
    )


def _told(document: Mapping[str, Any], t: Words) -> list[str]:
    from eduverse_mesa.visualization.reports.tables import name_warnings, wish_warnings

    warnings = [*wish_warnings(document, t), *name_warnings(document, t)]
    return [f"{document['run']}: {warning}" for warning in warnings]


def _play(wanted: Wanted, hide: bool) -> tuple[list[dict[str, Any]], list[Measured]]:
    """Play all runs, and return their documents and their numbers, by their seeds; the runs themselves are let go."""
    done: dict[int, _Done] = {}
    try:
        with batch_lines(show=wanted.in_batches and not hide), trials_line("runs", len(wanted.seeds), hide) as told:
            for one in _side_by_side(wanted) if wanted.in_batches else (_play_seed(wanted, s) for s in wanted.seeds):
                if one.error is None:
                    done[one.seed] = one
                if told is not None:
                    told(len(done))
    except KeyboardInterrupt:
        raise _stopped(wanted, len(done)) from None
    ordered = [done[seed] for seed in wanted.seeds]
    return [one.document for one in ordered], [one.measured for one in ordered if one.measured is not None]


@dataclass(frozen=True)
class _Done:
    """Result of one seed."""

    seed: int
    document: dict[str, Any]
    measured: Measured | None = None
    error: EduverseError | None = None


def _side_by_side(wanted: Wanted) -> Iterator[_Done]:
    """All seeds at once. One that fails is told when the others are done: what they have sent is paid for."""
    from eduverse_mesa.experiments.engines import Threads

    failed: list[EduverseError] = []
    for one in Threads().each(lambda seed: _try_seed(wanted, seed), wanted.seeds):
        failed += [] if one.error is None else [one.error]
        yield one
    if failed:
        raise failed[0]


def _try_seed(wanted: Wanted, seed: int) -> _Done:
    try:
        return _play_seed(wanted, seed)
    except EduverseError as error:
        return _Done(seed, {}, error=error)


def _play_seed(wanted: Wanted, seed: int) -> _Done:
    from eduverse_mesa.runs.comparison import Measured
    from eduverse_mesa.runs.tables import results

    run = _run(wanted, seed)
    return _Done(seed, results(run), Measured.of(run))


def _run(wanted: Wanted, seed: int) -> Run:
    from eduverse_mesa.runs.arms import play_seeds
    from eduverse_mesa.runs.classroom import replay_run, resume_run
    from eduverse_mesa.runs.studies import open_study

    known = wanted.known.get(seed)
    if known is None or wanted.study is None:
        [run] = play_seeds(wanted.scenario, [seed], wanted.policy, study=wanted.study)
        return run
    with open_study(wanted.study, read_only=known.complete) as opened:
        return (replay_run if known.complete else resume_run)(opened, known.run)


def _stopped(wanted: Wanted, done: int) -> StoppedError:
    """Ctrl-C: which runs are there, and that the same command plays the others."""
    if wanted.study is None:
        return StoppedError(
            f"interrupted; nothing was kept.{batches_left()}", mend="With --out STUDY what is done would be."
        )
    begun = run_begun(wanted.study)
    if begun is None and not done:
        return StoppedError(f"interrupted; nothing was written to {wanted.study}.")
    others = "others" if wanted.in_batches else "next"
    kept = f"{done} of {len(wanted.seeds)} runs are kept in {wanted.study}, and the complete steps of the {others}."
    kept += batches_left()
    return StoppedError(f"interrupted; {kept}", mend="The same command goes on.")


def _means(measured: Iterable[Measured]) -> dict[str, dict[str, float | int | None]]:
    """The mean of each measure over the runs, with its interval; what cannot be known is null."""
    from eduverse_mesa.runs.comparison import Arm, summaries

    table = summaries([Arm("", tuple(measured))])
    return {
        str(measure): {
            "mean": _known(mean),
            "low": _known(low),
            "high": _known(high),
            "n": int(n),
        }
        for measure, mean, low, high, n in table[["measure", "mean", "low", "high", "n"]].itertuples(index=False)
    }


def _known(value: float) -> float | None:
    return float(value) if value == value else None


@taking(ModelOptions, "llm")
def run(
    scenario: ScenarioName = None,
    layout: Annotated[str | None, typer.Option(help="Another layout: a name or a file.")] = None,
    lesson: Annotated[
        list[str] | None, typer.Option(help="Another lesson; give the option again for the next lesson.")
    ] = None,
    students: Annotated[
        str | None,
        typer.Option(help="Another class: a name, a file, a class list (.csv), or a number to sample so many."),
    ] = None,
    sessions: Annotated[int | None, typer.Option(help="How many of the scenario's lessons to run.")] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps of a lesson's plan; adaptive pacing may take fewer or more.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same scenario and seed, same run.")] = 1,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="So many runs, with seeds from --seed on, and the means over them.")
    ] = 1,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    parameters: Parameters = None,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option(metavar="STUDY", help="Keep it in this study.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also play what the study holds already, as runs of their own.")
    ] = False,
    report: Report = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Run a lesson or a course of lessons.

    Without --out nothing is kept: the run lives in memory, and the report is printed. A study is given the same run
    (scenario, seed and policy) once: of several --seeds only those are played that it does not hold.
    """
    from eduverse_mesa.runs.classroom import known_runs, refuse_known
    from eduverse_mesa.scenarios import load_scenario

    asked = llm.settings()
    loaded = load_scenario(
        scenario,
        layout=layout,
        lessons=lesson or None,
        students=number_or_name(students),
        sessions=sessions,
        steps=steps,
        settings={**parameters_in(parameters), **pairs(settings), **asked},
    )
    refuse_unused(asked, policy or loaded.settings.policy)
    asks = policy or loaded.settings.policy
    known = {} if out is None or again else known_runs(out, loaded, range(seed, seed + seeds), policy)
    if out is not None and seeds == 1 and known:
        refuse_known(out, known[seed])
    batches = in_batches(asks, loaded.settings.llm)
    refuse_delivery(llm.delivery, batches)
    if not quiet:
        say_local_time(loaded, asks, seed, seeds)
        if batches:
            say_batches(_estimate(loaded, seed, asks), seeds, seeds)
    wanted = Wanted(loaded, range(seed, seed + seeds), policy, out, known)
    with local_lines(asks, loaded.lessons[0].language, hide=quiet, bar=seeds == 1 and not as_json):
        play = _run_one if seeds == 1 else run_seeds
        return play(wanted, report=report, as_json=as_json, quiet=quiet)


def _run_one(wanted: Wanted, *, report: Path | None, as_json: bool, quiet: bool) -> int:
    """Play the one run that is wanted, and say what came of it."""
    from eduverse_mesa.runs import run_course
    from eduverse_mesa.runs.classroom import record_course

    scenario, [seed] = wanted.scenario, wanted.seeds
    with (
        batch_lines(show=wanted.in_batches and not quiet),
        progress_line(scenario, hide=quiet or as_json) as progress,
    ):
        if wanted.study is None:
            played = run_course(scenario, seed, wanted.policy, progress=progress)
        else:
            played = record_course(wanted.study, scenario, seed, wanted.policy, progress=progress)
    return finish(played, as_json=as_json, report=report, study=wanted.study)


def _estimate(scenario: Scenario, seed: int, policy: str) -> Estimate:
    from eduverse_mesa.runs.estimate import estimate_run, settled

    return estimate_run(settled(scenario, policy), seed, policy, scenario.settings.llm.fidelity)


_MAX_DIGITS = 9


def number_or_name(students: str | None) -> str | int | None:
    """A class by its size, or by its name or file."""
    if students is None:
        return None
    if not students.isdecimal():
        return students
    if len(students) > _MAX_DIGITS:
        raise EduverseError("is more than any school has.", where="--students", mend="Give a number such as 30.")
    return students if Path(students).exists() else int(students)
