"""`eduverse experiment mathvc`, `eduverse mathvc play`, and dialogues of groups as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.frame import StoppedError, add
from eduverse_mesa.cli.options import (
    AdultOptions,
    ModelOptions,
    PolicyName,
    Settings,
    pairs,
    refuse_delivery,
    refuse_unused,
    remember,
    taking,
)
from eduverse_mesa.cli.output import batch_lines, one_line, print_json
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.shared_limit import in_batches

if TYPE_CHECKING:
    from eduverse_mesa.decisions import Bill
    from eduverse_mesa.models.groups import CollaborationModel
    from eduverse_mesa.policies import AnyPolicy
    from eduverse_mesa.runs.groups import GroupSpec, Talk
    from eduverse_mesa.runs.studies import OpenStudy
    from eduverse_mesa.store.alerts import Adult
    from eduverse_mesa.visualization.words import Words

_NOT_ALL = 1


def show_dialogue(talk: Talk, *, as_json: bool) -> int:
    """A dialogue that was recorded: what was said, how it ended, and what language models took. Exit code 1: some
    answers failed."""
    from eduverse_mesa.models.groups.record import STAGES
    from eduverse_mesa.runs.tables import bill_document

    model, bill = talk.model, talk.bill
    failed = sum(entry.answer.status == "failed" for entry in model.journal.answers)
    if as_json:
        counted = {
            "run": talk.run, "problem": model.problem.name, "members": list(model.members), "seed": model.seed,
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
    """Print what language models have taken for a dialogue, where any was asked."""
    from eduverse_mesa.runs.tables import bill_document
    from eduverse_mesa.visualization.reports.run import bill_lines

    if bill.requests or bill.out:
        typer.echo("\n".join([t("report.head.models"), *(f"  {line}" for line in bill_lines(bill_document(bill), t))]))


def words_of(model: CollaborationModel) -> Words:
    """The words in which a dialogue is told of: in the language of its problem."""
    from eduverse_mesa.visualization.words import words_in

    return words_in(model.problem.language)


def stage_line(stage: str, t: Words) -> str:
    """Return the line that tells where a stage begins, in the words of the pages."""
    return f"    [{t(f'mathematics.stage.{stage}')}]"


def ending(model: CollaborationModel, t: Words) -> str:
    """How it came out."""
    came_out = ("right" if model.is_right else "wrong") if model.solved else "unsolved"
    return f"\n{t(f'report.dialogue.{came_out}', n=model.turn)}"


SEAT_NAME, SEED = "Mia", 1
LEAVE = ("/quit", "/exit", "/bye")
_LONGEST = 2000

mathvc = typer.Typer(
    help="Solve a mathematics problem together with virtual peers.", no_args_is_help=True, rich_markup_mode=None
)


@mathvc.callback()
def _mathvc() -> None:
    """Solve a mathematics problem together with virtual peers."""


@taking(AdultOptions, "adult")
@taking(ModelOptions, "llm", "fidelity")
def play(
    problem: Annotated[
        str | None, typer.Argument(metavar="[PROBLEM]", help="A problem's file or a built-in one.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help=f"What the peers call you; default: the group's seat, or {SEAT_NAME}."
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Take no seat: watch the peers among themselves.")] = False,
    group: Annotated[
        str | None, typer.Option("--group", metavar="FILE", help="A collaboration file or a built-in one.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same luck.")] = SEED,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    settings: Settings = None,
    out: Annotated[str | None, typer.Option(metavar="STUDY", help="Keep each message in this study.")] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Go on with this run of the study.")] = None,
    adult: AdultOptions,
) -> int:
    """Talk with the peers in the terminal. An empty line lets them go on, /quit ends it.

    Without --out nothing is kept; --out STUDY --run RUN goes on.
    """
    from eduverse_mesa.runs.groups import GroupSpec, UnkeptTalk
    from eduverse_mesa.scenarios.loader import load_collaboration

    named = adult.named()
    if run is not None:
        _refuse_beside(
            run,
            problem=problem,
            name=name,
            watch=watch,
            group=group,
            seed=seed,
            policy=policy,
            settings=settings,
            **asdict(llm),
        )
        with _interrupted(out, run):
            _go_on(out, run, named)
        return 0
    asked = llm.settings()
    given = Path(group) if group is not None and group.endswith((".yaml", ".yml")) else group
    rules = {**pairs(settings), **asked}
    seats = () if watch else (name or (_seat_in(given) if given is not None else SEAT_NAME),)
    setup = load_collaboration(given, problem=problem, seats=seats, settings=rules)
    asks = policy or setup.settings.policy
    refuse_unused(asked, asks)
    batches = in_batches(asks, setup.settings.llm)
    refuse_delivery(llm.delivery, batches)
    setup = setup.model_copy(update={"problems": setup.problems[:1]})
    spec = GroupSpec(setup, seed)
    with batch_lines(show=batches):
        if out is None:
            with _interrupted(out):
                _talk(UnkeptTalk(spec, policy), named)
        else:
            _talk_and_keep(spec, policy, out, named)
    return 0


def _seat_in(group: str | Path) -> str:
    """Return the name of the seat that a group has for a person; the first of several, since one person sits at a
    terminal."""
    from eduverse_mesa.scenarios.loader import load_collaboration

    return next(iter(load_collaboration(group).seats), SEAT_NAME)


def _refuse_beside(run: str, **given: object) -> None:
    """A run that goes on is what it was; nothing else that is named is passed over in silence."""
    usual = {"watch": False, "seed": SEED}
    other = [key for key, value in given.items() if value != usual.get(key)]
    if other:
        raise EduverseError(
            "a dialogue that goes on keeps its problem, people, luck, rules and policy.",
            where=", ".join(f"PROBLEM {given[key]}" if key == "problem" else _option(key) for key in other),
            mend=f"Leave it out beside --run {run}.",
        )


def _option(parameter: str) -> str:
    """How a parameter is called on the command line."""
    return "--set" if parameter == "settings" else f"--{parameter.replace('_', '-')}"


@contextmanager
def _interrupted(out: str | None, run: str = "") -> Iterator[None]:
    """Tell at Ctrl-C what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if out is None:
            raise StoppedError("interrupted; nothing was kept.", mend="With --out STUDY it would be.") from None
        raise StoppedError(f"interrupted; what was said is kept in {out}.", mend=_onward(out, run)) from None


