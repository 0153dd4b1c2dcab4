"""`eduverse upgrade`, `rename`, `delete`, `participants` and `erase`: what a study keeps, how, and what no longer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.options import AsJson, StudyPath
from eduverse_mesa.cli.output import one_line, print_json
from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from eduverse_mesa.runs.erasure import Erasure

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether this is meant.")]
ThisRun = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, as eduverse list STUDY shows it.")]
_STILL_THERE = 1
_NO_NAME = {"erasing": "half erased: erase it once more", "erased": "erased"}


def upgrade(study: StudyPath, yes: Yes = False) -> int:
    """Bring an older study up to date. A file is copied before; of a database on a server no copy is made."""
    from eduverse_mesa.store.migrations import study_format
    from eduverse_mesa.store.migrations import upgrade as bring_up_to_date

    there = study_format(study)
    if there.format == there.newest:
        typer.echo(f"{there.where} has format {there.format}, which is the newest: there is nothing to do.")
        return 0
    if there.old and there.on_a_server:
        typer.echo(
            f"Format {there.format} becomes {there.newest} in the database itself, in one transaction. Older versions "
            "of eduverse-mesa cannot read it then, and no copy is made: pg_dump makes one.",
            err=True,
        )
        if not _sure(f"Bring {there.where} up to date?", yes):
            return _declined("changed")
    copy = bring_up_to_date(study)
    typer.echo(f"{there.where} had format {there.format}, and has format {there.newest} now.")
    if copy:
        typer.echo(f"As it was it is kept in {copy}")
    return 0


def rename(
    study: StudyPath,
    run: ThisRun,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What to call it; an empty title takes it away.")],
) -> None:
    """Give a run a title. Its id stays, since its forks name it."""
    from eduverse_mesa.runs.studies import open_study, rename_run

    with open_study(study) as opened:
        called = rename_run(opened, run, title)
    typer.echo(f"Run {run} is called '{one_line(called)}'." if called else f"Run {run} has no title.")


def delete(
    study: StudyPath,
    run: ThisRun,
    with_forks: Annotated[bool, typer.Option("--with-forks", help="Also the runs that were forked from it.")] = False,
    abandoned: Annotated[
        bool, typer.Option("--abandoned", help="Also where it is said to be running: its program was killed.")
    ] = False,
    yes: Yes = False,
) -> int:
    """Take a run out of a study, with its answers and all that it left in memory."""
    from eduverse_mesa.runs.studies import delete_run, open_study

    with open_study(study) as opened:
        opened.study.run(run)  # a run that is not there is said before anybody is asked
        if not _sure(f"Delete run {run}{' and its forks' if with_forks else ''} from {study} for good?", yes):
            return _declined("deleted")
        gone = delete_run(opened, run, with_forks=with_forks, abandoned=abandoned)
    for one in gone:
        typer.echo(f"Deleted: {one}")
    return 0


def participants(study: StudyPath, as_json: AsJson = False) -> None:
    """List the people who took part in a study, and where they sat."""
    from eduverse_mesa.runs.studies import open_study

    with open_study(study, read_only=True) as opened:
        people, sittings = opened.study.participants(), opened.study.sittings()
    if as_json:
        print_json(
            [
                {**row._asdict(), "sittings": [one._asdict() for one in sittings if one.participant == row.id]}
                for row in people
            ]
        )
        return
    if not people:
        typer.echo("Nobody has taken part in it.")
    for row in people:
        name = (
            f"'{row.label}'" if row.state == "present" else {"erasing": "being erased", "erased": "erased"}[row.state]
        )
        typer.echo(f"{row.id}  {name}, {row.role}, since {row.created}")
        for one in sittings:
            if one.participant == row.id:
                until = f"to {one.until[0]}:{one.until[1]}" if one.until else "on"
                typer.echo(f"    as {one.agent} in {one.run}, from {one.since[0]}:{one.since[1]} {until}")


def erase(
    study: StudyPath,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="Its id: eduverse participants STUDY.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> int:
    """Erase a person's words and name from a study and from remembered answers of models, and prove it.

    Exit code 1: something is still there, and the proof says where.
    """
    from eduverse_mesa.policies.llm.connection import cache_path
    from eduverse_mesa.runs.erasure import erase_participant
    from eduverse_mesa.runs.studies import open_study

    with open_study(study) as opened:
        opened.study.participant(participant)
    if not _sure(f"Erase all that participant {participant} wrote from {study} for good?", yes):
        return _declined("erased")
    done = erase_participant(study, participant, cache=cache_path())
    with open_study(study, read_only=True) as opened:
        others = [row.id for row in opened.study.participants() if row.state == "present"]
    if as_json:
        print_json(done.document())
    else:
        _show(done, others)
    return 0 if done.complete else _STILL_THERE


def _sure(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise EduverseError("this cannot be undone.", where="--yes", mend="Add --yes where it is meant.")
    return typer.confirm(question)


def _declined(what: str) -> int:
    typer.echo(f"Nothing was {what}.")
    return _STILL_THERE


def _show(done: Erasure, others: Sequence[str]) -> None:
    """The proof, in sentences; and who else took part. It holds no word of the person."""
    typer.echo(f"Participant {done.participant} is erased from {done.study}.")
    if done.resumed:
        typer.echo("The words had been replaced before; now the file is written anew. What they were, nobody knows.")
    else:
        _show_replaced(done)
    where = ", ".join(f"{one.name} ({one.bytes:,} bytes)" for one in done.searched) or "the tables"
    typer.echo(f"Searched for {done.searched_for} phrases, byte by byte: {where}.")
    for one in done.found:
        typer.echo(f"STILL THERE: {one.texts} in {one.where}", err=True)
    if not done.complete and others:
        typer.echo(
            "Others may have written the same, or the same person as another guest; then erase these, too: "
            f"{', '.join(others)}.",
            err=True,
        )
    if done.complete and done.searched_for:
        typer.echo("Found nowhere.")
    if done.partly_repeated:
        typer.echo("Others repeat some of the words in a row; read these answers:")
        for run, lesson, step, agent in done.partly_repeated:
            typer.echo(f"    {run}, step {lesson}:{step}, {agent}")
    typer.echo(f"Not erased: {'; '.join(done.beyond)}.")


def _show_replaced(done: Erasure) -> None:
    rows = ", ".join(f"{number} in {table}" for table, number in done.replaced.items())
    typer.echo(f"Texts written: {done.texts}. Rows changed: {rows}. Runs: {', '.join(done.runs) or 'none'}.")
    if done.deleted:
        typer.echo(f"Dialogues of groups, deleted altogether: {', '.join(done.deleted)}.")
    if done.remembered:
        typer.echo(f"Remembered answers of models that held such words, forgotten: {done.remembered}.")
    if done.lost_answers:
        typer.echo(f"Answers lost, since a lesson goes another way now: {done.lost_answers}.")
    if done.not_replayed:
        typer.echo(f"Could not be played again before either: {', '.join(done.not_replayed)}.")
    for reason, number in done.not_searched_for.items():
        typer.echo(f"Replaced where the person wrote it, but not searched for elsewhere ({reason}): {number}")
