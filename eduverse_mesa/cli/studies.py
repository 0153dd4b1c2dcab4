"""`eduverse resume`, `replay`, `fork` and `export`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import msgspec
import typer
from pydantic import TypeAdapter, ValidationError

from eduverse_mesa.cli.frame import FORMATS_HERE
from eduverse_mesa.cli.groups import show_dialogue
from eduverse_mesa.cli.learner import show_taught
from eduverse_mesa.cli.options import (
    AsJson,
    ModelOptions,
    PolicyName,
    Quiet,
    Report,
    RunId,
    StudyPath,
    lesson_and_step,
    refuse_delivery,
    refuse_unused,
    taking,
)
from eduverse_mesa.cli.output import (
    batch_lines,
    exit_code,
    finish,
    local_lines,
    print_json,
    progress_line,
    tell,
    trials_line,
    write_page,
)
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.shared_limit import in_batches
from eduverse_mesa.vocabulary import Act

if TYPE_CHECKING:
    import pandas as pd

    from eduverse_mesa.models.classroom.interventions import Intervention
    from eduverse_mesa.runs.classroom import Run
    from eduverse_mesa.runs.groups import Talk
    from eduverse_mesa.runs.studies import OpenStudy
    from eduverse_mesa.runs.tutoring import Tutored
    from eduverse_mesa.scenarios.scenario import Budget
    from eduverse_mesa.store import RunKind

_NOT_ALL = 1
_COLUMNS = ("before", "after", "difference")


@taking(ModelOptions, "llm", "model", "fidelity")
def resume(
    study: StudyPath,
    run: RunId = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    report: Report = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Go on with a run that was interrupted, from its last complete step.

    A budget is the whole run's, in place of the one it began with. So is the share of useless answers that ends it.
    """
    from eduverse_mesa.runs.studies import open_study

    with open_study(study) as opened, batch_lines(show=not quiet):
        wanted = run or opened.unfinished()
        complete = opened.study.run(wanted).status == "complete"
        go_on: dict[RunKind, Callable[..., Run | Tutored | Talk]] = {
            "course": _resume_course,
            "tutoring": _resume_taught,
            "collaboration": _resume_talk,
        }
        played = go_on[_kind(opened, wanted, report)](opened, wanted, policy, llm, hide=(quiet, as_json))
    if complete and not quiet:
        typer.echo(f"Run {wanted} is complete already: nothing was played, and nothing was written.", err=True)
    return _show(played, as_json=as_json, report=report, study=None if complete else study)


def _tell_spent(opened: OpenStudy, run: str, budget: Budget | None, *, hide: bool) -> None:
    """Say what a run has taken of language models before, and that its budget goes on from there."""
    from eduverse_mesa.decisions import Bill
    from eduverse_mesa.policies.llm.calling import Ledger

    row = opened.study.run(run)
    bill = Bill.read(row.spent).closed()
    if hide or budget is None or row.status == "complete" or not bill.requests:
        return
    ledger = Ledger(budget.tokens, budget.requests, budget.usd)
    ledger.go_on_from(bill)
    left = f"Left of its budget, which is the whole run's: {ledger.left}." if ledger.left else "It has no budget."
    typer.echo(f"Run {run} has taken before: {bill}. {left}", err=True)


def _show(played: Run | Tutored | Talk, *, as_json: bool, report: Path | None = None, study: str | None = None) -> int:
    """Print what came of a run of any kind; gives the exit code."""
    from eduverse_mesa.runs.groups import Talk
    from eduverse_mesa.runs.tutoring import Tutored

    if isinstance(played, Tutored):
        return show_taught(played, as_json=as_json, study=study)
    if isinstance(played, Talk):
        return show_dialogue(played, as_json=as_json)
    return finish(played, as_json=as_json, report=report, study=study)


def _kind(opened: OpenStudy, run: str, report: Path | None) -> RunKind:
    """The kind of a run; only one of lessons has a report."""
    kind = opened.kind(run)
    if report is not None and kind != "course":
        raise EduverseError(
            "of learners, tutors and groups there is no such page.",
            where="--report",
            mend="Open the run on the page Learner or Mathematics, or export it.",
        )
    return kind


