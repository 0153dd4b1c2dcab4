"""Names that users have in their files: what documents import, and the commands with their options."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

_PACKAGE = "eduverse_mesa"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
_DOTTED = re.compile(r"(?<![\w/.])eduverse_mesa(?:\.\w+)+")
_COMMANDS = re.compile(r"^Commands:\n(.*?)(?=^\S|\Z)", re.M | re.S)
_OPTION = re.compile(r"^\s+(?:-\w, )?(--[\w-]+)", re.M)


def code_of(document: Path) -> list[str]:
    """The Python code of a page or a notebook, block by block; a line for the notebook itself is left out."""
    text = document.read_text(encoding="utf-8")
    if document.suffix != ".ipynb":
        return _BLOCK.findall(text)
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return [re.sub(r"^[%!].*$", "", "".join(cell["source"]), flags=re.M) for cell in cells]


def documents(root: Path) -> list[Path]:
    """The pages and notebooks that users read."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "notebooks").glob("*.ipynb"))]


def imported(root: Path) -> list[str]:
    """Return the names that the documents import or speak of, as `module` or `module:name`."""
    found: set[str] = set()
    for document in documents(root):
        found |= set(_DOTTED.findall(_BLOCK.sub("", document.read_text(encoding="utf-8"))))
        for body in code_of(document):
            found |= set(_imports(body))
    return sorted(name for name in found if resolves(name))


def _imports(body: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(body)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == _PACKAGE:
            yield from (f"{node.module}:{one.name}" for one in node.names)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] == _PACKAGE)


def resolves(name: str) -> bool:
    """Tell whether a name can still be imported."""
    module, _, attribute = name.partition(":")
    if not module.startswith(_PACKAGE):
        return False
    try:
        found = import_module(module)
    except ImportError:
        above, _, last = module.rpartition(".")
        return not attribute and bool(above) and resolves(f"{above}:{last}")
    if not attribute or hasattr(found, attribute):
        return True
    try:
        import_module(f"{module}.{attribute}")
    except ImportError:
        return False
    return True


def options(help_of: Callable[[list[str]], str]) -> list[str]:
    """Each command with each of its options, as the help says them."""

    def walk(path: list[str]) -> Iterator[str]:
        told = help_of([*path, "--help"])
        yield from (" ".join(["eduverse", *path, option]) for option in _OPTION.findall(told))
        listed = _COMMANDS.search(told)
        for name in re.findall(r"^  (\S+)", listed[1], re.M) if listed else ():
            yield " ".join(["eduverse", *path, name])
            yield from walk([*path, name])

    return sorted(set(walk([])))


def untold(before: Sequence[str], now: Sequence[str], changelog: str) -> list[str]:
    """Complaints of names that are gone without a word in the list of changes."""
    missing = [one for one in before if one not in now and not resolves(one)]
    unnamed = [one for one in missing if one.replace(":", ".") not in changelog]
    return [f"{one} is gone, and CHANGELOG.md does not name it" for one in unnamed]
