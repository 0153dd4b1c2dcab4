"""Files by language: what is said, and what is listened for, stands in a file for each language in a folder."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.scenarios.reading import read_resource


def languages_in(folder: Traversable) -> list[str]:
    """The languages that have a file there, in the order of the alphabet."""
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def base_of(language: str) -> str:
    """The language itself: a region has what its language has (`zh-CN` is `zh`)."""
    return language.replace("_", "-").split("-")[0].casefold()


def read_language(folder: Traversable, language: str, wrong: str, known: str) -> dict[str, Any]:
    """The file of a language; `wrong` and `known` say what is amiss where there is none, and what there is."""
    base, there = base_of(language), languages_in(folder)
    if base not in there:
        raise PolicyError(
            f"{wrong} '{language}'.",
            mend=f"{known} {', '.join(there)}. Translate {folder.name}/en.yaml, or use a language model.",
        )
    data = read_resource(folder / f"{base}.yaml", f"built-in {folder.name}/{base}.yaml").data
    assert isinstance(data, dict)
    return data
