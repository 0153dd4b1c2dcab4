"""What import-linter cannot see: how light the package's door is, and how long its files are.

The arrows between the rooms are import-linter's contracts (pyproject.toml); `make lint` checks them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import eduverse_mesa

PACKAGE = Path(eduverse_mesa.__file__).parent
HEAVY = frozenset(
    {"altair", "mesa", "networkx", "openai", "openpyxl", "pandas", "pint", "pyarrow", "ray", "scipy", "solara"}
    | {"sqlalchemy", "vl_convert"}
)
LONGEST_FILE = 700  # CONTRIBUTING.md, "Style"


def heavy_after(statement: str) -> set[str]:
    """The heavy libraries that a fresh interpreter holds after the statement."""
    script = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    return set(loaded.split()) & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert heavy_after("import eduverse_mesa") == set()


def test_agents_of_other_models_bring_no_classroom_along() -> None:
    assert heavy_after("import eduverse_mesa.llm") == set()


def test_a_report_loads_what_it_counts_with_and_no_charts_before_one_is_drawn() -> None:
    loaded = heavy_after("import eduverse_mesa.visualization.reports.run, sqlalchemy")
    assert loaded >= {"mesa", "pandas", "sqlalchemy"}
    assert "altair" not in loaded


def test_no_file_of_the_package_is_too_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert lengths
    assert {str(path): length for path, length in lengths.items() if length > LONGEST_FILE} == {}
