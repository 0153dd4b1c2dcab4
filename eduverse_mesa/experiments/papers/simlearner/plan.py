"""Plan of SimLearner's studies: which, with what seeds, policy and settings; how they are played and kept."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec
import pandas as pd

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.folders import SIMLEARNER
from eduverse_mesa.experiments.papers.record import About, Outcome, Paper, PaperPlan, Record, TableFile, answers, below
from eduverse_mesa.experiments.papers.simlearner.designs import Part, Play, Study, plays_of, studies
from eduverse_mesa.experiments.papers.simlearner.plays import WORK, Row
from eduverse_mesa.experiments.papers.simlearner.published import TABLE_COLUMNS
from eduverse_mesa.policies.registry import policy_parts

_QUICK: tuple[Part, ...] = ("people", "first_grade", "years")
"""Parts that are quick to play, the quickest first: one of them is played again as a check."""
_READ = msgspec.msgpack.Decoder(list[Row])


class Plan(PaperPlan, frozen=True, kw_only=True):
    """Studies to be played, with seeds, policy and settings."""

    @property
    def studies(self) -> tuple[Study, ...]:
        """The studies it is about."""
        return studies(self.which)

    def trials(self) -> list[Play]:
        """All cohorts, each once; a policy or setting that there is not is told before anything is played."""
        policy_parts(self.policy)
        return plays_of(self.studies, self.seeds, self.policy, self.settings)


def _play(plays: Sequence[Play], engine: Engine) -> Generator[Outcome[Play, pd.DataFrame]]:
    for play, answer in answers(WORK, plays, engine, _failed):
        rows = [
            (play.part, play.arm, play.seed, row.learner, row.grade, row.key, row.measure, row.value)
            for row in _READ.decode(answer)
        ]
        yield Outcome(play, pd.DataFrame(rows, columns=list(TABLE_COLUMNS)))


def _failed(play: str, error: str) -> LessonError:
    return LessonError(f"play {play} failed: {error}")


def _keys(rows: pd.DataFrame) -> pd.Series[str]:
    return rows["part"] + "-" + rows["arm"] + "-s" + rows["seed"].astype(str)


PAPER: Paper[Play, pd.DataFrame] = Paper(
    SIMLEARNER,
    About[Plan],
    lambda plan: About(plan, paper=SIMLEARNER),
    _play,
    lambda folder: TableFile(folder, keys=_keys),
    lambda before, now: now.equals(before.reset_index(drop=True)),
    lambda play: _QUICK.index(play.part),
)


def table_of(record: Record[Play, pd.DataFrame]) -> pd.DataFrame:
    """The numbers of a plan's cohorts in one table."""
    return below(record.results.values(), TABLE_COLUMNS)
