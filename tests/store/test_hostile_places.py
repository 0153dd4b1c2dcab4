"""What a study meets in the world: read-only places, full disks, other people's files, other programs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import AnswerRow, PlayedStep, RunRow, Study, migrations, sqlite

ROW = RunRow("a", "a", 1, "{}", "embedded")
ANSWERS = [AnswerRow(1, 1, place, "plan", "Ann", "plan", '{"x":"' + "x" * 500 + '"}', "embedded") for place in range(9)]


def make(path: Path, steps: int = 2) -> Path:
    """A study with a run of some steps."""
    with Study.open(str(path), create=True) as study:
        study.add_run(ROW)
        for step in range(1, steps + 1):
            study.commit("a", PlayedStep(1, step, "d", [row._replace(step=step) for row in ANSWERS]))
    return path


def refused(path: Path, message: str, **named: Any) -> str:
    """The study is refused with a message that names it and a mend, and nothing in its folder has changed."""
    before = contents(path)
    with pytest.raises(StudyError, match=message) as caught:
        Study.open(str(path), **named).close()
    assert str(path) in str(caught.value)
    assert caught.value.mend
    assert contents(path) == before
    return str(caught.value)


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}


@pytest.mark.parametrize(
    "name", ["with space", "Ünï-课", "what?mode=memory", "half#way", "100%25", "a&b=c;d", "'q\"", "..."]
)
def test_any_name_is_a_name(name: str, tmp_path: Path) -> None:
    path = make(tmp_path / name / name)
    assert [file.name for file in path.parent.iterdir()] == [name]
    with Study.open(str(path), read_only=True) as study:
        assert study.run("a") == ROW
        assert len(study.answers("a")) == 18


def test_missing_folders_are_made(tmp_path: Path) -> None:
    assert make(tmp_path / "a" / "b" / "c.study").is_file()


def test_no_study_is_made_unasked(tmp_path: Path) -> None:
    refused(tmp_path / "none.study", "no such study")
    refused(tmp_path / "none.study", "no such study", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_study(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    refused(tmp_path / "folder", "is a folder", create=True)


def test_an_empty_file_becomes_a_study_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    refused(tmp_path / "empty", "the file is empty")
    make(tmp_path / "empty")
    assert [file.name for file in tmp_path.iterdir()] == ["empty"]


def test_a_study_half_made_is_finished(tmp_path: Path) -> None:
    """Killed after the file was marked as ours, and before it had its tables."""
    with closing(sqlite3.connect(tmp_path / "half")) as connection:
        connection.execute(f"pragma application_id={sqlite._APPLICATION}")
    with pytest.raises(StudyError, match="no study"):
        Study.open(str(tmp_path / "half"))
    make(tmp_path / "half")


FOREIGN = {
    "text": b"Dear diary, today we had mathematics.\n" * 50,
    "short": b"SQL",
    "header": b"SQLite format 3\x00",
    "header-and-noise": b"SQLite format 3\x00" + bytes(range(256)) * 40,
    "zeros": bytes(8192),
}


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_no_study_is_left_alone(what: str, create: bool, tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(FOREIGN[what])
    refused(path, "study", create=create)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("wal", [False, True])
def test_another_programs_database_is_left_alone(create: bool, wal: bool, tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.db"
    with closing(sqlite3.connect(path)) as other:
        if wal:
            other.execute("pragma journal_mode=wal")
        other.execute("create table meta (key, value)")
        other.execute("insert into meta values ('schema', '1')")
        other.commit()
    refused(path, "another program's database", create=create)


@pytest.mark.parametrize("damage", ["cut", "cut-to-a-page", "noise", "zeros"])
def test_a_damaged_study_is_left_alone(damage: str, tmp_path: Path) -> None:
    path = make(tmp_path / "damaged", steps=12)
    whole = path.read_bytes()
    assert len(whole) > 16 * 4096
    middle = len(whole) // 2 // 4096 * 4096
    broken = {
        "cut": whole[: middle + 1000],
        "cut-to-a-page": whole[:middle],
        "noise": whole[:4096] + bytes(place * 7 % 251 for place in range(len(whole) - 8192)) + whole[-4096:],
        "zeros": whole[:4096] + bytes(middle) + whole[4096 + middle :],
    }
    path.write_bytes(broken[damage])
    for named in ({}, {"create": True}, {"read_only": True}):
        refused(path, "damaged", **named)


@pytest.mark.parametrize(("version", "message"), [("99", "newer version"), ("soon", "'soon'"), ("0", "'0'")])
def test_a_format_of_another_time_is_refused(version: str, message: str, tmp_path: Path) -> None:
    path = make(tmp_path / "future")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update meta set value = ? where key = 'schema'", (version,))
    with pytest.raises(StudyError, match=message) as caught:
        Study.open(str(path))
    assert str(path) in str(caught.value)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select value from meta where key = 'schema'").fetchone() == (version,)


def test_an_older_format_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "older")
    old = len(migrations.MIGRATIONS) + 1

    def adding(column: str) -> migrations.Migration:
        def migrate(connection: Any) -> None:
            connection.exec_driver_sql(f"alter table meta add column {column} text")

        return migrate

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, adding("one"), adding("two")))
    refused(path, "older format", read_only=True)
    with Study.open(str(path)) as study:
        assert len(study.answers("a")) == 18
    with closing(sqlite3.connect(path)) as connection:
        assert [row[1] for row in connection.execute("pragma table_info(meta)")] == ["key", "value", "one", "two"]
        assert connection.execute("select value from meta where key = 'schema'").fetchone() == (str(old + 2),)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "older")
    old = len(migrations.MIGRATIONS) + 1

    def fail(connection: Any) -> None:
        connection.exec_driver_sql("alter table meta add column one text")
        connection.exec_driver_sql("drop table no_such_table")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, fail))
    with pytest.raises(StudyError, match="no such table"):
        Study.open(str(path))
    with closing(sqlite3.connect(path)) as connection:
        assert [row[1] for row in connection.execute("pragma table_info(meta)")] == ["key", "value"]
        assert connection.execute("select value from meta where key = 'schema'").fetchone() == (str(old),)


# --- disks ---


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of 512 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(study: Study, first: int) -> None:
    """Write steps until there is no room for another."""
    for step in range(first, 200):
        study.commit("a", PlayedStep(1, step, "d", [row._replace(step=step) for row in ANSWERS]))


def test_a_full_disk_is_said_and_loses_nothing(small_disk: Path) -> None:
    path = make(small_disk / "full.study", steps=1)
    with Study.open(str(path)) as study:
        with pytest.raises(StudyError, match="disk is full") as caught:
            fill(study, 2)
        done = len(study.digests("a"))
        assert str(path) in str(caught.value)
    with Study.open(str(path), read_only=True) as study:
        assert len(study.digests("a")) == done
        assert len(study.answers("a")) == 9 * done


def test_a_disk_without_room_for_a_study(small_disk: Path) -> None:
    with pytest.raises(OSError, match="space"):
        (small_disk / "other").write_bytes(bytes(1024 * 1024))
    with pytest.raises(StudyError, match=r"disk is full|No space left"):
        Study.open(str(small_disk / "new.study"), create=True)
    (small_disk / "other").unlink()
    make(small_disk / "new.study", steps=1)


def test_a_full_database_is_said_and_loses_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "full.study")
    with Study.open(str(path)) as study:
        with study.transaction() as connection:
            pages = connection.exec_driver_sql("pragma page_count").scalar_one()
        with study._engine.connect() as connection:
            connection.exec_driver_sql(f"pragma max_page_count={pages + 8}")
        with pytest.raises(StudyError, match=r"disk is full.*resume"):
            fill(study, 3)
        done = len(study.digests("a"))
        assert done > 1
        assert len(study.answers("a")) == 9 * done


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that holds a study and that nobody may write to, root neither."""
    folder = tmp_path / "fixed"
    folder.mkdir()
    make(folder / "a.study")
    if os.name != "posix":
        pytest.skip("this system has no folders that cannot be written")
    if os.geteuid() != 0:
        (folder / "a.study").chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    mount = ["mount", "-o", "bind", str(folder), str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("permissions do not bind root, and this machine lets nobody mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_read_only_folder_can_be_read(read_only_folder: Path) -> None:
    with Study.open(str(read_only_folder / "a.study"), read_only=True) as study:
        assert len(study.answers("a")) == 18
    refused(read_only_folder / "a.study", "cannot be (written|opened)")
    refused(read_only_folder / "new.study", "cannot be opened", create=True)
    with pytest.raises(StudyError, match="cannot be opened"):
        Study.open(str(read_only_folder / "new" / "new.study"), create=True)


# --- other programs ---

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_study_in_use_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "used.study")
    monkeypatch.setattr(sqlite, "_WAIT_SECONDS", 0.1)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StudyError, match="in use by another program") as caught:
            Study.open(str(path))
        assert caught.value.mend
        with Study.open(str(path), read_only=True) as reader:  # who only reads need not wait
            assert len(reader.answers("a")) == 18
        holder.communicate("")
    with Study.open(str(path)) as study:
        study.commit("a", PlayedStep(1, 3, "d"))


