"""Playing experiments in a folder: what is done stays, what is not is gone on with, and nothing foreign is mixed in."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.folders import ABOUT, RESULTS
from eduverse_mesa.experiments.papers.eduverse.plan import PAPER, Kept, Plan, table_of, time_left
from eduverse_mesa.experiments.papers.record import Progress

SMALL = Plan(which="4", seeds=1, settings={"steps": 3})


def whole(plan: Plan, folder: Path | None = None) -> Kept:
    with PAPER.open(plan, folder) as recorded:
        recorded.play(Serial())
        return recorded


def test_a_stopped_experiment_goes_on_and_comes_out_the_same(tmp_path: Path) -> None:
    heard: list[Progress] = []
    with PAPER.open(SMALL, tmp_path) as recorded:
        recorded.play(Serial(), heard.append, stop=lambda: len(heard) == 5)
    assert heard[-1] == Progress(5, 12, 0)
    assert pd.read_parquet(tmp_path / RESULTS)["trial"].nunique() == 5
    with PAPER.open(SMALL, tmp_path) as recorded:
        assert len(recorded.left) == 7
        recorded.play(Serial())
        assert recorded.left == []
        found = table_of(recorded).sort_values(["trial", "measure", "student"], ignore_index=True)
    expected = table_of(whole(SMALL)).sort_values(["trial", "measure", "student"], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)


def test_more_seeds_and_other_experiments_are_added_to_a_folder(tmp_path: Path) -> None:
    whole(SMALL, tmp_path)
    with PAPER.open(Plan(which="4", seeds=2, settings={"steps": 3}), tmp_path) as recorded:
        assert (len(recorded.trials), len(recorded.left)) == (24, 12)
    with PAPER.open(Plan(which="1", seeds=1, settings={"steps": 3}), tmp_path) as recorded:
        assert len(recorded.left) == 6  # the ablations; the nine lessons were played for history
        assert table_of(recorded)["trial"].nunique() == 9


def test_a_folder_is_looked_at_without_playing(tmp_path: Path) -> None:
    whole(SMALL, tmp_path)
    opened = PAPER.look(tmp_path)
    assert opened.plan == SMALL
    assert opened.progress == Progress(12, 12, 0)
    with pytest.raises(SweepError, match="no experiment was begun"):
        PAPER.look(tmp_path / "elsewhere")


def test_another_policy_or_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    whole(SMALL, tmp_path)
    other = Plan(which="4", seeds=1, policy="llm", settings={"steps": 3})
    for plan in (other, Plan(which="4", seeds=1, settings={"steps": 4})):
        with pytest.raises(SweepError, match="was played here"), PAPER.open(plan, tmp_path):
            pass
    assert PAPER.look(tmp_path).plan == SMALL


def test_what_comes_out_differently_now_is_not_gone_on_with(tmp_path: Path) -> None:
    whole(SMALL, tmp_path)
    rows = pd.read_parquet(tmp_path / RESULTS)
    rows.loc[rows["measure"] == "irf.i", "value"] += 0.25
    rows.to_parquet(tmp_path / RESULTS)
    with pytest.raises(SweepError, match="rules or lessons have changed"), PAPER.open(SMALL, tmp_path):
        pass


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (ABOUT, b"{", "cannot be read"),
        (ABOUT, b'{"format": 7}', "format 7"),
        (ABOUT, b"[]", "format None"),
        (RESULTS, b"no table", "cannot be read"),
    ],
)
def test_a_damaged_folder_is_told(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    whole(SMALL, tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SweepError, match=message), PAPER.open(SMALL, tmp_path):
        pass


def test_another_version_is_told(tmp_path: Path) -> None:
    whole(SMALL, tmp_path)
    about = json.loads((tmp_path / ABOUT).read_text())
    (tmp_path / ABOUT).write_text(json.dumps({**about, "eduverse": "0.0.1"}))
    with pytest.raises(SweepError, match=r"0\.0\.1"), PAPER.open(SMALL, tmp_path):
        pass


def test_a_folder_with_other_things_and_one_that_cannot_be_made_are_told(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("mine")
    with pytest.raises(SweepError, match=r"thesis\.doc"), PAPER.open(SMALL, tmp_path):
        pass
    with pytest.raises(SweepError, match="cannot be made"), PAPER.open(SMALL, tmp_path / "thesis.doc" / "out"):
        pass


def test_two_programs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with (
        PAPER.open(SMALL, tmp_path),
        pytest.raises(SweepError, match="another program"),
        PAPER.open(SMALL, tmp_path),
    ):
        pass


def test_what_cannot_be_played_is_kept_apart_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    plan = Plan(which="4", seeds=1, policy="llm", settings={"steps": 3, "llm.model": "any"})
    with PAPER.open(plan, tmp_path) as recorded:
        recorded.play(Serial())
        assert recorded.progress == Progress(0, 12, 12)
        assert "OPENAI_API_KEY" in recorded.failures[0].error
        assert table_of(recorded).empty
        assert len(recorded.left) == 12


def test_the_time_that_is_left_is_measured_by_playing(tmp_path: Path) -> None:
    with PAPER.open(SMALL, tmp_path) as recorded:
        seconds = time_left(recorded)
        assert seconds > 0
        assert recorded.progress.done == 2  # what was played for it is kept
        recorded.play(Serial())
        assert time_left(recorded) == 0.0


def test_a_wrong_plan_is_told_before_anything_is_made(tmp_path: Path) -> None:
    for plan in (Plan(which="9"), Plan(policy="nobody"), Plan(settings={"gate.treshold": 1})):
        with pytest.raises(EduverseError), PAPER.open(plan, tmp_path / "new"):
            pass
    assert not (tmp_path / "new").exists()
