"""Playing the studies in a folder that keeps what is done: the same command on the same folder goes on.

A killed program loses the cohorts since the file was last written: each is written when it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pandas as pd

from eduverse_mesa import __version__
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.folders import (
    ABOUT,
    FORMAT,
    RESULTS,
    SIMLEARNER,
    alone_in,
    comes_out_differently,
    expect_version,
    make_folder,
    played_otherwise,
    read_about,
    read_results,
    write_whole,
    writing_whole,
)
from eduverse_mesa.experiments.papers.simlearner.designs import Part, Play, Study, plays_of, studies
from eduverse_mesa.experiments.papers.simlearner.findings import play_each
from eduverse_mesa.experiments.papers.simlearner.published import TABLE_COLUMNS
from eduverse_mesa.policies.registry import policy_parts

_MODELS = frozenset({"llm", "local"})
"""Policies that ask a language model, and may not answer the same again."""
_QUICK: tuple[Part, ...] = ("people", "first_grade", "years")
"""Parts that are quick to play, the quickest first: one of them is played again as a check."""
_WHICH = ["part", "arm", "seed"]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Studies to be played, with seeds, policy and settings."""

    which: str
    seeds: int
    policy: str
    settings: dict[str, Any] = {}

    @property
    def studies(self) -> tuple[Study, ...]:
        """The studies it is about."""
        return studies(self.which)

    @property
    def free(self) -> bool:
        """Asks no language model, and so can be played again at will."""
        return _MODELS.isdisjoint(policy_parts(self.policy).values())

    def plays(self) -> list[Play]:
        """All cohorts, each once; a policy or setting that there is not is told before anything is played."""
        policy_parts(self.policy)
        return plays_of(self.studies, self.seeds, self.policy, self.settings)


class _About(msgspec.Struct, frozen=True):
    plan: Plan
    eduverse: str = __version__
    format: int = FORMAT
    paper: str = SIMLEARNER


class Progress(NamedTuple):
    """How far it is."""

    done: int
    total: int


Watch = Callable[[int], object]
"""Hears how many cohorts are done."""


@dataclass
class Recorded:
    """The numbers of the cohorts that are done."""

    plan: Plan
    plays: Sequence[Play]
    path: Path | None = None
    _kept: dict[str, pd.DataFrame] = field(default_factory=dict)
    """By a play's key; a folder may hold those of other studies and seeds, too."""

    def __post_init__(self) -> None:
        held = read_results(self.path) if self.path is not None else pd.DataFrame()
        if len(held):
            self._kept = {f"{part}-{arm}-s{seed}": rows for (part, arm, seed), rows in held.groupby(_WHICH, sort=False)}

    @property
    def left(self) -> list[Play]:
        """Return the plays that are not done."""
        return [play for play in self.plays if play.key not in self._kept]

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(len(self.plays) - len(self.left), len(self.plays))

    def table(self) -> pd.DataFrame:
        """The numbers of this plan's cohorts, in its order whatever order they came in."""
        return _below([self._kept[play.key] for play in self.plays if play.key in self._kept])

    def rows_of(self, play: Play) -> pd.DataFrame:
        """The numbers of one cohort."""
        return self._kept[play.key].reset_index(drop=True)

    def add(self, play: Play, rows: pd.DataFrame) -> None:
        """Keep a cohort's numbers. It takes seconds to play one, and much less to write them all."""
        self._kept[play.key] = rows
        if self.path is not None:
            with writing_whole(self.path / RESULTS) as part:
                _below(list(self._kept.values())).to_parquet(part, index=False)


def _below(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(TABLE_COLUMNS))


@contextmanager
def recording(plan: Plan, folder: Path | None = None) -> Iterator[Recorded]:
    """Open the record of a plan, to go on with it. No other program writes to the folder meanwhile."""
    plays = plan.plays()
    if folder is None:
        yield Recorded(plan, plays)
        return
    make_folder(folder)
    with alone_in(folder):
        before = read_about(folder, _About, SIMLEARNER)
        if before is not None:
            expect_version(folder, before.eduverse)
            if (before.plan.policy, before.plan.settings) != (plan.policy, plan.settings):
                raise played_otherwise(folder, before.plan.policy, before.plan.settings)
        recorded = Recorded(plan, plays, folder)
        _expect_same_numbers(recorded)
        write_whole(folder / ABOUT, msgspec.json.format(msgspec.json.encode(_About(plan)), indent=2))
        yield recorded


def play(recorded: Recorded, engine: Engine, watch: Watch | None = None) -> None:
    """Play what is not done."""
    for one, rows in play_each(recorded.left, engine):
        recorded.add(one, rows)
        if watch is not None:
            watch(recorded.progress.done)


def _expect_same_numbers(recorded: Recorded) -> None:
    left = {play.key for play in recorded.left}
    done = sorted((play for play in recorded.plays if play.key not in left), key=lambda play: _QUICK.index(play.part))
    if not done or not recorded.plan.free:
        return
    [(again, rows)] = play_each(done[:1])
    if not rows.equals(recorded.rows_of(again)):
        raise comes_out_differently(recorded.path)
