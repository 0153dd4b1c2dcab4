"""`eduverse draft`: a lesson file from a teacher's outline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.showing import one_line
from eduverse_mesa.cli.watching import write_page

if TYPE_CHECKING:
    from eduverse_mesa.scenarios.drafting.outlines import Outline


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
    from eduverse_mesa.scenarios.drafting.outlines import read_outline
    from eduverse_mesa.scenarios.drafting.writing import write_yaml
    from eduverse_mesa.scenarios.reading import read_plain

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
    """What each line was taken for, and what is left to do: in the language of the lesson."""
    from eduverse_mesa.scenarios.drafting.confirmation import unconfirmed
    from eduverse_mesa.scenarios.drafting.documents import entries
    from eduverse_mesa.visualization.columns import left as padded
    from eduverse_mesa.visualization.words import words_in
    from eduverse_mesa.visualization.words.titles import line_said

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
