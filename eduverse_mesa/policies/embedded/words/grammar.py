"""A grammar file: for each key, lines to choose from, with slots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.randomness import Address, uniform

Line = tuple[tuple[bool, str], ...]
"""Pieces of a line: (is a slot, its name or the text)."""

_SLOT = re.compile(r"\{(\w+)\}")


class Grammar:
    """What is said in one language."""

    def __init__(self, language: str, entries: Mapping[str, Any]) -> None:
        self.language = language
        self.join_names = str(entries["join_names"])
        self.because = str(entries["because"])
        self.sentence_end = str(entries["sentence_end"])
        self.lines: dict[str, tuple[Line, ...]] = {
            key: tuple(_split(line) for line in lines) for key, lines in _flatten("", entries)
        }

    def slots(self, key: str) -> set[str]:
        """The slots that the lines of a key have."""
        return {piece for line in self.lines[key] for slot, piece in line if slot}

    def say(self, at: Address, key: str, slots: Mapping[str, str] | None = None) -> str:
        """One of the key's lines, chosen by address, with its slots filled."""
        lines = self.lines[key]
        line = lines[int(uniform(at, key) * len(lines))] if len(lines) > 1 else lines[0]
        if len(line) == 1 and not line[0][0]:
            return line[0][1]
        # Filled piece by piece: what comes from a lesson or a name is never read as a template itself.
        return "".join([slots[piece] if slot and slots is not None else piece for slot, piece in line])

    def only(self, key: str) -> str:
        """The first line of a key that has no slots and no choice."""
        return self.lines[key][0][0][1]

    def name(self, names: tuple[str, ...]) -> str:
        """Names as they are listed in speech."""
        return self.join_names.join(names)


def _split(line: str) -> Line:
    pieces = _SLOT.split(line)
    return tuple((place % 2 == 1, piece) for place, piece in enumerate(pieces) if piece)


def _flatten(prefix: str, entries: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for key, value in entries.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            yield from _flatten(name, value)
        elif isinstance(value, list):
            yield name, [str(line) for line in value]
        elif prefix:
            yield name, [str(value)]


@lru_cache(maxsize=8)
def load_grammar(language: str) -> Grammar:
    """The grammar of a language; `zh-CN` is `zh`."""
    import yaml

    folder = files("eduverse_mesa.policies.embedded") / "grammar"
    base = language.split("-", maxsplit=1)[0].casefold()
    file = folder / f"{base}.yaml"
    if not base.isalpha() or not file.is_file():
        known = sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))
        raise PolicyError(
            f"the embedded policy has no words in '{language}'.",
            mend=f"It speaks {', '.join(known)}; another language is a grammar file beside those (policies/embedded).",
        )
    return Grammar(base, yaml.safe_load(file.read_text(encoding="utf-8")))
