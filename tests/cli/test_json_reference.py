"""docs/reference/json.md knows every field of real documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import call

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"


def fields(value: Any) -> Iterator[str]:
    """Every key of a document, at every depth."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from fields(part)
    elif isinstance(value, list):
        for part in value:
            yield from fields(part)


def unexplained(document: Any) -> set[str]:
    """The fields of a document that the page does not speak of."""
    page = PAGE.read_text(encoding="utf-8")
    return {name for name in fields(document) if f"`{name}`" not in page}


def test_every_field_is_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    study = tmp_path / "a.study"
    run = call(capsys, "run", "--steps", "8", "-q", "--json", "--out", study).document
    fork = call(capsys, "fork", study, "--at", "2", "--act", "lecturing", "--json").document
    call(capsys, "export", study, run["run"], "--format", "transcript", "--out", tmp_path / "t")
    measured = call(capsys, "measure", *(tmp_path / "t").iterdir(), "--json").document
    assert run["network"]["students"], "a run without exchanges shows nothing of their fields"
    difference = fork.pop("difference")
    known = {*fields(run), *fields(fork), *fields(measured), "difference", *fields(list(difference.values()))}
    assert len(known) > 50
    assert {name for name in known if f"`{name}`" not in page} == set()
    for dotted in difference:
        parts = dotted.split(".")
        assert f"`{parts[0]}`" in page
        assert f"`{parts[-1]}`" in page


def test_a_comparison_of_tutors_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--units", "2-LS2-1", "--visits", "1", "--grade", "2", "--learners", "9", "--json")
    document = call(capsys, "tutor", "compare", "built-in", "built-in", *small).document
    assert document["first"]["gaps"], "who does not differ shows nothing of these fields"
    assert unexplained(document) == set()
