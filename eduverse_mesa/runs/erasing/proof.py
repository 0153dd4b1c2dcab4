"""Whether something is still there: every byte of the files, and every text of the tables. It never says what."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from eduverse_mesa.store.peeking import peek

_LONG = 200
_PROBE, _EVERY = 100, 1000
"""A text that is longer than a page of the database does not lie in one piece: probes of it do."""
_CHUNK = 1 << 24
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


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


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
    wanted = list(_probes_of(needles))
    overlap = max((len(probe) for _, probe, _ in wanted), default=0) + 1
    searched, found = [], []
    for path in paths:
        size, hits = 0, set()
        for chunk, fresh in _chunks(path, overlap):
            size += fresh
            hits |= {number for number, probe, word in wanted if number not in hits and _holds(chunk, probe, word)}
        searched.append(Searched(path.name, size))
        if hits:
            found.append(Found(path.name, len(hits)))
    return searched, found


def _chunks(path: Path, overlap: int) -> Iterator[tuple[bytes, int]]:
    with peek(path) as file:
        yield from _pieces(file, overlap)


def _pieces(file: _Readable, overlap: int) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file, each piece with the end of the one before; and how many of them are new."""
    before = b""
    while fresh := file.read(_CHUNK):
        yield before + fresh, len(fresh)
        before = (before + fresh)[-overlap:]


def is_packed(path: Path, needle: Needle) -> bool:
    """Whether it stands in a file within this zip, or in the name of one. What is no whole zip, or is locked, raises as
    `zipfile` does."""
    wanted = list(_probes_of([needle]))
    overlap = max(len(probe) for _, probe, _ in wanted) + 1
    with zipfile.ZipFile(path) as whole:
        for entry in whole.infolist():
            with whole.open(entry) as file:
                pieces = (chunk for chunk, _ in _pieces(file, overlap))
                for chunk in chain((entry.filename.encode(),), pieces):
                    if any(_holds(chunk, probe, word) for _, probe, word in wanted):
                        return True
    return False


def _probes_of(needles: Sequence[Needle]) -> Iterator[tuple[int, bytes, bool]]:
    for number, needle in enumerate(needles):
        for form in forms(needle.text):
            probes = _probes(form)
            yield from ((number, probe, needle.word and len(probes) == 1) for probe in probes)


def _holds(chunk: bytes, probe: bytes, word: bool) -> bool:
    """The probe stands in it; as a word, where it has to be one."""
    if probe not in chunk:
        return False
    if not word:
        return True
    before = b"(?<!" + _WORD + b")" if re.match(_WORD, probe) else b""
    after = b"(?!" + _WORD + b")" if re.match(_WORD, probe[-1:]) else b""
    return re.search(before + re.escape(probe) + after, chunk) is not None
