"""Whether something is still there: every byte of the files, and every text of the tables. It never says what."""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

_LONG = 200
_PROBE, _EVERY = 100, 1000
"""A text that is longer than a page of the database does not lie in one piece: probes of it do."""
_WORD = rb"[A-Za-z0-9_]"


class Searched(NamedTuple):
    """A file that was searched, by its name beside the study."""

    name: str
    bytes: int


class Found(NamedTuple):
    """Something that is still there: where, and how many of the texts that were searched for."""

    where: str
    texts: int


class Needle(NamedTuple):
    """What is searched for in bytes."""

    text: str
    word: bool
    """It counts only where no letter or digit stands beside it: a name is no part of a longer word."""


def forms(text: str) -> set[bytes]:
    """How a text may be written in a file: as it is, as JSON with and without escapes, in UTF-16."""
    escaped = json.dumps(text)[1:-1]
    shouted = re.sub(r"\\u[0-9a-f]{4}", lambda found: f"\\u{found.group()[2:].upper()}", escaped)
    return {
        text.encode(),
        escaped.encode(),
        shouted.encode(),
        msgspec.json.encode(text)[1:-1],
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
    }


def _probes(form: bytes) -> list[bytes]:
    if len(form) <= _LONG:
        return [form]
    return [form[start : start + _PROBE] for start in range(0, len(form) - _PROBE + 1, _EVERY)]


def search_files(paths: Iterable[Path], needles: Sequence[Needle]) -> tuple[list[Searched], list[Found]]:
    """Every byte of these files."""
    wanted = [(number, re.compile(pattern)) for number, pattern in _patterns(needles)]
    searched, found = [], []
    for path in paths:
        size = path.stat().st_size
        searched.append(Searched(path.name, size))
        if not size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            hits = {number for number, pattern in wanted if pattern.search(content)}
        if hits:
            found.append(Found(path.name, len(hits)))
    return searched, found


def _patterns(needles: Sequence[Needle]) -> Iterator[tuple[int, bytes]]:
    for number, needle in enumerate(needles):
        for form in forms(needle.text):
            for probe in _probes(form):
                pattern = re.escape(probe)
                if needle.word and probe is form and re.match(_WORD, probe):
                    pattern = b"(?<!" + _WORD + b")" + pattern
                if needle.word and probe is form and re.match(_WORD, probe[-1:]):
                    pattern += b"(?!" + _WORD + b")"
                yield number, pattern