def test_a_step_is_never_written_twice(tmp_path: Path) -> None:
    path = str(make(tmp_path / "two.study"))
    with Study.open(path) as one, Study.open(path) as other:
        one.commit("a", PlayedStep(1, 3, "d"))
        for step in (3, 5):
            with pytest.raises(StudyError, match="Only one program"):
                other.commit("a", PlayedStep(1, step, "e"))
        other.commit("a", PlayedStep(1, 4, "e"))
        with pytest.raises(StudyError, match="Only one program"):
            one.commit("a", PlayedStep(1, 4, "d"))
        assert one.digests("a") == {(1, 1): "d", (1, 2): "d", (1, 3): "d", (1, 4): "e"}


@pytest.mark.parametrize("fate", ["deleted", "moved", "replaced"])
def test_a_file_that_is_taken_away_while_it_is_open_takes_no_more_steps(fate: str, tmp_path: Path) -> None:
    path = make(tmp_path / "a.study")
    with Study.open(str(path)) as study:
        if fate == "deleted":
            path.unlink()
        else:
            path.rename(tmp_path / "b.study")
        if fate == "replaced":
            make(path, 1)
        with pytest.raises(StudyError, match="moved, deleted or replaced") as caught:
            study.commit("a", PlayedStep(1, 3, "d", [row._replace(step=3) for row in ANSWERS]))
    assert "another study" in str(caught.value)
