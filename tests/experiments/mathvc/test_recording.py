"""Dialogues kept in a folder: what is done is not played again, and what does not belong together is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.papers.mathvc import Play, plays_of
from eduverse_mesa.experiments.papers.mathvc.dialogues import PAPER, Plan, tables_of
from tests.models.groups import problem, setup


def few(seeds: int = 1, **settings: object) -> list[Play]:
    """One problem in each arm."""
    group = setup(None).model_copy(update={"problems": (problem("race_fuel"),)})
    return plays_of(seeds, settings=settings, source=group)


def played(folder: Path, plays: list[Play]) -> list[int]:
    """Play what is left; gives how many were done after each."""
    done: list[int] = []
    with PAPER.open(Plan(plays), folder) as recorded:
        recorded.play(watch=lambda now: done.append(now.done))
    return done


def test_the_same_command_goes_on_and_more_seeds_may_follow(tmp_path: Path) -> None:
    with PAPER.open(Plan(few()), tmp_path) as recorded:
        recorded.play(stop=lambda: True)
        assert recorded.progress == (1, 3, 0)
    assert played(tmp_path, few()) == [2, 3]
    assert played(tmp_path, few()) == []
    assert played(tmp_path, few(2)) == [4, 5, 6]
    with PAPER.open(Plan(few(2)), tmp_path) as recorded:
        tables = tables_of(few(2), recorded.results)
    with PAPER.open(Plan(few(2))) as alone:
        alone.play()
    played_alone = tables_of(few(2), alone.results)
    assert tables.messages.equals(played_alone.messages)
    assert tables.answers == played_alone.answers
    assert set(tables.ends["arm"]) == {"full", "vanilla", "student"}


def test_another_group_or_other_words_are_refused(tmp_path: Path) -> None:
    played(tmp_path, few())
    with pytest.raises(SweepError, match="was played here"):
        played(tmp_path, few(turns=30))
    file = tmp_path / "dialogues.jsonl"
    kept = file.read_bytes()
    file.write_bytes(kept.replace(b"Alice", b"Alina"))
    with pytest.raises(SweepError, match="comes out differently now"):
        played(tmp_path, few())
    file.write_bytes(kept.replace(b'"rows"', b"rows", 1))
    with pytest.raises(SweepError, match=r"dialogues.jsonl:1: this cannot be read .* Remove this line"):
        played(tmp_path, few())
    file.write_bytes(kept[:-9])
    assert played(tmp_path, few()) == [3], "the last line was not written to its end"
    assert file.read_bytes() == kept
    about = tmp_path / "about.json"
    about.write_text(about.read_text().replace("MathVC", "EduVerse"))
    with pytest.raises(SweepError, match="experiments of another paper are kept here"):
        played(tmp_path, few())
