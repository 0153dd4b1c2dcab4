"""`eduverse validate`, `show`, `schema`, `list` and `draft`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eduverse_mesa.cli.options import AsJson, PageFile
from eduverse_mesa.cli.output import one_line, print_json, tell, write_page

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafts.outlines import Outline

_NAME = 24
"""Columns of a name in a list, where none is longer."""


def validate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Scenario, layout, class, lesson, problem or sweep files.")
    ],
) -> int:
    """Check files, and say for each mistake where it is and how to mend it."""
    from eduverse_mesa.errors import EduverseError

    wrong = 0
    for file in files:
        try:
            typer.echo(f"{file}: {check(file)}")
        except EduverseError as error:
            wrong += 1
            typer.echo(f"error: {error}", err=True)
    return 2 if wrong else 0


def check(file: Path) -> str:
    """Return the description of a valid file in a few words: any document, or a sweep."""
    from eduverse_mesa.experiments.sweeps.document import built_in_sweeps, is_sweep
    from eduverse_mesa.runs.checks import check_file
    from eduverse_mesa.scenarios.files import read_file
    from eduverse_mesa.scenarios.library import all_names

    if is_sweep(read_file(file, (*all_names(), *built_in_sweeps()))):
        from eduverse_mesa.experiments.sweeps.plan import plan_sweep, state_facts

        return f"a valid sweep, {state_facts(plan_sweep(file))}"
    return check_file(file)


def show(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem's file, or the name of a built-in one.")],
    out: PageFile = None,
) -> None:
    """Show a mathematics problem as it works out, and where each misconception leads."""
    from eduverse_mesa.scenarios.loader import load_problem
    from eduverse_mesa.visualization.reports.groups import problem_report

    tell(problem_report(load_problem(problem)), page=out)


def schema(
    kind: Annotated[str, typer.Argument(help="scenario, layout, class, lesson, problem or sweep")] = "scenario",
) -> None:
    """Print the JSON Schema of a kind of file, for an editor that completes and checks while you write."""
    from eduverse_mesa.scenarios import schema as schema_of
    from eduverse_mesa.scenarios.schema import schema_of_model

    if _kind(kind, ("sweep",)) == "sweep":
        from eduverse_mesa.experiments.sweeps.document import Sweep

        print_json(schema_of_model(Sweep))
        return
    print_json(schema_of(kind))


def _kind(word: str, more: Sequence[str]) -> str:
    """The kind of document that a word means, or one of some other things that may stand in its place."""
    from eduverse_mesa.errors import ScenarioError
    from eduverse_mesa.scenarios.library import KINDS, as_kind
    from eduverse_mesa.scenarios.problems import suggest

    if word in more:
        return word
    try:
        return as_kind(word)
    except ScenarioError as error:
        known = (*KINDS, *more)
        mend = f"{suggest(word, known)}Kinds: {', '.join(known)}."
        raise ScenarioError(error.message, mend=mend) from None


def show_list(
    what: Annotated[
        str | None, typer.Argument(help="layouts, lessons, problems ...; or a study. Left out: all built-ins.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is built in, or the runs of a study."""
    from rich.cells import cell_len

    from eduverse_mesa.errors import StudyError
    from eduverse_mesa.scenarios import KINDS, describe
    from eduverse_mesa.visualization.reports.text import left

    if what is not None and ("://" in what or Path(what).is_file()):
        _list_runs(what, as_json)
        return
    if what is not None and (Path(what).suffix or len(Path(what).parts) > 1):
        mend = f"Check the path, or name what is built in: {', '.join(KINDS)}."
        raise StudyError("there is no such study.", where=what, mend=mend)
    found = {name: describe(_kind(name, ())) for name in ([what] if what else list(KINDS))}
    if as_json:
        print_json({name: [row._asdict() for row in rows] for name, rows in found.items()})
        return
    for name, rows in found.items():
        typer.echo(f"{name}:")
        longest = max((cell_len(row.name) for row in rows), default=0)
        for row in rows:
            typer.echo(f"  {left(row.name, max(longest, _NAME))} {row.facts}")