def _onward(study: str, run: str) -> str:
    return f"Go on: {_play_again(study, run)}"


def _play_again(study: str, run: str) -> str:
    return f"eduverse mathvc play --out {quote(study)} --run {quote(run)}"


def _talk_and_keep(spec: GroupSpec, policy: str | None, out: str, named: Adult | None) -> None:
    from eduverse_mesa.runs.groups.dialogue import GROUPS
    from eduverse_mesa.runs.kernel import choose_policy
    from eduverse_mesa.runs.studies import open_study

    chosen = choose_policy(spec.setup, policy)
    spec = replace(spec, setup=chosen.scenario)
    with open_study(out, create=True) as opened:
        run = opened.enter(GROUPS.row(spec)._replace(policy=chosen.policy.name))
        with _interrupted(out, run):
            _go_on_here(opened, run, policy=chosen.policy, named=named)


def _go_on(out: str | None, run: str, named: Adult | None) -> None:
    from eduverse_mesa.runs.groups.dialogue import choose_again
    from eduverse_mesa.runs.studies import open_study

    if out is None:
        raise EduverseError("no study is named.", where=f"--run {run}", mend="Name the one it is in: --out STUDY.")
    with open_study(out) as opened:
        _go_on_here(opened, run, policy=choose_again(opened, run), named=named)


def _go_on_here(opened: OpenStudy, run: str, *, policy: AnyPolicy, named: Adult | None) -> None:
    from eduverse_mesa.runs.groups import open_talk
    from eduverse_mesa.runs.open_runs import noted_open
    from eduverse_mesa.store.alerts import read_adult

    where = opened.study.path
    with noted_open(where, run):
        talk = open_talk(opened, run, lambda _: policy)
        try:
            remember(opened.study, named)
            _talk(talk, read_adult(opened.study))
        finally:
            talk.close()
            if not talk.over:
                opened.study.set_status(run, "interrupted")
    t = words_of(talk.model)
    command = f"eduverse replay {quote(where)} {run}" if talk.over else _play_again(where, run)
    again = t("report.dialogue.again" if talk.over else "report.dialogue.go_on", command=command)
    typer.echo(f"{t('report.dialogue.kept', run=run)} {again}")


def _talk(talk: Talk, adult: Adult | None = None) -> None:
    """Play message after message, until it is over or the person leaves."""
    from eduverse_mesa.models.groups.record import STAGES
    from eduverse_mesa.store.alerts import Adult
    from eduverse_mesa.web.alerts import help_words

    model = talk.model
    t = words_of(model)
    named = adult or Adult()
    model.name_adult(named.name, named.reach, named.line)
    name = model.people[0] if model.people else ""
    typer.echo(f"{model.problem.title}\n\n{model.problem.statement}\n")
    if name and not talk.over:
        typer.echo(f"{t('report.dialogue.you', name=name, leave=LEAVE[0])}")
        typer.echo(f"{' '.join(help_words(t, named))}\n")
    for row in talk.messages:
        typer.echo(f"{row.speaker}: {one_line(row.text, most=_LONGEST)}")
    if model.stage in STAGES:
        typer.echo(stage_line(model.stage, t))
    while not talk.over:
        if not _take_turn(talk, name):
            break
    stands = f"\n{t('report.dialogue.stands', n=model.turn)}"
    typer.echo(ending(model, t) if talk.over or not talk.where else stands)
    show_bill(talk.bill, t)


def _take_turn(talk: Talk, name: str) -> bool:
    """Play one message: the person's where they may speak and say something, else a peer's. Return False where the
    person has left."""
    model = talk.model
    stage = model.stage
    text = _typed(name) if name and (name in model.floor.holders or talk.quiet) else ""
    if text is None:
        return False
    if text:
        talk.say(name, text, model.now, key=f"{name} {len(talk.messages)}")
    elif talk.due is None:
        typer.echo(f"    {words_of(model)('report.dialogue.quiet' if talk.quiet else 'report.dialogue.waiting')}")
    else:
        row = talk.advance(talk.due)
        if row is not None and row.text:
            typer.echo(f"{row.speaker}: {one_line(row.text, most=_LONGEST)}")
    _tell_stage(model, stage)
    return True


def _tell_stage(model: CollaborationModel, before: str) -> None:
    from eduverse_mesa.models.groups.record import STAGES

    if model.stage != before and model.stage in STAGES:
        typer.echo(stage_line(model.stage, words_of(model)))


def _typed(name: str) -> str | None:
    """Read the words of the person; None where they leave."""
    try:
        text = input(f"{name}: ").strip()
    except EOFError:
        typer.echo("")
        return None
    return None if text.casefold() in LEAVE else text


add(mathvc, "play", play)
