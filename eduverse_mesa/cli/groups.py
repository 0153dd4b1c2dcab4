"""`eduverse experiment mathvc`, and `eduverse mathvc play`: groups that solve a problem together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.frame import add
from eduverse_mesa.cli.interrupting import StoppedError
from eduverse_mesa.cli.options import PolicyName, Settings, pairs
from eduverse_mesa.cli.showing import one_line, print_json
from eduverse_mesa.cli.watching import trials_line, write_page
from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.experiments.mathvc import Findings, Tables
    from eduverse_mesa.experiments.mathvc.recording import Recorded
    from eduverse_mesa.models.collaboration import CollaborationModel

NAME = "mathvc"
_NOT_ALL = 1
LEAVE = ("/quit", "/exit", "/bye")

mathvc = typer.Typer(
    help="Solve a mathematics problem together with virtual peers.", no_args_is_help=True, rich_markup_mode=None
)


@mathvc.callback()
def _mathvc() -> None:
    """Solve a mathematics problem together with virtual peers."""


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
    from eduverse_mesa.experiments.mathvc import document, find, plays_of
    from eduverse_mesa.experiments.mathvc.recording import play, recording
    from eduverse_mesa.visualization.group_report import render_text

    plays = plays_of(seeds, policy, settings)
    with recording(plays, out) as recorded, engine as player:
        try:
            with trials_line("dialogues", len(plays), hide=quiet or as_json) as line:
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


def _stopped(recorded: Recorded) -> StoppedError:
    """Ctrl-C."""
    if recorded.path is None:
        return StoppedError("interrupted; nothing was kept.", mend="With --out FOLDER what is done would be.")
    kept = f"interrupted; {recorded.done} of {len(recorded.plays)} dialogues are kept."
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


def play(
    problem: Annotated[
        str | None, typer.Argument(metavar="[PROBLEM]", help="A problem's file or a built-in one.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the peers call you.")] = "Mia",
    watch: Annotated[bool, typer.Option("--watch", help="Take no seat: watch the peers among themselves.")] = False,
    group: Annotated[
        str | None, typer.Option("--group", metavar="FILE", help="A collaboration file or a built-in one.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same luck.")] = 1,
    policy: PolicyName = None,
    settings: Settings = None,
) -> int:
    """Talk with the peers in the terminal. An empty line lets them go on, /quit ends it."""
    from eduverse_mesa.models.collaboration import CollaborationModel
    from eduverse_mesa.scenarios.gathering import load_collaboration

    dotted = {f"settings.{key}": value for key, value in pairs(settings).items()}
    given = Path(group) if group is not None and group.endswith((".yaml", ".yml")) else group
    setup = load_collaboration(given, problem=problem, seats=() if watch else (name,), settings=dotted)
    model = CollaborationModel(setup, policy=policy, seed=seed)
    typer.echo(f"{model.problem.title}\n\n{model.problem.statement}\n")
    while model.running:
        if not _take_turn(model, "" if watch else name):
            break
    return 0


def _take_turn(model: CollaborationModel, name: str) -> bool:
    """One message: the person's where it may speak and says something, else a peer's. False where it has left."""
    said = len(model.journal.messages)
    if name and name in model.floor.holders:
        try:
            text = input(f"{name}: ")
        except EOFError:
            text = LEAVE[0]
        if text.strip().casefold() in LEAVE:
            model.leave(name)
            typer.echo(_ending(model))
            return False
        if text.strip():
            model.hear(name, text)
    if model.due is None:
        raise EduverseError("the peers have waited for you long enough.", mend="Start again, and say something.")
    stage = model.stage
    model.tick(max(model.now, model.due))
    model.step()
    for row in model.journal.messages[said:]:
        if row.speaker != name:
            typer.echo(f"{row.speaker}: {one_line(row.text, most=2000)}")
    if model.stage != stage and model.running:
        typer.echo(f"    [{model.stage}]")
    if not model.running:
        typer.echo(_ending(model))
    return True


def show_dialogue(model: CollaborationModel, run: str, *, as_json: bool) -> int:
    """A dialogue that was recorded: what was said, and how it ended. Exit code 1: some answers failed."""
    from eduverse_mesa.models.collaboration.stages import STAGES

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
        }  # fmt: skip
        print_json(counted)
        return _NOT_ALL if failed else 0
    typer.echo(f"{model.problem.title}\n\n{model.problem.statement}\n")
    stage = ""
    for row in model.journal.messages:
        if row.stage != stage and row.stage in STAGES:
            typer.echo(f"    [{row.stage}]")
        stage = row.stage
        typer.echo(f"{row.speaker}: {one_line(row.text, most=2000)}")
    typer.echo(_ending(model) if not model.running else f"\nIt stands at message {model.turn}, and goes on.")
    return _NOT_ALL if failed else 0


def _ending(model: CollaborationModel) -> str:
    if model.solved:
        return f"\nSolved in {model.turn} messages, and the answer is {'right' if model.is_right else 'not right'}."
    return f"\nEnded after {model.turn} messages, before it was solved."


add(mathvc, "play", play)
