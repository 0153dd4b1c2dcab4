"""`eduverse run --seeds`: one scenario, played once for each of several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from eduverse_mesa.cli.interrupting import StoppedError, run_begun
from eduverse_mesa.cli.showing import print_json
from eduverse_mesa.cli.watching import trials_line
from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from eduverse_mesa.runs.comparing import Measured
    from eduverse_mesa.runs.play import Run
    from eduverse_mesa.runs.repeating import Known
    from eduverse_mesa.scenarios import Scenario
    from eduverse_mesa.visualization.words import Words

_FAILED_ANSWERS = 1


@dataclass(frozen=True)
class Wanted:
    """What is to be played, and where it is kept."""

    scenario: Scenario
    seeds: range
    policy: str | None
    study: str | None
    known: Mapping[int, Known]
    """The runs that the study holds already: they are read, or gone on with."""


def run_seeds(wanted: Wanted, *, report: Path | None, as_json: bool, quiet: bool) -> int:
    """Play all of them, and say what came of them on average."""
    if report is not None:
        raise EduverseError(
            "a report tells of one run.",
            where="report",
            mend="Leave it out; eduverse replay STUDY RUN --report FILE makes one of a run that was kept.",
        )
    if wanted.known and not quiet:
        _tell_known(wanted)
    documents, measured = _play(wanted, hide=quiet or as_json)
    if as_json:
        print_json({"runs": documents, "means": _means(measured)})
    else:
        from eduverse_mesa.visualization.seeds_report import render_seeds
        from eduverse_mesa.visualization.words import words_in

        t = words_in(wanted.scenario.lessons[0].language)
        warnings = [warning for one in documents for warning in _told(one, t)]
        typer.echo(render_seeds(wanted.scenario, measured, warnings))
        if wanted.study is not None:
            typer.echo(f"Kept in {wanted.study}: eduverse list {quote(wanted.study)}")
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
    from eduverse_mesa.visualization.tables import name_warnings, wish_warnings

    warnings = [*wish_warnings(document, t), *name_warnings(document, t)]
    return [f"{document['run']}: {warning}" for warning in warnings]


def _play(wanted: Wanted, hide: bool) -> tuple[list[dict[str, Any]], list[Measured]]:
    """What each run's document says, and its numbers; the runs themselves are let go."""
    from eduverse_mesa.runs.comparing import Measured
    from eduverse_mesa.runs.tables import results

    documents: list[dict[str, Any]] = []
    measured: list[Measured] = []
    try:
        with trials_line("runs", len(wanted.seeds), hide) as told:
            for run in _runs(wanted):
                documents.append(results(run))
                measured.append(Measured.of(run))
                if told is not None:
                    told(len(documents))
    except KeyboardInterrupt:
        raise _stopped(wanted, len(documents)) from None
    return documents, measured


def _runs(wanted: Wanted) -> Iterator[Run]:
    from eduverse_mesa.runs.arms import play_seeds
    from eduverse_mesa.runs.studies import open_study, replay_run, resume_run

    for seed in wanted.seeds:
        known = wanted.known.get(seed)
        if known is None or wanted.study is None:
            yield from play_seeds(wanted.scenario, [seed], wanted.policy, study=wanted.study)
        else:
            with open_study(wanted.study, read_only=known.complete) as opened:
                run = (replay_run if known.complete else resume_run)(opened, known.run)
            yield run


def _stopped(wanted: Wanted, done: int) -> StoppedError:
    """Ctrl-C: which runs are there, and that the same command plays the others."""
    if wanted.study is None:
        return StoppedError("interrupted; nothing was kept.", mend="With --out STUDY what is done would be.")
    begun = run_begun(wanted.study)
    if begun is None and not done:
        return StoppedError(f"interrupted; nothing was written to {wanted.study}.")
    kept = f"{done} of {len(wanted.seeds)} runs are kept in {wanted.study}, and the complete steps of the next."
    return StoppedError(f"interrupted; {kept}", mend="The same command goes on.")


def _means(measured: Iterable[Measured]) -> dict[str, dict[str, float | int | None]]:
    """The mean of each measure over the runs, with its interval; what cannot be known is null."""
    from eduverse_mesa.runs.comparing import Arm, summaries

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
