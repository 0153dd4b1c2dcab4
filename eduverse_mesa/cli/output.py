"""Output of a subcommand, at its end and while it works."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.scenarios import Scenario

if TYPE_CHECKING:
    import pandas as pd

    from eduverse_mesa.experiments.engines import Engine
    from eduverse_mesa.models.classroom import ClassroomModel
    from eduverse_mesa.policies.llm.local import LocalProgress
    from eduverse_mesa.runs.classroom import Progress, Run
    from eduverse_mesa.visualization.reports.document import Report
    from eduverse_mesa.visualization.words import Words


def local_engine(workers: int | None) -> Engine:
    """This process, or some of this machine."""
    from eduverse_mesa.experiments.engines import make_engine

    return make_engine("serial") if workers == 1 else make_engine("processes", workers)


@contextmanager
def trials_line(what: str, total: int | None, hide: bool) -> Iterator[Callable[[int], None] | None]:
    """A line on the terminal with what is done of a total; nothing where the output goes to a file."""
    if hide or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class BatchColumn(ProgressColumn):
        """Column with what the server says of the batches that are waited for."""

        def render(self, task: Task) -> Text:  # noqa: ARG002 - as rich calls it
            return Text(batch_words(), style="dim")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), BatchColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


_SECONDS = 10.0
"""Seconds between two looks at the model on this machine: it takes a look for a caller who is still there."""


@contextmanager
def local_lines(policy: str, language: str, *, hide: bool, bar: bool) -> Iterator[None]:
    """Lines on standard error that say what the model on this machine does, where a policy asks it. Where a `bar` says
    how far the run is, they stand in it."""
    from eduverse_mesa.policies.registry import policy_parts

    if hide or "local" not in policy_parts(policy).values():
        yield
        return
    over = threading.Event()
    shown = bar and sys.stderr.isatty()
    thread = threading.Thread(target=_say_local, args=(over, shown, language), name="local lines", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _LOCAL.clear()


_LOCAL: list[str] = []
"""Words on the work of the model on this machine, while they are shown in a bar."""


def local_words() -> str:
    """Return the words on the work of the model on this machine; empty where it does nothing, or nobody looks."""
    return _LOCAL[-1] if _LOCAL else ""


def _say_local(over: threading.Event, in_bar: bool, language: str) -> None:
    from eduverse_mesa.policies.llm.local import local_progress
    from eduverse_mesa.visualization.words import words_in

    said = ""
    while not over.wait(_SECONDS):
        words = local_text(local_progress(), words_in(language))
        if in_bar:
            _LOCAL[:] = [words]
        elif words and words != said:
            typer.echo(words, err=True)
        said = words


def local_text(now: LocalProgress, t: Words) -> str:
    """Return a line on the work of the model on this machine; empty where it does nothing."""

    def at_speed(doing: str, speed: float) -> str:
        return t("report.terminal.local.speed", doing=doing, speed=f"{speed:,.0f}") if speed else doing

    parts = [t("report.terminal.local.loading", model=now.loading)] if now.loading else []
    if now.reading:
        parts.append(at_speed(t("report.terminal.local.reading", n=f"{now.reading:,}"), now.reading_speed))
    if now.writing:
        doing = t("report.terminal.local.writing", n=now.writing, tokens=f"{now.written:,}")
        parts.append(at_speed(doing, now.writing_speed))
    return t("report.terminal.local.line", doing=t["report.terminal.local.and"].join(parts)) if parts else ""


def batch_words() -> str:
    """Return the server's words on the batches that are waited for; empty where there are none."""
    batches = sys.modules.get("eduverse_mesa.policies.llm.calling.batches")
    return "" if batches is None else str(batches.batch_words())


def batches_left() -> str:
    """Return the words on batches that are out, for the person who has stopped the command; empty where there are
    none."""
    batches = sys.modules.get("eduverse_mesa.policies.llm.calling.batches")
    left = () if batches is None else batches.open_batches()
    if not left:
        return ""
    which = f"Batch {left[0]} stays" if len(left) == 1 else f"{len(left)} batches stay"
    return f" {which} at the server, and will be found there: nothing is paid twice."


