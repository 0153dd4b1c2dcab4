"""What experiments share: who plays them, a line that says how far they are, and the page they write."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eduverse_mesa.errors import EduverseError

if TYPE_CHECKING:
    from eduverse_mesa.experiments.engines import Engine


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
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def write_page(page: str, path: Path) -> None:
    """Write a page that was made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EduverseError(
            f"the page cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error
