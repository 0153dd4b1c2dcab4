"""`eduverse learner`: teach learners and keep them in a study, go on with copies of them, take one out as a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.estimates import say_batches
from eduverse_mesa.cli.frame import StoppedError, add
from eduverse_mesa.cli.options import (
    AsJson,
    ModelOptions,
    PolicyName,
    Quiet,
    RunId,
    Settings,
    StudyPath,
    pairs,
    refuse_delivery,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import batch_lines, print_json, trials_line
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.policies import AnyPolicy
    from eduverse_mesa.runs.estimate import Estimate
    from eduverse_mesa.runs.kernel import Start
    from eduverse_mesa.runs.tutoring import Progress, Tutored, TutoringSpec
    from eduverse_mesa.scenarios.tutoring import Tutoring

_FAILED_ANSWERS = 1

learner = typer.Typer(
    help="Teach learners over the years, keep them in a study, and go on with copies of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Curriculum = Annotated[
    str | None, typer.Option("--curriculum", metavar="FILE", help="A curriculum file or a built-in one.")
]
Cohort = Annotated[str | None, typer.Option("--cohort", metavar="FILE", help="A cohort file or a built-in one.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Same seed, same run; default 1, or that of the run.")]
Names = Annotated[list[str] | None, typer.Option("--learner", metavar="NAME", help="Only this one; again for more.")]
After = Annotated[
    int | None, typer.Option("--after", min=1, metavar="SESSION", help="As they were then; default: the last complete.")
]


@taking(ModelOptions, "llm", "fidelity")
def teach(
    tutoring: Annotated[
        str | None, typer.Argument(metavar="[TUTORING]", help="A tutoring file or a built-in one; default: growing_up.")
    ] = None,
    curriculum: Curriculum = None,
    cohort: Cohort = None,
    learners: Annotated[int | None, typer.Option(min=1, help="Sample so many learners.")] = None,
    seed: Seed = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option(metavar="STUDY", help="Keep it in this study.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Teach a cohort through the grades of its curriculum.

    Without --out nothing is kept. Exit code 1: some answers failed.
    """
    from eduverse_mesa.runs.studies import open_study
    from eduverse_mesa.runs.tutoring import begin_tutoring, enter_and_play, play_tutoring
    from eduverse_mesa.scenarios.loader import load_tutoring

    asked = llm.settings()
    given = {**pairs(settings), **asked}
    setup = load_tutoring(tutoring, curriculum=curriculum, cohort=cohort, learners=learners, settings=given)
    refuse_unused(asked, policy or setup.settings.policy)
    asks = policy or setup.settings.policy
    batches = in_batches(asks, setup.settings.llm)
    refuse_delivery(llm.delivery, batches)
    start = begin_tutoring(setup, 1 if seed is None else seed, policy)
    if batches and not quiet:
        say_batches(_estimate(setup, start.spec.seed, asks), 1, 1)
    with batch_lines(show=batches and not quiet), _watched(start, out, hide=quiet or as_json) as watch:
        if out is None:
            played = play_tutoring(start.run, start.spec, policy=start.chosen.policy, progress=watch)
        else:
            with open_study(out, create=True) as opened:
                played = enter_and_play(opened, start, progress=watch)
    return show_taught(played, as_json=as_json, study=out)


def _estimate(setup: Tutoring, seed: int, policy: str) -> Estimate:
    """Return the estimate of what a cohort's lessons take of the policy's model."""
    from eduverse_mesa.runs.estimate import estimate_tutoring, settled
    from eduverse_mesa.runs.tutoring import begin_tutoring, play_tutoring

    def play(few: Tutoring, counted: AnyPolicy) -> None:
        start = begin_tutoring(few, seed, counted)
        play_tutoring(start.run, start.spec, policy=start.chosen.policy)

    return estimate_tutoring(settled(setup, policy), policy, play)


