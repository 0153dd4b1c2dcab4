"""How the pages for mathematics are started: what stands on a terminal, and what in a service's log."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eduverse_mesa.store import Study
from eduverse_mesa.store.logins import log_in
from eduverse_mesa.web.addresses import clear_warning
from tests.cli.commands import call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no terminals of this kind")


@contextmanager
def started(study: Path, terminal: str, *options: str) -> Iterator[tuple[str, str]]:
    """What the first start says on its terminal, which is one of its two outputs or neither, and elsewhere."""
    import pty

    ours, theirs = pty.openpty()
    log = (study.parent / "service.log").open("wb")
    command = [sys.executable, "-m", "eduverse_mesa", "mathvc", "serve", "--study", str(study), "--port", "0"]
    process = subprocess.Popen(
        [*command, *options],
        stdout=theirs if terminal == "stdout" else log,
        stderr=theirs if terminal == "stderr" else log,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    os.set_blocking(ours, False)
    seen, until = b"", time.monotonic() + 90

    def told() -> str:
        return (study.parent / "service.log").read_text()

    try:
        while "first teacher" not in told() + seen.decode() and time.monotonic() < until:
            time.sleep(0.1)
            try:
                seen += os.read(ours, 65536)
            except BlockingIOError:
                continue
        yield seen.decode(), told()
    finally:
        process.terminate()
        process.wait(60)
        log.close()
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("terminal", ["stdout", "stderr"])
def test_the_first_password_is_shown_on_a_terminal_alone(tmp_path: Path, terminal: str) -> None:
    with started(tmp_path / "a.study", terminal) as (seen, log):
        found = re.search(r"name is (\S+), the password (\S+) ", seen)
        assert found, seen + log
        assert found[2] not in log
    with Study.open(str(tmp_path / "a.study")) as study:
        assert log_in(study, found[1], found[2], "", 0.0) is not None


def test_a_services_log_says_how_to_set_the_first_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with started(tmp_path / "a.study", "neither") as (seen, log):
        assert seen == ""
        assert "password is not shown" in log
        command = log.partition("set one: eduverse ")[2].split()
        set_so = call(capsys, *command)
    assert set_so.code == 0
    password = set_so.out.partition("password ")[2].split()[0]
    assert password not in log
    with Study.open(str(tmp_path / "a.study")) as study:
        assert log_in(study, "teacher", password, "", 0.0) is not None


def test_what_travels_in_the_clear_is_said(tmp_path: Path) -> None:
    with started(tmp_path / "a.study", "stdout", "--host", "0.0.0.0") as (seen, _):
        assert "not encrypted" in seen
        assert "--address https://" in seen


@pytest.mark.parametrize(
    ("host", "address", "warned"),
    [
        ("127.0.0.1", "", False),
        ("localhost", "", False),
        ("::1", "", False),
        ("0.0.0.0", "", True),
        ("::", "", True),
        ("192.168.1.5", "http://maths.school.example", True),
        ("0.0.0.0", "https://maths.school.example", False),
    ],
)
def test_who_is_warned(host: str, address: str, warned: bool) -> None:
    assert bool(clear_warning(host, address)) == warned
