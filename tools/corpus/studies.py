"""Writes the kept studies anew: files that later versions have to open."""

from __future__ import annotations

import contextlib
import gzip
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tools.corpus.entries import STUDIES as KEPT
from tools.corpus.entries import KeptStudy
from tools.corpus.player import ROOT, STUDIES


def write_studies() -> int:
    """Write all of them, as this version does."""
    STUDIES.mkdir(exist_ok=True)
    for study in KEPT:
        with tempfile.TemporaryDirectory() as room:
            for number, line in enumerate(study.make, 1):
                _run(study, line, Path(room), stopped=number == len(study.make) and study.stop_after > 0)
            content = _packed(Path(room) / study.name)
        target = STUDIES / f"{study.name}.gz"
        target.write_bytes(gzip.compress(content, mtime=0))
        print(f"{target.name}: {target.stat().st_size} bytes")
    return 0


def _run(study: KeptStudy, line: str, folder: Path, *, stopped: bool) -> None:
    command = [sys.executable, "-m", "eduverse_mesa", *shlex.split(line)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EDUVERSE_CACHE": "none"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        if stopped:
            while process.poll() is None and _steps(folder / study.name) < study.stop_after:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(b"hello\nwhat do we have to find out?\n\n/quit\n")
    if process.returncode != (130 if stopped else 0):
        raise RuntimeError(f"{line}: exit code {process.returncode}\n{complaints.decode()}")


def _steps(study: Path) -> int:
    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{study}?mode=ro", uri=True)) as connection:
        return int(connection.execute("select count(*) from steps").fetchone()[0])
    return 0


def _packed(study: Path) -> bytes:
    """The file with nothing left in its log, and without free pages."""
    with closing(sqlite3.connect(study)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("vacuum")
    return study.read_bytes()
