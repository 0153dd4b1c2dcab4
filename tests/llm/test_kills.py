"""A run that is killed in the middle of a step leaves whole steps in its record, and pays for no answer twice."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eduverse_mesa.llm import LLM
from tests.llm.town import by_number, decides, played
from tests.policies.llm.fake_server import Behaviour, Exchange, FakeServer, silent
from tests.runs.model_servers import serving

RUN = """
import sys
from eduverse_mesa.llm import LLM
from tests.llm.town import played
url, kept = sys.argv[1:]
played(LLM("small", base_url=url, keep=kept), 3)
"""
ROOT = Path(__file__).parents[2]


def test_a_killed_run_is_gone_over_again_without_paying_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, kept = tmp_path / "answers.sqlite", tmp_path / "killed.jsonl"
    asked: list[str] = []
    stuck = threading.Event()

    def choose(exchange: Exchange) -> str | Behaviour:
        asked.append(exchange.question)
        if len(asked) == 10:  # in the second step
            stuck.set()
            return silent()
        return by_number(exchange)

    with serving(FakeServer(usual=decides(choose))) as server:
        environment = os.environ | {"EDUVERSE_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
        child = subprocess.Popen([sys.executable, "-c", RUN, server.url, str(kept)], env=environment, cwd=ROOT)
        try:
            assert stuck.wait(120)
        finally:
            child.kill()
            child.wait()
        lines = kept.read_bytes().splitlines()
        assert len(lines) == 1 + 6
        sent = len(asked)
        monkeypatch.setenv("EDUVERSE_CACHE", str(cache))
        again = played(LLM("small", base_url=server.url, keep=tmp_path / "again.jsonl"), 3)
    assert {response.status for response in again.responses} == {"ok"}
    assert (tmp_path / "again.jsonl").read_bytes().splitlines()[0] == lines[0]
    on_their_way = sent - 6  # answers of the second step that the killed run may not have had yet
    assert 18 - sent <= len(asked) - sent <= 18 - sent + on_their_way
    assert played(LLM.replay(kept), 1).history == again.history[:1]
