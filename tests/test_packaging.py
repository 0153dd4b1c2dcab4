"""The lists that must agree: what the project needs, what is pinned, what is explained, what is shipped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, version
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import eduverse_mesa

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME = PROJECT["project"]["dependencies"]
NOTEBOOK = PROJECT["project"]["optional-dependencies"]["notebook"]
EXTRAS = [
    text
    for extra in ("anthropic", "app", "experiments", "hearing", "llm", "local", "postgres", "ray")
    for text in PROJECT["project"]["optional-dependencies"][extra]
    if not text.startswith("eduverse-mesa[")
]
DEV = PROJECT["dependency-groups"]["dev"]
LOCKS = {"runtime.txt": RUNTIME, "dev.txt": [*RUNTIME, *EXTRAS, *DEV], "notebook.txt": [*RUNTIME, *NOTEBOOK]}


def pins(lock: str) -> list[Requirement]:
    """The pinned packages of a lock file, each with the interpreters it is for."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return [Requirement(line.rstrip(" \\")) for line in text.splitlines() if re.match(r"\w", line)]


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


@pytest.mark.parametrize(("lock", "wanted"), LOCKS.items(), ids=LOCKS)
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_the_lock_holds_what_the_project_asks_for(lock: str, wanted: list[str], python: str) -> None:
    here = {"python_version": python, "python_full_version": f"{python}.7"}
    valid = [pin for pin in pins(lock) if pin.marker is None or pin.marker.evaluate(here)]
    pinned = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in valid}
    assert len(pinned) == len(valid), "a package is pinned twice for one interpreter"
    missing = [
        text
        for text in wanted
        if not Requirement(text).specifier.contains(pinned.get(canonicalize_name(Requirement(text).name), "0"))
    ]
    assert missing == [], "run `make lock`"


@pytest.mark.parametrize("lock", ["dev.txt", "notebook.txt"])
def test_the_locks_agree_on_what_the_package_runs_on(lock: str) -> None:
    # What runs on one system only may be needed on all of them by the tools: it is the version that has to agree.
    def versions(name: str) -> set[str]:
        return {f"{pin.name}{pin.specifier}" for pin in pins(name)}

    assert versions("runtime.txt") <= versions(lock)


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_names_no_place(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    assert re.findall(r"(?m)://|@ |^-|\s/\w+", text) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_hashed(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=\w)", text)[1:]
    assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_contributing_explains_each_dependency_and_no_other() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    explained = re.findall(r"(?m)^- ((?:`[\w-]+`(?:, )?)+): \S", section)
    found = [canonicalize_name(name) for line in explained for name in re.findall(r"`([\w-]+)`", line)]
    assert sorted(found) == sorted(set(chain(names(RUNTIME), names(NOTEBOOK), names(EXTRAS), names(DEV))))


def test_the_package_is_installed_as_it_is_here() -> None:
    assert version("eduverse-mesa") == eduverse_mesa.__version__
    assert entry_points(group="console_scripts")["eduverse"].value == "eduverse_mesa.cli:main"
    assert (Path(eduverse_mesa.__file__).parent / "py.typed").is_file()


@pytest.mark.xdist_group("kept")
def test_tests_of_a_group_are_kept_together(request: pytest.FixtureRequest) -> None:
    """All pass where they are not, but each process starts the servers and browsers of all: the suite takes longer."""
    together = request.config.getoption("loadgroup", False)
    assert request.node.nodeid.endswith("@kept") == together, "pytest and pytest-xdist do not fit"


def test_what_failed_in_a_group_is_found_again(tmp_path: Path) -> None:
    """Else the second try of `.ci/run` is the whole suite, in one process."""
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_sessionfinish\n")
    (tmp_path / "test_both.py").write_text(
        "import pytest\npytestmark = pytest.mark.xdist_group('browser-one')\n"
        "@pytest.mark.parametrize('name', ['a', 'b@c'])\ndef test_bad(name): assert not name\ndef test_good(): pass\n"
    )

    def tried(*flags: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", *flags]
        given = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, check=False).stdout

    assert "2 failed, 1 passed in" in tried("-n", "1", "--dist", "loadgroup")
    assert "2 failed in" in tried("-n", "0", "--last-failed")
