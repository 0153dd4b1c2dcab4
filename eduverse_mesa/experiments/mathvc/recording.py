"""A folder in which dialogues are kept as they come, so that the same command goes on with it.

about.json         the group, who answers, and by which version
dialogues/         a file for each dialogue that is done: all its rows
*.parquet          tables of all of them, written at the end
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
from eduverse_mesa.experiments.sweeps.durable import alone_in, sweep_up, write_whole
from eduverse_mesa.policies.making import policy_parts

_DIALOGUES = "dialogues"
_MODELS = frozenset({"llm", "local"})
"""Policies that ask a language model, and may not answer the same again."""


class _About(msgspec.Struct, frozen=True):
    policy: str
    group: str
    """Its fingerprint: peers, problems and rules."""
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = MATHVC


class Recorded:
    """The dialogues that are to be played, and those that are done."""

    def __init__(self, plays: Sequence[Play], path: Path | None = None) -> None:
        self.plays, self.path = plays, path
        self._found: dict[str, Rows] = {}
        if path is not None:
            (path / _DIALOGUES).mkdir(exist_ok=True)
            sweep_up(path / _DIALOGUES)
            self._found = {play.key: found for play in plays if (found := _read(_file(path, play))) is not None}

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
            write_whole(_file(self.path, play), msgspec.json.encode(rows))
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


def _file(folder: Path, play: Play) -> Path:
    return folder / _DIALOGUES / f"{play.problem}-{play.arm}-s{play.seed}.json"


def _read(file: Path) -> Rows | None:
    """The rows of a dialogue; none where it is not there."""
    try:
        found: Rows = msgspec.json.decode(file.read_bytes(), type=Rows)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise SweepError(
            f"this cannot be read ({error}).", where=str(file), mend="Remove it: it is played again."
        ) from None
    return found


def _expect_same_words(recorded: Recorded) -> None:
    again = next((one for one in recorded.plays if recorded.rows_of(one) is not None), None)
    if again is None or not _MODELS.isdisjoint(policy_parts(again.policy).values()):
        return
    if msgspec.json.encode(played(again)) != msgspec.json.encode(recorded.rows_of(again)):
        raise comes_out_differently(recorded.path)
