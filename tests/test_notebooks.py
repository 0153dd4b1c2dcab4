"""Every notebook runs from top to bottom, as a reader would run it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def _alone(path: Path) -> list[pytest.MarkDecorator]:
    """Tests that serve a model take turns: two of them on the same cores starve each other."""
    return [pytest.mark.xdist_group("local-model")] if "local" in path.stem else []


@pytest.mark.parametrize("path", [pytest.param(path, marks=_alone(path), id=path.stem) for path in NOTEBOOKS])
def test_the_notebook_runs(path: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    # In a folder of its own: what a notebook writes stays out of the repository.
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