Hide = tuple[bool, bool]
"""The user wants no progress; the output is JSON."""


def _resume_course(opened: OpenStudy, run: str, policy: str | None, llm: ModelOptions, *, hide: Hide) -> Run:
    from eduverse_mesa.runs.classroom import resume_run

    scenario = opened.choose(run).spec.scenario
    quiet, as_json = hide
    asks = policy or scenario.settings.policy
    changes = llm.changes(scenario)
    _tell_spent(opened, run, changes["budget"], hide=quiet)
    with (
        local_lines(asks, scenario.lessons[0].language, hide=quiet, bar=not as_json),
        progress_line(scenario, hide=quiet or as_json) as progress,
    ):
        return resume_run(opened, run, policy, progress=progress, **changes)


def _resume_taught(opened: OpenStudy, run: str, policy: str | None, llm: ModelOptions, *, hide: Hide) -> Tutored:
    from eduverse_mesa.runs.tutoring import choose_tutoring, resume_tutoring

    spec = choose_tutoring(opened, run).spec
    changes = llm.changes(spec.setup)
    _tell_spent(opened, run, changes["budget"], hide=any(hide))
    with trials_line("sessions", spec.sessions, any(hide)) as line:
        watch = None if line is None else lambda done, _total: line(done)
        return resume_tutoring(opened, run, policy, progress=watch, **changes)


def _resume_talk(opened: OpenStudy, run: str, policy: str | None, llm: ModelOptions, *, hide: Hide) -> Talk:
    from eduverse_mesa.runs.groups.dialogue import GROUPS, resume_talk
    from eduverse_mesa.runs.kernel import choose

    stored = choose(GROUPS, opened, run)
    limits = {"--budget-usd": llm.budget_usd, "--budget-tokens": llm.budget_tokens}
    limits |= {"--budget-requests": llm.budget_requests, "--useless": llm.useless}
    refuse_unused({name: one for name, one in limits.items() if one is not None}, policy or stored.row.policy)
    changes = llm.changes(stored.spec.setup)
    _tell_spent(opened, run, changes["budget"], hide=hide[0])
    return resume_talk(opened, run, policy, **changes)


def replay(
    study: StudyPath,
    run: RunId = None,
    to: Annotated[str | None, typer.Option("--to", metavar="STEP", help="Stop after this step: 12 or 2:12.")] = None,
    report: Report = None,
    as_json: AsJson = False,
) -> int:
    """Play a recorded run again, without the model or the people that answered, and measure it."""
    from eduverse_mesa.runs.studies import open_study

    until = lesson_and_step(to, "--to") if to else None
    with open_study(study, read_only=True) as opened:
        wanted = run or opened.newest()
        played = _replayed(opened, wanted, _kind(opened, wanted, report), until)
    return _show(played, as_json=as_json, report=report)


def _replayed(opened: OpenStudy, run: str, kind: RunKind, until: tuple[int, int] | None) -> Run | Tutored | Talk:
    from eduverse_mesa.runs.classroom import replay_run
    from eduverse_mesa.runs.groups import read_talk
    from eduverse_mesa.runs.tutoring import replay_tutoring

    if kind == "tutoring":
        return replay_tutoring(opened, run, until=until)
    if kind == "collaboration":
        return read_talk(opened, run, upto=until[1] if until else None, policy="embedded")
    return replay_run(opened, run, until=until)


