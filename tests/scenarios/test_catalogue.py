"""Lists of what is built in, and what a file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.runs.checks import check_file
from eduverse_mesa.scenarios.catalogue import describe
from eduverse_mesa.scenarios.library import KINDS, as_kind, list_names
from tests.scenarios.documents import refusal, write_all


@pytest.mark.parametrize("kind", KINDS)
def test_everything_built_in_is_described(kind: str) -> None:
    rows = describe(kind)
    assert tuple(row.name for row in rows) == list_names(as_kind(kind))
    assert rows
    assert all(row.title and row.facts and "\n" not in row.facts for row in rows)
    assert describe({"class": "classes"}.get(kind, f"{kind}s")) == rows


def test_the_default_is_described_by_its_facts() -> None:
    row = next(row for row in describe("scenario") if row.name == "first_lesson")
    assert row.facts.startswith("1 lesson, 6 students, layout lecture: ")


def test_files_are_what_they_say_or_look_like(tmp_path: Path) -> None:
    path = write_all(tmp_path)
    assert check_file(path) == "a valid scenario, 1 lesson, 3 students, layout nook: tides"
    assert check_file(tmp_path / "nook.yaml") == "a valid layout, 8 x 6 cells, 3 seats"
    for name in ("by_the_sea", "nook", "trio", "tides"):
        file = tmp_path / f"{name}.yaml"
        said = check_file(file)
        file.write_text(file.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
        assert check_file(str(file)) == said, "without its `kind`"


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    for text in ("a: 1", "- a", "kind: planet", "kind: layout"):
        path.write_text(text, encoding="utf-8")
        assert refusal(check_file, path).where.startswith(str(path))
