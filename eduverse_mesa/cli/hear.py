"""`eduverse hear`: what somebody meant, line by line; how well it is heard; and an ear of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.options import ModelOptions, PolicyName, refuse_unused, taking
from eduverse_mesa.cli.output import one_line, print_json, print_report
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.vocabulary import LISTENERS, Listener

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eduverse_mesa.hearing.corpus import Line
    from eduverse_mesa.policies.policy import AnyPolicy
    from eduverse_mesa.runs.hearing import HeardLine
    from eduverse_mesa.scenarios.scenario import Settings

_SOME_FAILED = 1


@taking(ModelOptions, "llm", "fidelity")
def hear(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON lines with `text` and, where known, before, speaker, on_table.")
    ],
    listener: Annotated[
        str | None,
        typer.Option(metavar="WHO", help=f"Who hears, where a line does not say it: {', '.join(LISTENERS)}."),
    ] = None,
    problem: Annotated[str | None, typer.Option(metavar="NAME", help="The problem that is talked about.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="ID", help="The unit that is talked about.")] = None,
    lesson: Annotated[str | None, typer.Option(metavar="NAME", help="The lesson that is talked about.")] = None,
    policy: PolicyName = None,
    *,
    llm: ModelOptions,
    ear: Annotated[Path | None, typer.Option(metavar="FILE", help="Hear with an ear of your own.")] = None,
    letters: Annotated[bool, typer.Option("--letters", help="Go by letters and words, without vectors.")] = False,
    score: Annotated[bool, typer.Option("--score", help="Say how well labelled lines are heard.")] = False,
    labels: Annotated[str | None, typer.Option(metavar="WHO", help="Whose labels; default: the first.")] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Train an ear on labelled lines (FILE may be a folder) and write it here."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> int:
    """Tell what somebody meant by what they said: what was done by it, about what, in which way, and how sure that is.

    The listener is whoever hears: a learner its tutor, a tutor its learner, a peer a pupil of the group, the teacher a
    pupil in class, a pupil the teacher or a classmate.
    """
    from eduverse_mesa.runs.hearing import hear_lines, read_folder

    written = read_folder(file)
    if train is not None:
        return _train(file, written, train, letters=letters, as_json=as_json)
    given = {"problem": problem, "unit": unit, "lesson": lesson}
    named = {kind: name for kind, name in given.items() if name is not None}
    if len(named) > 1:
        raise EduverseError("only one of them can be talked about.", where=" and ".join(named), mend="Keep one.")
    lines = [line if any(line.matter) else line.model_copy(update=named) for many in written.values() for line in many]
    name = policy or "embedded"
    settings = llm.settings()
    refuse_unused(settings, name)
    heard = hear_lines(
        lines,
        _listener(listener),
        policy=_policy(name, ear=ear, letters=letters),
        settings=_settings(settings),
    )
    if name == "embedded" and not letters and ear is None:
        _say_what_is_lost()
    if score:
        _score(heard, labels, as_json=as_json)
    else:
        _print(heard, as_json=as_json)
    return _SOME_FAILED if any(one.meant is None for one in heard) else 0


def _listener(named: str | None) -> Listener | None:
    found: Listener | None = next((one for one in LISTENERS if one == named), None)
    if named is not None and found is None:
        raise EduverseError(f"'{named}' is nobody who hears.", where="listener", mend=f"Known: {', '.join(LISTENERS)}.")
    return found


def _policy(name: str, *, ear: Path | None, letters: bool) -> AnyPolicy | str:
    if name != "embedded" and (ear is not None or letters):
        raise EduverseError(
            f"policy '{name}' hears by itself.", where="ear" if ear else "letters", mend="Use --policy embedded."
        )
    if ear is None and not letters:
        return name
    from eduverse_mesa.runs.hearing import EarPolicy, load_ear, own_ear

    return own_ear(ear, by_letters=letters) if ear is not None else EarPolicy(load_ear(by_letters=True))


def _settings(given: Mapping[str, object]) -> Settings:
    from eduverse_mesa.scenarios.loader import load_scenario

    return load_scenario(None, settings=dict(given)).settings


def _say_what_is_lost() -> None:
    from eduverse_mesa.hearing.ear import what_is_lost

    if lost := what_is_lost():
        typer.echo(lost, err=True)


def _print(heard: Sequence[HeardLine], *, as_json: bool) -> None:
    from eduverse_mesa.hearing.corpus import as_json as written

    for one in heard:
        if as_json:
            found = (
                written(one.line, one.meant)
                if one.meant is not None
                else {"text": one.line.text, "failed": one.answer.reason}
            )
            typer.echo(json.dumps(found, ensure_ascii=False))
        else:
            typer.echo("\n".join(_lines_of(one)))


def _lines_of(one: HeardLine) -> list[str]:
    who = f"{one_line(one.line.speaker)}: " if one.line.speaker else ""
    said = f"{who}{one_line(one.line.text)}"
    if one.meant is None:
        return [said, f"    not heard: {one_line(one.answer.reason)}"]
    meant = one.meant
    parts = [
        ", ".join(meant.acts),
        f"about {meant.about}" if meant.about else "",
        meant.how,
        {True: "right", False: "wrong", None: ""}[meant.right],
        f"value {one_line(meant.value)}" if meant.value else "",
        "gives a reason" if meant.reason else "",
        f"to {one_line(meant.to)}" if meant.to else "",
        f"move {meant.move}" if meant.move != "none" else "",
        "IN TROUBLE?" if meant.trouble else "",
        f"sure {meant.confidence:.2f}",
    ]
    return [said, f"    {' · '.join(filter(None, parts))}"]


def _score(heard: Sequence[HeardLine], who: str | None, *, as_json: bool) -> None:
    from eduverse_mesa.runs.hearing import labellers, score_heard
    from eduverse_mesa.visualization.reports.hearing import score_report

    known = labellers([one.line for one in heard])
    whose = who or (known[0] if known else "nobody")
    languages = sorted({one.decision.language for one in heard})
    scores = {"": score_heard(heard, whose)}
    if len(languages) > 1:
        scores |= {
            language: score_heard([one for one in heard if one.decision.language == language], whose)
            for language in languages
        }
    if as_json:
        print_json({language or "all": measured for language, measured in scores.items()})
    else:
        print_report(score_report(scores, whose))


def _train(file: Path, written: Mapping[str, Sequence[Line]], out: Path, *, letters: bool, as_json: bool) -> int:
    from eduverse_mesa.runs.hearing import read_unseen, train_ear

    told = train_ear(written, out, by_letters=letters, unseen=read_unseen(file))
    if as_json:
        print_json(told)
    else:
        typer.echo(f"An ear was trained on {told['lines']} lines by {told['writers']} writers: {out}")
    return 0
