"""What the documents say is so: files validate, code runs, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from eduverse_mesa.cli.main import app
from eduverse_mesa.measures import REAL_CLASS_MEASURES
from eduverse_mesa.scenarios import check_file

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def names(page: Path) -> str:
    return str(page.relative_to(ROOT))


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.mark.parametrize("page", with_blocks("yaml"), ids=names)
def test_files_in_documents_are_valid(page: Path, tmp_path: Path) -> None:
    for number, body in enumerate(blocks(page, "yaml")):
        file = tmp_path / f"block_{number}.yaml"
        file.write_text(body, encoding="utf-8")
        assert check_file(file)


@pytest.mark.parametrize("page", with_blocks("python"), ids=names)
def test_code_in_documents_runs(page: Path) -> None:
    space: dict[str, object] = {"__name__": "__docs__"}
    for body in blocks(page, "python"):
        exec(compile(body, names(page), "exec"), space)


def commands(page: Path) -> list[list[str]]:
    lines = [
        line for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if not kind for line in body.split("\n")
    ]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("eduverse ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=names)
def test_commands_in_documents_exist(page: Path) -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for _, name, *rest in commands(page):
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= options, (name, rest)


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_measure_is_described() -> None:
    text = (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")
    assert [name for name in REAL_CLASS_MEASURES if f"`{name}`" not in text] == []


def test_the_page_of_parameters_is_up_to_date() -> None:
    ran = subprocess.run([sys.executable, str(ROOT / "tools" / "parameters-page"), "--check"], check=False)
    assert ran.returncode == 0, "run tools/parameters-page"
