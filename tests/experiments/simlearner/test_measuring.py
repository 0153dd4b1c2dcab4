"""Plays that are played: small ones, with real learners."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest

from eduverse_mesa.errors import LessonError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.papers.simlearner.designs import Play, plays_of, studies
from eduverse_mesa.experiments.papers.simlearner.plan import PAPER
from eduverse_mesa.experiments.papers.simlearner.plays import TRACES, curves
from eduverse_mesa.experiments.papers.simlearner.published import Cell, Cells
from eduverse_mesa.measures.tables import share


def table(plays: list[Play]) -> pd.DataFrame:
    """The numbers of some cohorts."""
    return pd.concat([outcome.result for outcome in PAPER.play(plays, Serial())], ignore_index=True)


def plays(which: str, visits: int = 1) -> list[Play]:
    return plays_of(studies(which), 1, settings={"visits": visits, "turns": 3})


def test_years_give_coverage_alignment_and_a_map_and_the_same_ones_again() -> None:
    wanted = [play for play in plays("simlearner-2") if play.arm == "base"]
    first = table(wanted)
    assert first.equals(table(wanted))
    cells = Cells(first)
    [covered] = cells.of(Cell("years", "coverage", "base", grade=1)).values()
    learners = [cells.of(Cell("years", "coverage", "base", name, 1))[1] for name in ("P1", "P2", "P3")]
    assert covered == pytest.approx(sum(learners) / 3)
    assert covered > 1.0  # who must not stay within the grade knows more than it was taught
    [aligned] = cells.of(Cell("years", "alignment", "base")).values()
    assert 0.5 < aligned < 1.0
    mapped = cells.measured("years", "mastery", "base")
    assert len(mapped) == 5 * 29
    assert share(bool(cells.of(cell._replace(measure="expected"))[1]) for cell in mapped if cell.grade == 5) == 1.0


def test_personality_is_told_better_by_four_dialogues_than_by_one() -> None:
    cells = Cells(table([play for play in plays("simlearner-4") if play.arm == "full"]))
    one, four = (cells.of(Cell("people", "f1", key=read))[1] for read in ("1", "4"))
    assert 0.5 < one < four <= 1.0
    assert cells.of(Cell("people", "answers", key="ok"))[1] > 16 * 4


def test_a_play_that_fails_ends_it_with_its_reason() -> None:
    [play, _] = plays("simlearner-4")
    broken = Play(part=play.part, arm=play.arm, seed=1, policy="nobody", tutoring=play.tutoring)
    with pytest.raises(LessonError, match=r"people-full-s1 failed: .*nobody"):
        table([broken])


def test_curves_fall_and_what_was_out_of_reach_falls_faster() -> None:
    found = curves(every=30)
    for _, line in found.groupby(["law", "trace"]):
        kept = line["kept"].tolist()
        assert kept[0] == 1.0
        assert all(0 <= later <= before for before, later in pairwise(kept))
        assert kept[-1] < 1.0
    last = found[found["days"] == found["days"].max()].pivot_table(index="law", columns="trace", values="kept")
    new, twice, often, above = (last[name] for name in TRACES)
    assert (above < new).all()
    assert (new < twice).all()
    assert (twice < often).all()