@taking(ModelOptions, "llm", "model", "fidelity")
def fork(
    study: StudyPath,
    run: RunId = None,
    at: Annotated[
        str, typer.Option("--at", metavar="STEP", help="Change it after this step: 12 or 2:12; 2:0 is before lesson 2.")
    ] = "0",
    move: Annotated[
        list[str] | None,
        typer.Option("--move", metavar="NAME=SEAT", help="A student's seat id, or X,Y, until the lesson ends."),
    ] = None,
    trait: Annotated[
        list[str] | None,
        typer.Option("--trait", metavar="NAME.TRAIT=VALUE", help="Another trait, 0 to 1, until the lesson ends."),
    ] = None,
    act: Annotated[str | None, typer.Option("--act", help="What the teacher does in the next step.")] = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    report: Report = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Branch off a run, change one thing, and show what it changed: same luck, one difference."""
    from eduverse_mesa.runs.classroom import fork_run, refuse_unfinished, refused_moves, replay_run, tell_refused
    from eduverse_mesa.runs.comparison import paired_difference
    from eduverse_mesa.runs.studies import open_study
    from eduverse_mesa.runs.tables import results
    from eduverse_mesa.visualization.reports.page import render_page
    from eduverse_mesa.visualization.reports.run import fork_report, report_tables, run_report
    from eduverse_mesa.visualization.reports.tables import name_warnings, wish_warnings
    from eduverse_mesa.visualization.words import words_in

    place = lesson_and_step(at, "--at", least=0)
    with open_study(study) as opened:
        parent = opened.choose(run)
        if parent.status != "complete":
            refuse_unfinished(parent.id, opened.study.digests(parent.id), study)
        changes = read_changes(place, move or [], trait or [], act, policy)
        scenario = parent.spec.scenario
        asks = policy or scenario.settings.policy
        wanted = llm.changes(scenario)
        batches = in_batches(asks, scenario.settings.llm)
        refuse_delivery(llm.delivery, batches)
        with (
            batch_lines(show=batches and not quiet),
            local_lines(asks, scenario.lessons[0].language, hide=quiet, bar=not as_json),
            progress_line(scenario, hide=quiet or as_json) as progress,
        ):
            forked = fork_run(opened, parent.id, place, changes, policy, progress=progress, **wanted)
        before = replay_run(opened, parent.id)
    difference, document, refused = (
        paired_difference(before, forked),
        results(forked),
        [tell_refused(move) for move in refused_moves(forked)],
    )
    t = words_in(forked.spec.scenario.lessons[0].language)
    warnings = [*refused, *wish_warnings(document, t), *name_warnings(document, t)]
    told = fork_report(parent.id, forked.id, changes, difference, warnings)
    whole = {"parent": parent.id, **document, "refused": refused, "difference": _plain(difference)}
    tell(told, whole, as_json=as_json)
    if report is not None:
        of_run = run_report(report_tables(forked))
        write_page(render_page(replace(of_run, sections=[*told.sections, *of_run.sections])), report)
    return _NOT_ALL if refused else exit_code(forked)


def _plain(difference: pd.DataFrame) -> dict[str, dict[str, float | None]]:
    """The table by measure; what cannot be measured is null."""
    return {
        str(measure): {key: None if value != value else float(value) for key, value in zip(_COLUMNS, row, strict=True)}
        for measure, *row in difference[["measure", *_COLUMNS]].itertuples(index=False)
    }


def export(
    study: StudyPath,
    run: RunId = None,
    form: Annotated[str, typer.Option("--format", help=f"One of: {FORMATS_HERE}.")] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="A folder; or a file: .jsonl, or .graphml or .csv of one lesson."),
    ] = None,
    participant: Annotated[
        str | None, typer.Option(metavar="ID", help="All that is kept of this participant instead, as JSON.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Every run: tables with all runs below one another, else a folder for each run."),
    ] = False,
) -> None:
    """Write a run for other tools: tables, answer log, growth log, network, xAPI statements, transcript.

    With --participant: what a person may ask to see.
    """
    from eduverse_mesa.runs.exports import FORMATS, export_all, export_run, file_name
    from eduverse_mesa.runs.studies import open_study

    if run is not None and (every or participant is not None):
        whose = "--all is about" if every else "a participant's data come from"
        raise EduverseError(f"{whose} all runs.", where=f"RUN {run}", mend="Leave the run out.")
    if participant is not None:
        _export_participant(study, participant, out)
        return
    if form not in FORMATS:
        raise EduverseError(f"there is no format '{form}'.", where="--format", mend=f"Known: {', '.join(FORMATS)}.")
    with open_study(study, read_only=True) as opened:
        if every:
            written = export_all(opened, form, out or Path(file_name(Path(study).stem)))
        else:
            chosen = opened.study.run(run or opened.newest()).id
            written = export_run(opened, chosen, form, out or Path(file_name(chosen)))
            if run is None and (number := len(opened.runs())) > 1:
                typer.echo(f"Of {number} runs the newest that is no fork, {chosen}; --all takes every one.", err=True)
    for path in written:
        typer.echo(str(path))


def _export_participant(study: str, participant: str, out: Path | None) -> None:
    from eduverse_mesa.runs.erasure import participant_document
    from eduverse_mesa.runs.studies import open_study

    with open_study(study, read_only=True) as opened:
        document = participant_document(opened, participant)
    if out is None:
        print_json(document)
        return
    try:
        out.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2))
    except OSError as error:
        raise EduverseError(
            f"this cannot be written ({error.strerror}).", where=str(out), mend="Choose another place."
        ) from error
    typer.echo(str(out))


_HOW = (
    "Add --move 'Liu Li=r1_1', --trait 'Liu Li.motivation=0.9', --act lecturing or another --policy, "
    "and --at STEP for when."
)
_TRAITS = "openness, conscientiousness, extraversion, agreeableness, neuroticism, motivation, ability"


def read_changes(
    place: tuple[int, int], moves: list[str], traits: list[str], act: str | None, policy: str | None
) -> tuple[Intervention, ...]:
    """Interventions before the step that follows the place of the fork. Another policy needs none."""
    from eduverse_mesa.models.classroom.interventions import NoChange

    if not moves and not traits and act is None and policy is None:
        raise EduverseError("nothing is changed: the fork would be the same run once more.", mend=_HOW)
    when = {"lesson": place[0], "step": place[1] + 1}
    changes = [_move(text, when) for text in moves] + [_trait(text, when) for text in traits]
    if act is not None:
        if act not in get_args(Act):
            raise EduverseError(f"'{act}' is no act.", where="--act", mend=f"Known: {', '.join(get_args(Act))}.")
        changes.append(_valid({"change": "act", "act": act, **when}, "--act"))
    return tuple(changes) or (NoChange(lesson=when["lesson"], step=when["step"]),)


def _move(text: str, when: dict[str, int]) -> Any:
    name, sign, to = text.rpartition("=")
    if not sign:
        raise EduverseError(
            "is not NAME=SEAT.", where=f"--move {text}", mend="Write e.g. --move 'Liu Li=r1_1' or =12,5."
        )
    x, comma, y = to.partition(",")
    seat: object = to.strip()
    if comma:
        try:
            seat = (int(x), int(y))
        except ValueError:
            raise EduverseError("is no cell.", where=f"--move {text}", mend="Write X,Y in whole numbers.") from None
    return _valid({"change": "move", "student": name.strip(), "to": seat, **when}, f"--move {text}")


def _trait(text: str, when: dict[str, int]) -> Any:
    who, sign, value = text.rpartition("=")
    name, dot, trait = who.rpartition(".")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not sign or not dot or not 0 <= number <= 1:
        raise EduverseError(
            "is not NAME.TRAIT=VALUE with a value from 0 to 1.",
            where=f"--trait {text}",
            mend=f"Write e.g. --trait 'Liu Li.openness=0.8'; traits: {_TRAITS}.",
        )
    return _valid(
        {"change": "trait", "student": name.strip(), "trait": trait.strip(), "value": number, **when}, f"--trait {text}"
    )


def _valid(change: dict[str, object], where: str) -> Any:
    from eduverse_mesa.models.classroom.interventions import Intervention

    try:
        return TypeAdapter(Intervention).validate_python(change)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise EduverseError(f"{wrong['loc'][-1]}: {wrong['msg']}.", where=where, mend=f"Traits: {_TRAITS}.") from None
