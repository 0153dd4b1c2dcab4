"""Places of documents: beside the file that names them, or built in."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import files as files_module
from eduverse_mesa.scenarios.files import SUFFIXES, mend_path, read_file, read_resource
from eduverse_mesa.scenarios.plain import Reading

Kind = Literal[
    "layout", "class", "lesson", "scenario", "subject", "curriculum", "cohort", "tutoring", "problem", "collaboration"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
FOLDERS: dict[Kind, str] = {
    "layout": "layouts",
    "class": "classes",
    "lesson": "lessons",
    "scenario": "courses",
    "subject": "subjects",
    "curriculum": "curricula",
    "cohort": "cohorts",
    "tutoring": "tutorials",
    "problem": "mathematics",
    "collaboration": "collaborations",
}
_SHELF = "eduverse_mesa.scenarios"
_NAME = re.compile(r"\w[\w .+-]{0,79}")


class Found(NamedTuple):
    """The file of a document: the user's own, or one of the package."""

    file: Path | Traversable
    label: str
    built_in: tuple[str, ...] = ()
    """Names that could have been meant, where the file is not there."""

    @property
    def beside(self) -> Path | None:
        """The user's own file, beside which what it names is looked for."""
        return self.file if isinstance(self.file, Path) else None

    def read(self) -> Reading:
        if isinstance(self.file, Path):
            return read_file(self.file, self.built_in)
        return read_resource(self.file, self.label)


class _BuiltIn(Found):
    """One of the package's files, which may be a path too, but is never what a user pointed at."""

    @property
    def beside(self) -> None:
        return None

    def read(self) -> Reading:
        return read_resource(self.file, self.label)


def as_kind(word: str) -> Kind:
    """The kind that a word means, in the singular or the plural."""
    folded = word.strip().casefold()
    for kind in KINDS:
        if folded in (kind, f"{kind}s", f"{kind}es", FOLDERS[kind]):
            return kind
    raise ScenarioError(f"there is no kind of document '{word[:80]}'.", mend=f"Kinds: {', '.join(KINDS)}.")


def list_names(kind: Kind) -> tuple[str, ...]:
    """The names of the built-in documents of a kind, sorted."""
    folder = files(_SHELF).joinpath(FOLDERS[kind])
    if not folder.is_dir():
        return ()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


def all_names() -> tuple[str, ...]:
    """The names of all built-in documents."""
    return tuple(name for kind in KINDS for name in list_names(kind))


def find(kind: Kind, name: str, beside: Path | None = None, *, where: str = "") -> Found:
    """The file of a document; `where` is the place that names it, for the message if there is none.

    A name is looked for as NAME.yaml in the folder of the file `beside`, then among the built-in documents. A path
    (it ends in .yaml, or .csv for a class list, or has a slash) is taken from the folder of the file `beside`, which it
    may not leave; without such a file it is the user's own word and may lead anywhere.
    """
    if is_path(name):
        path = Path(name) if beside is None else _inside(beside, name, where)
        if beside is not None and not _is_file(path):
            raise ScenarioError(f"there is no file '{path}'.", where=where, mend=mend_path(path, list_names(kind)))
        return Found(path, str(path), list_names(kind))
    sibling = _sibling(beside, name, where) if beside else None
    if sibling:
        return Found(sibling, str(sibling))
    if name in list_names(kind):
        folder = FOLDERS[kind]
        return _BuiltIn(files(_SHELF) / folder / f"{name}.yaml", f"built-in {folder}/{name}.yaml")
    raise _not_found(kind, name, beside, where)


def is_path(name: str) -> bool:
    """Return True if a name is meant as a path."""
    return name.casefold().endswith((*SUFFIXES, *files_module.LIST_SUFFIXES)) or "/" in name or "\\" in name


def _inside(beside: Path, name: str, where: str) -> Path:
    folder = beside.parent
    path = folder / name
    try:
        inside = not Path(name).is_absolute() and path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, names that no file can have
        inside = False
    if not inside:
        raise ScenarioError(
            f"'{name}' leads out of the folder of the file that includes it.",
            where=where,
            mend="Put the file into that folder or below it, and name it from there.",
        )
    return path


def _is_file(path: Path) -> bool:
    """Return True if there is such a file; there is none of a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _sibling(beside: Path, name: str, where: str) -> Path | None:
    """NAME.yaml in the folder of a file, unless it is that file itself: a scenario may be called like its lesson."""
    if not _NAME.fullmatch(name):
        return None
    for suffix in SUFFIXES:
        path = _inside(beside, name + suffix, where)
        if _is_file(path) and not (beside.exists() and path.samefile(beside)):
            return path
    return None


def _not_found(kind: Kind, name: str, beside: Path | None, where: str) -> ScenarioError:
    known = list_names(kind)
    close = get_close_matches(name.lower().replace(" ", "_"), known, n=2, cutoff=0.5)
    meant = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
    if _NAME.fullmatch(name) and Path(f"{name}.yaml").is_file():
        meant = f"Did you mean the file './{name}.yaml'? "
    if beside is None and _is_file(Path(name)):
        meant = f"The file '{name[:80]}' is there, but only YAML is read (.yaml). "
    here = f" and no file '{name[:80]}.yaml' beside '{beside}'" if beside else ""
    return ScenarioError(
        f"there is no built-in {kind} '{name[:80]}'{here}.",
        where=where,
        mend=f"{meant}Built in: {', '.join(known) or 'none'}; or give the path of a YAML file.",
    )
