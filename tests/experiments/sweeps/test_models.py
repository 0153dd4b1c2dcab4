"""Sweeps that ask a language model, over real sockets: workers share its limit, and answers that fail are counted."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Engine, Processes, Serial
from eduverse_mesa.experiments.sweeps.execution import Status, play_sweep, status_of
from eduverse_mesa.experiments.sweeps.folder import begin_sweep, read_sweep
from eduverse_mesa.experiments.sweeps.plan import SweepPlan, plan_sweep
from tests.policies.llm.fake_server import FakeServer, says
from tests.runs.model_servers import answers, serving

SWEEP = """
kind: sweep
name: asked
factors:
  layout: [lecture, round]
  policy: [students=llm]
  steps: [2]
  pacing.mode: [fixed]
  llm.concurrency: [{slots}]
  llm.otherwise: [failed]
  llm.useless: [1]
seeds: 2
keep: ["bec.*", "outcomes.*"]
"""


@pytest.fixture(autouse=True)
def _no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remembered answer would not be asked for."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    monkeypatch.setenv("EDUVERSE_MODEL", "planted")


def plan(folder: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch, slots: int) -> SweepPlan:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    (folder / "asked.yaml").write_text(SWEEP.format(slots=slots))
    return plan_sweep(folder / "asked.yaml")


def play(folder: Path, planned: SweepPlan, engine: Engine) -> Status:
    with engine, begin_sweep(folder, planned.facts, planned.trials()) as opened:
        assert [ended.error for ended in play_sweep(opened, engine)] == [""] * 4
        return status_of(opened)


def test_workers_together_never_ask_more_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FakeServer(usual=answers(delay=0.05))) as server:
        planned = plan(tmp_path, server, monkeypatch, slots=4)
        play(tmp_path / "one", planned, Serial())
        alone, server.most_out = server.most_out, 0
        status = play(tmp_path / "two", planned, Processes(2))
    assert alone == 4, "one worker has the whole limit to itself"
    assert 3 <= server.most_out <= 4, "and two have a half each"
    assert status.with_failed_answers == ()
    pd.testing.assert_frame_equal(read_sweep(tmp_path / "two"), read_sweep(tmp_path / "one"))
    manifests = [(tmp_path / folder / "manifest.jsonl").read_bytes() for folder in ("one", "two")]
    assert manifests[0] == manifests[1]
    assert '"concurrency":4' in next((tmp_path / "two" / "scenarios").iterdir()).read_text()


def test_more_workers_than_calls_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = plan(tmp_path, FakeServer(port=1), monkeypatch, slots=1)
    with (
        begin_sweep(tmp_path / "out", planned.facts, planned.trials()) as opened,
        pytest.raises(EduverseError, match=r"2 workers cannot share .* asked 1 at once\. Take 1 at most"),
    ):
        next(play_sweep(opened, Processes(2)))


def test_a_run_with_answers_that_failed_is_done_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FakeServer(usual=says("I would rather not."))) as server:
        planned = plan(tmp_path, server, monkeypatch, slots=16)
        status = play(tmp_path / "out", planned, Serial())
    assert (status.done, status.left) == (4, 0)
    assert len(status.with_failed_answers) == 4
    tidy = read_sweep(tmp_path / "out")
    assert tidy.loc[tidy["measure"] == "outcomes.failed", "value"].min() > 0
