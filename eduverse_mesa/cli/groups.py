"""`eduverse experiment mathvc`, and dialogues of groups as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eduverse_mesa.cli.estimates import say_batches
from eduverse_mesa.cli.interrupting import StoppedError
from eduverse_mesa.cli.showing import one_line, print_json
from eduverse_mesa.cli.watching import batch_lines, batches_left, trials_line, write_page
from eduverse_mesa.policies.sharing import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.decisions import Bill
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.mathvc import Findings, Tables
    from eduverse_mesa.experiments.mathvc.recording import Recorded
    from eduverse_mesa.models.collaboration import CollaborationModel
    from eduverse_mesa.runs.collaboration import Talk
    from eduverse_mesa.visualization.words import Words

NAME = "mathvc"
_NOT_ALL = 1


def mathvc_experiment(
    seeds: int,
    policy: str,
    settings: Mapping[str, object],
    engine: Engine,
    out: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Play all problems with and without stages and schemas, and with a scripted student, beside the paper's numbers.

    Exit code 1: some answers failed.
    """
    from eduverse_mesa.experiments.engines import Threads
    from eduverse_mesa.experiments.mathvc import document, find, plays_of
    from eduverse_mesa.experiments.mathvc.recording import play, recording
    from eduverse_mesa.visualization.group_report import render_text

    plays = plays_of(seeds, policy, settings)
    with recording(plays, out) as recorded, engine as player:
        try:
            if not (quiet or as_json):
                _say_beforehand(recorded, player)
            with (
                batch_lines(show=not quiet and isinstance(player, Threads)),
                trials_line("dialogues", len(plays), hide=quiet or as_json) as line,
            ):
                play(recorded, player, watch=line)
        except KeyboardInterrupt:
            raise _stopped(recorded) from None
        tables = recorded.tables()
        found = find(tables, policy)
        if out is not None:
            write_groups(found, tables, out)
    if as_json:
        print_json(document(found))
    else:
        typer.echo(render_text(found))
        if out is not None:
            names = "messages, revisions, errors, ends, dialogues, numbers and statements"
            typer.echo(f"\nIn {out}: mathvc.html; {names} as Parquet.")
    return _NOT_ALL if found.answers.get("failed") else 0


def _say_beforehand(recorded: Recorded, player: Engine) -> None:
    """How many batches there will be, where answers come in batches."""
    from eduverse_mesa.experiments.mathvc.designs import group_of
    from eduverse_mesa.experiments.mathvc.playing import estimate_play

    left = recorded.left
    if left and in_batches(left[0].policy, group_of(left[0].collaboration).settings.llm):
        say_batches(estimate_play(left[0]), len(left), player.workers)


def _stopped(recorded: Recorded) -> StoppedError:
    """Ctrl-C."""
    if recorded.path is None:
        return StoppedError(
            f"interrupted; nothing was kept.{batches_left()}", mend="With --out FOLDER what is done would be."
        )
    kept = f"interrupted; {recorded.done} of {len(recorded.plays)} dialogues are kept.{batches_left()}"
    return StoppedError(kept, mend="The same command goes on.")


def write_groups(found: Findings, tables: Tables, out: Path) -> None:
    """All tables as Parquet, and the report."""
    from eduverse_mesa.experiments.mathvc import judged_table, numbers_table
    from eduverse_mesa.experiments.sweeps.durable import writing_whole
    from eduverse_mesa.visualization.group_report import render_report

    written = {
        "messages": tables.messages,
        "revisions": tables.revisions,
        "errors": tables.errors,
        "ends": tables.ends,
        "dialogues": found.by_dialogue,
        "numbers": numbers_table(found.numbers),
        "statements": judged_table(found.judged),
    }
    for name, table in written.items():
        with writing_whole(out / f"{name}.parquet") as part:
            table.to_parquet(part, index=False)
    write_page(render_report(found), out / "mathvc.html")


def show_dialogue(talk: Talk, run: str, *, as_json: bool) -> int:
    """A dialogue that was recorded: what was said, how it ended, and what language models took. Exit code 1: some
    answers failed."""
    from eduverse_mesa.models.collaboration.stages import STAGES
    from eduverse_mesa.runs.tables import bill_document

    model, bill = talk.model, talk.bill
    failed = sum(entry.answer.status == "failed" for entry in model.journal.answers)
    if as_json:
        counted = {
            "run": run, "problem": model.problem.name, "members": list(model.members), "seed": model.seed,
            "turns": model.turn, "stage": model.stage, "over": not model.running, "solved": model.solved,
            "right": model.is_right, "failed": failed,
            "messages": [
                {"turn": row.turn, "stage": row.stage, "speaker": row.speaker, "text": row.text, "act": row.act}
                for row in model.journal.messages
            ],
            "errors": [row._asdict() for row in model.journal.errors],
            **({"models": bill_document(bill)} if bill.requests or bill.out else {}),
        }  # fmt: skip
        print_json(counted)
        return _NOT_ALL if failed else 0
    t = words_of(model)
    typer.echo(f"{model.problem.title}\n\n{model.problem.statement}\n")
    stage = ""
    for row in model.journal.messages:
        if row.stage != stage and row.stage in STAGES:
            typer.echo(stage_line(row.stage, t))
        stage = row.stage
        typer.echo(f"{row.speaker}: {one_line(row.text, most=2000)}")
    goes_on = f"\n{t('report.dialogue.goes_on', n=model.turn)}"
    typer.echo(goes_on if model.running else ending(model, t))
    show_bill(bill, t)
    return _NOT_ALL if failed else 0


def show_bill(bill: Bill, t: Words) -> None:
    """What language models have taken for a dialogue, where any was asked."""
    from eduverse_mesa.runs.tables import bill_document
    from eduverse_mesa.visualization.text_report import bill_lines

    if bill.requests or bill.out:
        typer.echo("\n".join([t("report.head.models"), *(f"  {line}" for line in bill_lines(bill_document(bill), t))]))


def words_of(model: CollaborationModel) -> Words:
    """The words in which a dialogue is told of: in the language of its problem."""
    from eduverse_mesa.visualization.words import words_in

    return words_in(model.problem.language)


def stage_line(stage: str, t: Words) -> str:
    """Where a stage begins, in the words of the pages."""
    return f"    [{t(f'mathematics.stage.{stage}')}]"


def ending(model: CollaborationModel, t: Words) -> str:
    """How it came out."""
    came_out = ("right" if model.is_right else "wrong") if model.solved else "unsolved"
    return f"\n{t(f'report.dialogue.{came_out}', n=model.turn)}"
