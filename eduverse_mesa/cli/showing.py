"""What a subcommand shows at its end, and while it works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from eduverse_mesa.cli.watching import batch_words, local_words
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import Scenario

if TYPE_CHECKING:
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.runs.play import Progress, Run

_FAILED_ANSWERS = 1
_SHOWN = 80


def print_json(document: Any) -> None:
    """One JSON document on standard output, the same bytes for the same content."""
    typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def one_line(text: str, most: int = _SHOWN) -> str:
    """What somebody else wrote, as a terminal may show it: a line, without what would steer the terminal."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text[:most])
    return shown if len(text) <= most else f"{shown}…"


def model_meter() -> str:
    """What language models have taken so far, in a few words; empty where none was asked."""
    connection = sys.modules.get("eduverse_mesa.policies.llm.connection")
    if connection is None:
        return ""
    now = connection.totals()
    if not now.requests and not now.remembered:
        return ""
    parts = [f"{now.requests} calls, {now.in_flight} out", f"{now.bill.tokens:,} tokens"]
    if now.bill.untold:
        parts.append(f"{now.bill.untold} calls of unknown cost")
    if now.remembered:
        parts.append(f"{now.remembered} remembered")
    if now.bill.usd:
        parts.append(f"{now.bill.usd:.3f} USD")
    return "; ".join(parts)


@contextmanager
def progress_line(scenario: Scenario, hide: bool) -> Iterator[Progress | None]:
    """A line on the terminal that says how far the run is; nothing where the output goes to a file."""
    if hide or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    from eduverse_mesa.visualization.words import words_in

    t = words_in(scenario.lessons[0].language)

    class ModelColumn(ProgressColumn):
        """What language models are doing at this moment: a step may take minutes."""

        def render(self, task: Task) -> Text:  # noqa: ARG002 - as rich calls it
            return Text(" ".join(filter(None, (model_meter(), local_words(), batch_words()))), style="dim")

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), ModelColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(scenario.lessons) * scenario.settings.steps)

        def show(model: ClassroomModel) -> None:
            step, number = model.state.step, model.lesson_number
            done = (number - 1) * scenario.settings.steps + min(step, scenario.settings.steps)
            told = t("report.terminal.bar", lesson=number, step=step, act=t.code(model.teacher.behaviour))
            bar.update(task, completed=done, description=told)

        yield show


def finish(run: Run, *, as_json: bool, report: Path | None, study: str | None = None) -> int:
    """Print the report or the document, write the HTML report, and return the exit code."""
    from eduverse_mesa.runs.tables import results
    from eduverse_mesa.visualization.run_view import report_tables

    if report is not None:
        write_html(run, report)
    if as_json:
        print_json(results(run))
    else:
        from eduverse_mesa.visualization.text_report import render_text
        from eduverse_mesa.visualization.words import words_in

        t = words_in(run.spec.scenario.lessons[0].language)
        typer.echo(render_text(report_tables(run)))
        if study is not None:
            typer.echo(t("report.terminal.kept", run=run.id, study=study))
        if report is not None:
            typer.echo(t("report.terminal.page", path=report))
    return exit_code(run)


def exit_code(run: Run) -> int:
    """1 when an answer has failed: the run is complete, but not all of it was decided."""
    from eduverse_mesa.runs.tables import count_outcomes

    return _FAILED_ANSWERS if count_outcomes(run)["failed"] else 0


def write_html(run: Run, path: Path) -> None:
    """Write the HTML report."""
    from eduverse_mesa.visualization.html_report import render_html
    from eduverse_mesa.visualization.run_view import report_tables

    page = render_html(report_tables(run))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EduverseError(
            f"the report cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error