@contextmanager
def batch_lines(*, show: bool) -> Iterator[None]:
    """Lines on standard error that say what the server says of batches; where a terminal shows a bar, it says so."""
    if not show or sys.stderr.isatty():
        yield
        return
    from eduverse_mesa.policies.llm.calling.batches import telling

    with telling(partial(typer.echo, err=True)):
        yield


def write_tables(tables: Mapping[str, pd.DataFrame], out: Path) -> None:
    """Write tables as Parquet files of their names; a file is there as a whole, or not at all."""
    from eduverse_mesa.experiments.folders import writing_whole

    for name, table in tables.items():
        with writing_whole(out / f"{name}.parquet") as part:
            table.to_parquet(part, index=False)


def write_page(page: str, path: Path) -> None:
    """Write a page that was made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EduverseError(
            f"the page cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error


_FAILED_ANSWERS = 1
_SHOWN = 80


def print_json(document: Any) -> None:
    """One JSON document on standard output, the same bytes for the same content."""
    typer.echo(json_text(document))


def json_text(document: Any) -> str:
    """Return a document as JSON, as it is printed and kept."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def one_line(text: str, most: int = _SHOWN) -> str:
    """Return foreign text as a terminal may show it: one line, without characters that would steer the terminal."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text[:most])
    return shown if len(text) <= most else f"{shown}…"


def model_meter() -> str:
    """Return what language models have taken so far, in a few words; empty where none was asked."""
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
        """Column with what language models are doing at this moment: a step may take minutes."""

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


def tell(
    report: Report, document: Any = None, *, as_json: bool = False, page: Path | None = None, kept: str = ""
) -> None:
    """Write the page of a report where one is wanted, and print the document or the report, with the places where
    things are kept."""
    from eduverse_mesa.visualization.words import load_words

    if page is not None:
        write_report(report, page)
    if as_json:
        print_json(document)
        return
    print_report(report)
    t = load_words(report.language)
    places = [kept, t("report.terminal.page", path=page) if page is not None else ""]
    if told := list(filter(None, places)):
        typer.echo("\n" + "\n".join(told))


def write_report(report: Report, path: Path) -> None:
    """Write a report as a page."""
    from eduverse_mesa.visualization.reports.page import render_page

    write_page(render_page(report), path)


def print_report(report: Report) -> None:
    """Print a report, as wide as the terminal."""
    from eduverse_mesa.visualization.reports.text import render_text

    typer.echo(render_text(report, _width()))


_NARROWEST, _WIDEST = 60, 140
"""Columns of a terminal for which a report is laid out."""


def _width() -> int:
    """Return the width of the terminal; a file is as wide as the renderer has it."""
    from eduverse_mesa.visualization.reports.text import WIDTH

    if not sys.stdout.isatty():
        return WIDTH
    return min(max(get_terminal_size().columns, _NARROWEST), _WIDEST)


def finish(run: Run, *, as_json: bool, report: Path | None, study: str | None = None) -> int:
    """Print the report of a run or its document, write its page, and return the exit code."""
    from eduverse_mesa.visualization.reports.run import report_tables, run_report
    from eduverse_mesa.visualization.words import words_in

    tables = report_tables(run)
    t = words_in(run.spec.scenario.lessons[0].language)
    kept = t("report.terminal.kept", run=run.id, study=study) if study is not None else ""
    tell(run_report(tables), tables.results, as_json=as_json, page=report, kept=kept)
    return exit_code(run)


def exit_code(run: Run) -> int:
    """1 when an answer has failed: the run is complete, but not all of it was decided."""
    from eduverse_mesa.runs.tables import count_outcomes

    return _FAILED_ANSWERS if count_outcomes(run)["failed"] else 0


def on_terminal() -> Callable[[str], object] | None:
    """Say something on a terminal; None where there is none, but a file, a pipe or a service's log."""
    for stream in (sys.stdout, sys.stderr):
        if stream.isatty():
            return partial(typer.echo, file=stream)
    return None
