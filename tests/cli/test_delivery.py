"""`--delivery batch` of the experiments: told beforehand, played side by side, and nothing sent alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.policies.llm.calling.batches import BatchEndpoint
from tests.cli.commands import call, refusal
from tests.policies.llm.batch_server import BatchServer, in_form, serving_batches

EXPERIMENTS = {
    "4": ("--set", "steps=1", "--policy", "teacher=llm"),
    "simlearner-4": ("--set", "turns=2", "--policy", "tutor=llm"),
    "mathvc": ("--set", "turns=4", "--policy", "peers=llm"),
}


@pytest.mark.parametrize("which", EXPERIMENTS)
def test_an_experiment_in_batches_is_what_it_is_live(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BatchEndpoint, "gather", 0.1)
    monkeypatch.setattr(BatchEndpoint, "poll", 0.02)
    monkeypatch.setenv("EDUVERSE_MODEL", "planted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3b9c0d1e2f44")
    command = ("experiment", which, "--seeds", "1", *EXPERIMENTS[which], "--set", "llm.useless=1")
    with serving_batches(BatchServer(answer=in_form)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        live = call(capsys, *command, "--engine", "serial", "--cache", tmp_path / "live.sqlite", "--json")
        alone = server.live
        batch = call(
            capsys, *command, "--delivery", "batch", "--cache", tmp_path / "batch.sqlite", "--out", tmp_path / "out"
        )
        assert batch.code == live.code == 0, batch.err
        assert "Answers come in batches. A run asks about" in batch.err
        assert server.live == alone > 0
        asked = server.asked
        assert asked > 3 * len(server.batches) > 0
        again = call(capsys, *command, "--delivery", "batch", "--out", tmp_path / "out", "--json")
    assert again.document == live.document
    assert server.asked == asked, "what is done is not played again"


def test_workers_of_their_own_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDUVERSE_MODEL", "planted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3b9c0d1e2f44")
    file = tmp_path / "asked.yaml"
    file.write_text("kind: sweep\nname: asked\nfactors: {steps: [1], policy: [llm]}\nseeds: 2\n")
    command = ("sweep", "run", file, "--out", tmp_path / "out", "--delivery", "batch", "-q")
    assert "Take engine 'threads'" in refusal(capsys, *command, "--engine", "processes")
