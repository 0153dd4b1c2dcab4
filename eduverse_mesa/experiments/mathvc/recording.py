"""A folder in which dialogues are kept as they come, so that the same command goes on with it.

about.json         the group, who answers, and by which version
dialogues.jsonl    a line for each dialogue that is done: all its rows
*.parquet          tables of all of them, written at the end

A killed program loses nothing that was done; where the power fails, the last few lines, which are played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec

from eduverse_mesa import __version__
from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.folders import (
    ABOUT,
    FORMAT,
    MATHVC,
    comes_out_differently,
    expect_version,
    make_folder,
    played_otherwise,
    read_about,
)
from eduverse_mesa.experiments.mathvc.designs import Play
from eduverse_mesa.experiments.mathvc.playing import Rows, Tables, Watch, play_each, played, tables_of
from eduverse_mesa.experiments.sweeps.durable import alone_in, write_whole
from eduverse_mesa.policies.making import policy_parts

_DIALOGUES = "dialogues.jsonl"
_MODELS = frozenset({"llm", "local"})
"""Policies that ask a language model, and may not answer the same again."""


class _About(msgspec.Struct, frozen=True):
    policy: str
    group: str
    """Its fingerprint: peers, problems and rules."""
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = MATHVC


class _Line(msgspec.Struct, frozen=True):
    key: str
    rows: Rows


class Recorded:
    """The dialogues that are to be played, and those that are done."""

    def __init__(self, plays: Sequence[Play], path: Path | None = None) -> None:
        self.plays, self.path = plays, path
        self._found: dict[str, Rows] = {}
        if path is not None:
            wanted = {play.key for play in plays}
            self._found = {line.key: line.rows for line in _read(path / _DIALOGUES) if line.key in wanted}

    @property
    def left(self) -> list[Play]:
        """What is not done."""
        return [play for play in self.plays if play.key not in self._found]

    @property
    def done(self) -> int:
        """How many are done."""
        return len(self._found)

    def rows_of(self, play: Play) -> Rows | None:
        """The rows of one that is done."""
        return self._found.get(play.key)

    def add(self, play: Play, rows: Rows) -> None:
        """Keep a dialogue."""
        if self.path is not None:
            with (self.path / _DIALOGUES).open("ab") as file:
                file.write(msgspec.json.encode(_Line(play.key, rows)) + b"\n")
        self._found[play.key] = rows

    def tables(self) -> Tables:
        """The tables of all that were to be played."""
        return tables_of(self.plays, self._found)


@contextmanager
def recording(plays: Sequence[Play], folder: Path | None = None) -> Iterator[Recorded]:
    """What is done of some plays, to go on with it. No other program writes to the folder meanwhile."""
    if folder is None:
        yield Recorded(plays)
        return
    make_folder(folder)
    first = plays[0]
    about = _About(first.policy, blake2b(first.collaboration.encode(), digest_size=8).hexdigest())
    with alone_in(folder):
        before = read_about(folder, _About, MATHVC)
        if before is not None:
            expect_version(folder, before.eduverse)
            if before != about:
                raise played_otherwise(folder, before.policy, f"of group {before.group}")
        recorded = Recorded(plays, folder)
        _expect_same_words(recorded)
        write_whole(folder / ABOUT, msgspec.json.format(msgspec.json.encode(about), indent=2))
        yield recorded


def play(recorded: Recorded, engine: Engine | None = None, watch: Watch | None = None) -> None:
    """Play what is not done; the first that fails ends it, and what is done is kept."""
    for one, rows in play_each(recorded.left, engine):
        recorded.add(one, rows)
        if watch is not None:
            watch(recorded.done)


def _read(file: Path) -> list[_Line]:
    """The dialogues that are done; a last line that was not written to its end is taken away."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return []
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        write_whole(file, whole)
    return [_decode(line, f"{file}:{number}") for number, line in enumerate(whole.splitlines(), 1)]


def _decode(line: bytes, where: str) -> _Line:
    try:
        return msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError as error:
        mend = "Remove this line: its dialogue is played again."
        raise SweepError(f"this cannot be read ({error}).", where=where, mend=mend) from None


def _expect_same_words(recorded: Recorded) -> None:
    again = next((one for one in recorded.plays if recorded.rows_of(one) is not None), None)
    if again is None or not _MODELS.isdisjoint(policy_parts(again.policy).values()):
        return
    if msgspec.json.encode(played(again)) != msgspec.json.encode(recorded.rows_of(again)):
        raise comes_out_differently(recorded.path)
