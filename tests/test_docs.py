"""What the documents say is so: files validate, code runs, commands exist, links lead somewhere."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from eduverse_mesa.cli.commands import app
from eduverse_mesa.cli.scenarios import check
from eduverse_mesa.measures import REAL_CLASS_MEASURES
from eduverse_mesa.measures.reference import load_reference
from tests.experiments.calibration.kit import shorten_fits

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
KNOWN = typer.main.get_command(app).commands  # type: ignore[attr-defined]
SHELLS = ("", "sh", "bash", "shell", "console")
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
        assert check(file)


@pytest.mark.parametrize("page", with_blocks("python"), ids=names)
def test_code_in_documents_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what it writes is not left beside the code
    shorten_fits(monkeypatch)
    space: dict[str, object] = {"__name__": "__docs__"}
    for body in blocks(page, "python"):
        exec(compile(body, names(page), "exec"), space)


def commands(page: Path) -> list[list[str]]:
    """The command lines in fences that are no program or file, whatever shell they name."""
    fences = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [line for kind, body in fences if kind in SHELLS for line in body.split("\n")]
    lines = [line.removeprefix("$ ") for line in lines]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("eduverse ")]


def mentions(page: Path) -> list[list[str]]:
    """The commands spoken of in the text, which may hold placeholders."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [shlex.split(said) for said in re.findall(r"`(eduverse [^`]+)`", text)]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=names)
def test_commands_in_documents_parse(page: Path) -> None:
    for _, name, *rest in commands(page):
        assert name in KNOWN, name
        KNOWN[name].make_context(name, rest)  # a missing argument, or an option that does not exist, raises


@pytest.mark.parametrize("page", [page for page in PAGES if mentions(page)], ids=names)
def test_commands_in_texts_exist(page: Path) -> None:
    for _, name, *rest in mentions(page):
        assert name in KNOWN, name
        command = KNOWN[name]
        if rest and rest[0] in getattr(command, "commands", {}):
            command = command.commands[rest[0]]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= options, (name, rest)


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_measure_is_described() -> None:
    text = (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")
    assert [name for name in REAL_CLASS_MEASURES if f"`{name}`" not in text] == []


def test_the_citation_says_what_the_project_says() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for key in ("license", "authors", "keywords"):
        assert citation[key] == project[key]
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title"} <= citation.keys()


def test_the_page_counts_the_rows_of_the_paper_right() -> None:
    rates = load_reference(ROOT / "eduverse_mesa" / "scenarios" / "reference" / "irf.csv").query("setting != 'real'")
    said = f"In {(rates['irf'] > rates['i']).sum()} of its {len(rates)} simulated rows the IRF rate exceeds"
    assert said in (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")


def test_the_page_of_parameters_is_up_to_date() -> None:
    ran = subprocess.run([sys.executable, str(ROOT / "tools" / "parameters-page"), "--check"], check=False)
    assert ran.returncode == 0, "run tools/parameters-page"


@pytest.mark.parametrize("name", ["rooms", "peers"])
def test_the_guide_shows_the_built_in_sweeps_as_they_are(name: str) -> None:
    built_in = yaml.safe_load((ROOT / f"eduverse_mesa/experiments/sweeps/examples/{name}.yaml").read_text("utf-8"))
    guide = map(yaml.safe_load, blocks(ROOT / "docs/guides/sweeps.md", "yaml"))
    [shown] = [block for block in guide if block.get("name") == name]
    assert {"title": built_in["title"], **shown} == built_in


# --- the pages for whoever changes something ---

PACKAGE = ROOT / "eduverse_mesa"
GUIDES = [ROOT / "docs" / "design" / name for name in ("where.md", "glossary.md")]
NAMED_FILE = re.compile(r"`([\w./-]+/[\w.-]+|[\w-]+\.(?:py|yaml|md))`")


def rows(page: Path) -> list[list[str]]:
    """The rows of the page's table, without its head."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def file_called(name: str) -> Path | None:
    """The file or folder of this name, in the package or beside it."""
    return next((place / name for place in (PACKAGE, ROOT) if (place / name).exists()), None)


def names_in(path: Path) -> set[str]:
    """What can be named in a file: definitions of a module, keys of a YAML file, words of any other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return set(_defined(ast.parse(text)))
    return set(_keys(yaml.safe_load(text))) if path.suffix == ".yaml" else set(re.findall(r"\w+", text))


def _defined(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (one.asname or one.name for one in names)


def _keys(data: Any, before: str = "") -> Iterator[str]:
    for key, value in data.items() if isinstance(data, dict) else ():
        yield f"{before}{key}"
        yield from _keys(value, f"{before}{key}.")


def named_in(cell: str) -> dict[str, list[str]]:
    """The files of a cell, each with the names that it is to hold: `` `file`: `name`, `name`; `file`: `name` ``."""
    parts = [part.split(": ", 1) for part in cell.split("; ")]
    return {file.strip("`"): [name.strip("`") for name in names.split(", ")] for file, names in parts}


def lacking(page: Path) -> list[tuple[str, str]]:
    """The names of the table's second column that their files do not hold."""
    return [
        (file, name)
        for row in rows(page)
        for file, wanted in named_in(row[1]).items()
        for name in wanted
        if (path := file_called(file)) is None or name not in names_in(path)
    ]


MOST_FILES = 3
"""Files of the package that have to be changed by hand for one of the requests."""


def test_the_table_of_places_names_what_there_is() -> None:
    assert len(rows(GUIDES[0])) >= 30
    assert lacking(GUIDES[0]) == []


def test_a_change_begins_in_three_files_at_most() -> None:
    assert [row[0] for row in rows(GUIDES[0]) if len(named_in(row[1])) > MOST_FILES] == []


def test_a_name_that_is_gone_is_found(tmp_path: Path) -> None:
    page = tmp_path / "where.md"
    head = "| I want | files | then |\n|---|---|---|\n"
    gone = "| x | `vocabulary/__init__.py`: `EMOTIONS`, `FEELINGS`; `no/such.py`: `it` | |\n"
    page.write_text(head + gone + "| y | `visualization/words/zh/classroom.yaml`: `lesson.begin`, `lesson.no` | |\n")
    assert lacking(page) == [
        ("vocabulary/__init__.py", "FEELINGS"),
        ("no/such.py", "it"),
        ("visualization/words/zh/classroom.yaml", "lesson.no"),
    ]


def test_the_glossary_says_where_each_word_lives() -> None:
    words = rows(GUIDES[1])
    assert len(words) >= 40
    assert [row[0] for row in words if not NAMED_FILE.findall(row[2])] == []
    terms = [row[0].casefold() for row in words]
    assert terms == sorted(terms)


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/design").glob("*.md"))], ids=names)
def test_files_in_the_pages_for_developers_exist(page: Path) -> None:
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    made = {"out/"}  # there only when somebody has used it
    known = [name for name in NAMED_FILE.findall(text) if name not in made]
    assert known
    assert [name for name in known if file_called(name) is None and ("/" in name or not any(PACKAGE.rglob(name)))] == []


def test_the_floors_are_those_that_are_checked() -> None:
    """The table in CONTRIBUTING.md and the first contract of import-linter, from above."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    floors = [set(re.findall(r"\((\w+)\)", layer)) for layer in contracts[0]["layers"]]
    table = [row for row in rows(ROOT / "CONTRIBUTING.md") if row[0].isdecimal()]
    assert [set(re.findall(r"`(\w+)`", row[1])) for row in table] == [
        floor for floor in floors if floor != {"__main__"}
    ]
    assert [int(row[0]) for row in table] == list(range(len(table), 0, -1))
    text = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert [one["name"] for one in contracts if f"*{one['name']}*" not in text] == []
