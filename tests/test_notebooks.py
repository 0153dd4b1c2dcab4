"""Every notebook runs from top to bottom, as a reader would run it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EMPTIED = """%reset -f
import os
os.chdir({folder!r})
del os
"""


def _alone(path: Path) -> list[pytest.MarkDecorator]:
    """Tests that serve a model take turns: two of them on the same cores starve each other."""
    return [pytest.mark.xdist_group("local-model")] if "local" in path.stem else []


@pytest.fixture(scope="module")
def kernel() -> Iterator[NotebookClient]:
    """One for all notebooks, emptied before each: to load the libraries took a third of their time."""
    import nbformat
    from jupyter_core.utils import ensure_event_loop
    from nbclient import NotebookClient

    client = NotebookClient(nbformat.v4.new_notebook(), timeout=300, kernel_name="python3")
    with client.setup_kernel():
        yield client
    asyncio.set_event_loop(None)
    ensure_event_loop().close()  # the client has opened it, and leaves it open


@pytest.mark.parametrize("path", [pytest.param(path, marks=_alone(path), id=path.stem) for path in NOTEBOOKS])
def test_the_notebook_runs(path: Path, tmp_path: Path, kernel: NotebookClient) -> None:
    import nbformat

    kernel.nb = nbformat.read(path, as_version=4)
    # In a folder of its own: what a notebook writes stays out of the repository.
    kernel.nb.cells.insert(0, nbformat.v4.new_code_cell(EMPTIED.format(folder=str(tmp_path))))
    kernel.reset_execution_trackers()
    for place, cell in enumerate(kernel.nb.cells):
        kernel.execute_cell(cell, place)
