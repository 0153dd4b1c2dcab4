"""A study's files, read while the study is open: its locks stay, and nothing that was opened stays for good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eduverse_mesa.runs.erasure.participant import Needle, search_files
from eduverse_mesa.store import Study
from eduverse_mesa.store.purge import own_files
from eduverse_mesa.store.raw_files import peek
from eduverse_mesa.store.settings import setting, write_setting

OTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("insert into meta values ('other', 'was here')")
connection.commit()
connection.close()
"""


def change(study: Study, key: str, value: str) -> None:
    with study.transaction() as connection:
        write_setting(connection, key, value)


def another_program(path: str) -> None:
    """It writes, closes the study, and takes the log away if it is alone."""
    subprocess.run([sys.executable, "-S", "-c", OTHER, path], check=True, timeout=60)


@pytest.mark.parametrize("how", ["searched", "opened again"])
def test_who_reads_the_files_of_an_open_study_loses_no_lock_on_it(tmp_path: Path, how: str) -> None:
    path = str(tmp_path / "a.study")
    with Study.open(path, create=True) as study:
        change(study, "first", "1")
        if how == "searched":
            searched, _ = search_files(own_files(study), [Needle("nothing", False)])
            assert {one.name for one in searched} >= {"a.study", "a.study-wal", "a.study-shm"}
        else:
            Study.open(path, read_only=True).close()
        another_program(path)
        assert Path(f"{path}-wal").exists(), "the other program knows that it is not alone"
        change(study, "second", "2")
        assert setting(study, "other") == "was here"
    with Study.open(path, read_only=True) as study:
        assert [setting(study, key) for key in ("first", "other", "second")] == ["1", "was here", "2"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts what is open as Linux tells it")
def test_nothing_stays_open_when_the_last_has_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.study"

    def still_open() -> int:
        return sum(str(one.resolve()).startswith(str(tmp_path)) for one in Path("/proc/self/fd").iterdir())

    counted = []
    with Study.open(str(path), create=True) as study:
        for _ in range(8):
            search_files(own_files(study), [Needle("nothing", False)])
            Study.open(str(path)).close()
            counted.append(still_open())
    assert counted[2:] == counted[2:3] * 6, "it does not grow, however often they are read"
    assert still_open() == 0
    with peek(path) as one, peek(path) as other:
        assert one.read(6) == other.read(6) == b"SQLite", "each reads from the beginning"
        assert one.read(1) == b" "
    assert still_open() == 0
    with pytest.raises(FileNotFoundError), peek(tmp_path / "nowhere"):
        pass
