"""Labels of the codes: a file for each language, which prompts and pages complete their own words from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import yaml

# The same parser twice: in C where PyYAML was built with it, else in Python, ten times slower, with every start.
LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def load_labels(language: str) -> Mapping[str, str]:
    """Return the label of each code in a language."""
    text = (files("eduverse_mesa.vocabulary") / f"{language}.yaml").read_text(encoding="utf-8")
    loaded = yaml.load(text, Loader=LOADER)  # noqa: S506 - both are safe
    return {str(code): str(label) for code, label in loaded.items()}


def label_of(code: str, language: str) -> str:
    """Return the label of a code; the code itself, readably, where nobody has put it into words."""
    return load_labels(language).get(code) or code.replace("_", " ")


def complete(own: Mapping[str, str], codes: Iterable[str], language: str) -> dict[str, str]:
    """Return a place's own words for the codes of a vocabulary, and the usual label of each that it has none for."""
    return {**own, **{code: label_of(code, language) for code in codes if code not in own}}
