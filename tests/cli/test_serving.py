"""`eduverse serve-model`: the small model as an endpoint for other programs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

import pytest

from eduverse_mesa.cli import models
from tests.cli.commands import call, refusal
from tests.policies.llm.local import post

ROOT = Path(__file__).parents[2]
SERVE = [sys.executable, "-m", "eduverse_mesa", "serve-model", "--port", "0", "--slots", "1", "--context", "512"]
HELLO = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 2}

pytestmark = pytest.mark.xdist_group("local-model")


@contextmanager
def serving_process(*more: str, key: str | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running command and what it printed when it was up."""
    environment = {**os.environ, **({models.KEY: key} if key else {})}
    with subprocess.Popen(
        [*SERVE, *more], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, "".join(process.stdout.readline() for _ in range(3))
        finally:
            process.kill()


def address(said: str) -> str:
    found = re.search(r"at (http://127\.0\.0\.1:\d+/v1) ", said)
    assert found, said
    return found[1]


def test_it_serves_until_interrupted() -> None:
    with serving_process() as (process, said):
        url = address(said)
        assert f"For example: curl {url}/chat/completions" in said
        assert post(f"{url}/chat/completions", HELLO)["choices"]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == ("stopped\n", "")
        assert process.returncode == 0


def test_a_key_from_the_environment_is_asked_for() -> None:
    with serving_process(key="a-secret") as (process, said):
        with pytest.raises(HTTPError, match="401"):
            post(f"{address(said)}/chat/completions", HELLO)
        assert post(f"{address(said)}/chat/completions", HELLO, "a-secret")["choices"]
        assert "a-secret" not in said
        example = said.partition("For example: ")[2]
        assert f'"Authorization: Bearer ${models.KEY}"' in example
        process.send_signal(signal.SIGINT)
        assert "a-secret" not in "".join(process.communicate(timeout=120))


def test_other_machines_need_a_key(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(models.KEY, raising=False)
    for host in ("0.0.0.0", "::", "192.0.2.1", "a-host.example"):
        assert models.KEY in refusal(capsys, "serve-model", "--host", host)
    assert not any("key" in option for option in call(capsys, "serve-model", "--help").out.split() if "--" in option)


def test_what_cannot_be_served_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "words.gguf").write_text("once upon a time")
    assert "GGUF" in refusal(capsys, "serve-model", "--model", tmp_path / "words.gguf")
    assert "8192 tokens" in refusal(capsys, "serve-model", "--context", "9000")
    assert "a port" in refusal(capsys, "serve-model", "--port", "-1")
