"""What the model on this machine does is told while it does it."""

from __future__ import annotations

import io
import threading
import time
from typing import Any

import pytest

from eduverse_mesa.cli import output
from eduverse_mesa.policies.llm import local
from eduverse_mesa.policies.llm.local import LocalProgress, LocalServer, find_model, local_progress
from eduverse_mesa.visualization.words import load_words
from tests.policies.llm.local import SMALL, ask
from tests.policies.test_waiting import PATIENCE

pytestmark = pytest.mark.xdist_group("local-model")


def said(now: LocalProgress, language: str = "en") -> str:
    return output.local_text(now, load_words(language))


def test_words_for_a_person() -> None:
    assert said(LocalProgress()) == ""
    assert said(LocalProgress(loading="small")) == "The model on this machine is loading small."
    assert (
        said(LocalProgress(reading=1221, reading_speed=30.4))
        == "The model on this machine is reading 1,221 tokens at 30 a second."
    )
    both = LocalProgress(reading=900, writing=2, written=51, reading_speed=30.0, writing_speed=8.2)
    assert said(both) == (
        "The model on this machine is reading 900 tokens at 30 a second and writing 2 answers, 51 tokens so far at 8 a "
        "second."
    )
    assert (
        said(both, "zh")
        == "本机的模型正在读取 900 个 token（每秒 30 个），写 2 条回答，已写 51 个 token（每秒 8 个）。"
    )
    assert said(LocalProgress(), "zh") == ""


def test_loading_reading_and_writing_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[LocalProgress] = []
    over, looked = threading.Event(), threading.Event()
    load = local._open

    def load_in_sight(*given: Any) -> Any:
        """llama.cpp may hold Python's lock while it loads: nobody could look."""
        assert looked.wait(60)
        return load(*given)

    monkeypatch.setattr(local, "_open", load_in_sight)

    def look() -> None:
        while not over.is_set():
            seen.append(local_progress())
            if seen[-1].loading:
                looked.set()
            time.sleep(0.02)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        with LocalServer(find_model(None), SMALL) as server:
            ask(server, "Tell me of a river. " * 60, max_tokens=20, ignore_eos=True)
            after = local_progress()
            assert said(after) == ""
            assert after.reading_speed > 0 < after.writing_speed
    finally:
        over.set()
        looking.join()
    assert find_model(None).stem in {one.loading for one in seen}
    assert max(one.reading for one in seen) > 240
    assert max(one.written for one in seen) > 1
    left = local_progress()
    assert (left.loading, left.reading, left.writing, left.written) == ("", 0, 0, 0)


def test_lines_go_to_standard_error_and_nothing_is_said_of_other_policies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "_SECONDS", 0.02)
    err, load = io.StringIO(), local._open

    def load_in_sight(*given: Any) -> Any:
        """llama.cpp may hold Python's lock while it loads: it begins when somebody has said that it does."""
        late = time.monotonic() + PATIENCE
        while "loading" not in err.getvalue():
            assert time.monotonic() < late
            time.sleep(0.01)
        return load(*given)

    monkeypatch.setattr(local, "_open", load_in_sight)
    monkeypatch.setattr("sys.stderr", err)
    lines = output.local_lines("words=local,rest=embedded", "en", hide=False, bar=True)
    with lines, LocalServer(find_model(None), SMALL) as server:
        ask(server, "Tell me of a river. " * 40, max_tokens=8, ignore_eos=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert "The model on this machine is loading" in err.getvalue()
    assert "reading" in err.getvalue()
    for policy, hide in (("embedded", False), ("local", True)):
        before = threading.active_count()
        with output.local_lines(policy, "en", hide=hide, bar=False):
            assert threading.active_count() == before