@taking(ModelOptions, "llm", "fidelity")
def go_on(
    study: StudyPath,
    run: RunId = None,
    after: After = None,
    names: Names = None,
    unit: Annotated[str | None, typer.Option(metavar="ID", help="Teach this unit, not what is on the agenda.")] = None,
    dialogues: Annotated[int, typer.Option(min=1, max=400, help="How often, with --unit.")] = 1,
    every: Annotated[float, typer.Option(min=0, metavar="DAYS", help="How many days apart, with --unit.")] = 1.0,
    seed: Seed = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    settings: Settings = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Go on with copies of a run's learners after any session, as planned or in another way; the run stays as it is.

    More grades: --set "grades=[1, 3]".
    """
    from eduverse_mesa.runs.studies import open_study
    from eduverse_mesa.runs.tutoring import Dialogues, enter_and_play, go_on_from_run, named_only

    wanted = None if unit is None else Dialogues(unit, dialogues, every)
    asked = llm.settings()
    with open_study(study) as opened:
        start = go_on_from_run(
            opened, run, after, policy=policy, seed=seed, settings={**pairs(settings), **asked}, dialogues=wanted
        )
        refuse_unused(asked, start.chosen.policy.name)
        if names:
            start = named_only(start, tuple(names))
        batches = in_batches(start.chosen.policy.name, start.spec.setup.settings.llm)
        refuse_delivery(llm.delivery, batches)
        with batch_lines(show=batches and not quiet), _watched(start, study, hide=quiet or as_json) as watch:
            played = enter_and_play(opened, start, progress=watch)
    return show_taught(played, as_json=as_json, study=study)


def save(
    study: StudyPath,
    run: RunId = None,
    name: Annotated[
        str | None, typer.Option("--learner", metavar="NAME", help="Which; may be left out where there is one.")
    ] = None,
    after: After = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; default: NAME.json.")] = None,
) -> None:
    """Write a learner, as it was after a session, to a file that the page Learner opens and Python reads."""
    from eduverse_mesa.runs.exports import file_name
    from eduverse_mesa.runs.studies import open_study
    from eduverse_mesa.runs.tutoring import choose_tutoring, learners_after, write_person

    with open_study(study, read_only=True) as opened:
        stored = choose_tutoring(opened, run)
        people = stored.spec.setup.people
        chosen = people[0] if name is None and len(people) == 1 else name
        if chosen not in people:
            raise EduverseError(
                f"there is no learner '{chosen}'." if chosen else "there are several learners.",
                where="--learner",
                mend=f"Name one of {', '.join(people)}.",
            )
        saved = learners_after(opened, stored.id, after)[chosen]
    path = out or Path(f"{file_name(chosen)}.json")
    try:
        path.write_bytes(write_person(stored.spec.setup, saved))
    except OSError as error:
        raise EduverseError(
            f"this cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error
    typer.echo(str(path))


add(learner, "teach", teach)
add(learner, "go-on", go_on)
add(learner, "save", save)


def show_taught(played: Tutored, *, as_json: bool, study: str | None = None) -> int:
    """Print the document, or what a person wants to know first; 1 where answers have failed."""
    from eduverse_mesa.runs.tutoring import taught_results

    document = taught_results(played)
    if as_json:
        print_json(document)
    else:
        typer.echo(f"{document['sessions']} sessions, {document['turns']} turns.")
        for row in document["coverage"]:
            typer.echo(
                f"{row['learner']} at the end of grade {row['grade']}: {row['familiar']} concepts familiar, "
                f"{row['expected']} expected ({row['coverage']:.0%})"
            )
        fallen = {status: number for status, number in document["outcomes"].items() if status != "ok" and number}
        if fallen:
            typer.echo("Answers: " + ", ".join(f"{number} {status}" for status, number in fallen.items()))
        if "models" in document:
            from eduverse_mesa.visualization.reports.run import bill_lines
            from eduverse_mesa.visualization.words import load_words

            typer.echo("\n".join(bill_lines(document["models"], load_words())))
        if study is not None:
            typer.echo(f"Kept as run {played.id} in {study}.")
    return _FAILED_ANSWERS if document["outcomes"]["failed"] else 0


@contextmanager
def _watched(start: Start[TutoringSpec], study: str | None, *, hide: bool) -> Iterator[Progress | None]:
    """A line on the terminal; and what Ctrl-C leaves."""
    try:
        with trials_line("sessions", start.spec.sessions, hide=hide) as line:
            yield None if line is None else lambda done, _total: line(done)
    except KeyboardInterrupt:
        if study is None:
            raise StoppedError("interrupted; nothing was kept.", mend="With --out STUDY it would be.") from None
        onward = f"Go on: eduverse resume {quote(study)}"
        raise StoppedError(f"interrupted; the complete turns are kept in {study}.", mend=onward) from None