def _list_runs(study: str, as_json: bool) -> None:
    from eduverse_mesa.runs.studies import open_study
    from eduverse_mesa.store.accounts import all_accounts

    with open_study(study, read_only=True) as opened:
        rows = opened.overview()
        people = all_accounts(opened.study)
    if as_json:
        print_json(rows)
        return
    if not rows:
        accounts = f", and {len(people)} accounts: eduverse mathvc serve --study {quote(study)}" if people else ""
        typer.echo(f"No runs yet{accounts}.")
    for row in rows:
        origin = f", forked from {row['parent']} at {row['forked_at']}" if row["parent"] else ""
        title = f"'{one_line(row['title'])}', " if row["title"] else ""
        stands = _stands(study, row)
        typer.echo(f"{row['run']}  {title}{stands}, seed {row['seed']}, {_what(row)}{_rules(row)}{origin}")


def _stands(study: str, row: Mapping[str, Any]) -> str:
    """How far a run is. One that says that it is running may have been killed: then nobody holds it."""
    from eduverse_mesa.runs.open_runs import is_held

    if row["status"] != "running" or is_held(study, row["run"]):
        return str(row["status"])
    return "killed, unless another machine plays it"


def _rules(row: Mapping[str, Any]) -> str:
    """By which rules a run was played, where they are not those of this version."""
    from eduverse_mesa.runs.rule_versions import RULES

    if row["rules"] == RULES[row["kind"]]:
        return ""
    return f", rules {row['rules']}" if row["rules"] else ", rules not known"


def _what(row: Mapping[str, Any]) -> str:
    """Return the content of a run in a few words."""
    if row["kind"] == "course":
        return f"layout {row['layout']}"
    if row["kind"] == "tutoring":
        return f"learners of {row['curriculum']}"
    return f"{', '.join(row['peers'])} on {', '.join(row['problems'])}"


def draft(
    outline: Annotated[
        Path, typer.Argument(metavar="OUTLINE", help="The outline: text, Markdown or a table, in English or Chinese.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The lesson file to write; default: the outline's name, .yaml.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the lesson, where the outline has none.")] = "",
) -> int:
    """Write a lesson file from an outline, and list what is left to confirm before it can be run."""
    from eduverse_mesa.errors import ScenarioError
    from eduverse_mesa.scenarios.drafts.documents import write_yaml
    from eduverse_mesa.scenarios.drafts.outlines import read_outline
    from eduverse_mesa.scenarios.files import read_plain

    target = out or outline.with_suffix(".yaml")
    text = read_plain(outline, "Save the outline as plain text, Markdown or CSV with UTF-8 encoding.")
    if out is None and target.exists():
        mend = "Name another file with --out, or that one, if it is to be replaced."
        raise ScenarioError("this file is there already.", where=str(target), mend=mend)
    if target.suffix not in (".yaml", ".yml"):
        raise ScenarioError("a lesson file ends in .yaml.", where=str(target), mend="Name it so with --out.")
    try:
        read = read_outline(text, _name(target), title)
    except ScenarioError as error:
        raise ScenarioError(error.message, where=str(outline), mend=error.mend) from None
    write_page(write_yaml(read.lesson), target)
    _tell(read, target)
    return 0


def _name(target: Path) -> str:
    """The name of a lesson in a file: the file's, of letters and digits."""
    return re.sub(r"\W+", "_", target.stem).strip("_")[:60] or "outline"


def _tell(read: Outline, target: Path) -> None:
    """Print what each line was taken for, and what is left to do: in the language of the lesson."""
    from eduverse_mesa.scenarios.drafts.documents import entries
    from eduverse_mesa.scenarios.drafts.lessons import unconfirmed
    from eduverse_mesa.visualization.reports.text import left as padded
    from eduverse_mesa.visualization.words import words_in
    from eduverse_mesa.visualization.words.labels import line_said

    t = words_in(str(read.lesson.get("language")))
    for line in read.lines:
        note = f" ({t(f'design.outline.{line.note}')})" if line.note else ""
        typer.echo(f"{line.number:>4}  {padded(line_said(line.taken_for, t) + note, 28)} {one_line(line.text)}")
    left = list(zip(entries(read.lesson, ("unconfirmed",)), unconfirmed(read.lesson), strict=True))
    command = f"eduverse run --lesson {target}"
    typer.echo(f"\n{t('report.draft.lesson', path=target)}")
    if not left:
        typer.echo(f"{t('report.draft.nothing')}  ({command})")
        return
    typer.echo(t("report.draft.left", n=len(left)))
    for mark, (_, said) in left:
        typer.echo(f"  {mark!s:<26} {one_line(said) or t('report.draft.to_fill')}")
    typer.echo(t("report.draft.how", path=target, command=command))
