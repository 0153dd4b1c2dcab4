"""A sweep's folder: what stands in it first, what a kill leaves, and who may write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import rmtree

import msgspec
import pytest

from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.folders import alone_in, write_whole, writing_whole
from eduverse_mesa.experiments.sweeps.execution import play_sweep, status_of
from eduverse_mesa.experiments.sweeps.folder import SweepFolder, begin_sweep, open_sweep, read_sweep
from tests.experiments.sweeps.kit import FACTS, plan, play_all


def test_the_manifest_stands_there_before_anything_is_played(tmp_path: Path) -> None:
    with begin_sweep(tmp_path / "out", FACTS, plan(3)) as folder:
        lines = list(folder.lines())
        assert [line.seed for line in lines] == [1, 1, 2, 2, 3, 3]
        assert {line.factors["layout"] for line in lines} == {"lecture", "round"}
        assert len(list((tmp_path / "out" / "scenarios").iterdir())) == 2
        assert folder.done() == set()
        assert folder.facts.trials == 6
        planned = {trial.key: trial for _, trial in plan(3)}
        assert {line.key: folder.trial(line) for line in lines} == planned


def test_what_is_done_is_not_played_again(tmp_path: Path) -> None:
    with begin_sweep(tmp_path, FACTS, plan(2)) as folder:
        first = next(play_sweep(folder, Serial()))
    times = {file.name: file.stat().st_mtime_ns for file in folder.results.iterdir()}
    assert list(times) == [f"{first.key}.parquet"]
    assert len(play_all(tmp_path, 2)) == 3
    assert play_all(tmp_path, 2) == []
    assert len(folder.done()) == 4
    assert (folder.results / f"{first.key}.parquet").stat().st_mtime_ns == times[f"{first.key}.parquet"]


def test_another_sweep_is_refused_and_the_first_stays(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    before = (tmp_path / "manifest.jsonl").read_bytes()
    with pytest.raises(SweepError, match="another sweep was begun here"):
        play_all(tmp_path, 2)
    other = msgspec.structs.replace(FACTS, keep=("irf.*",))
    with (
        pytest.raises(SweepError, match="another sweep was begun here"),
        begin_sweep(tmp_path, other, plan(1)) as folder,
    ):
        pytest.fail(str(folder.path))
    assert (tmp_path / "manifest.jsonl").read_bytes() == before


def test_the_same_values_twice_are_one_run(tmp_path: Path) -> None:
    with begin_sweep(tmp_path, FACTS, [*plan(2), *plan(2)]) as folder:
        assert folder.facts.trials == len(list(folder.lines())) == 4


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("mine")
    with pytest.raises(SweepError, match=r"other things \(thesis.doc\)"):
        play_all(tmp_path, 1)
    with pytest.raises(SweepError, match="no sweep was begun here"), open_sweep(tmp_path):
        pytest.fail("opened")


def test_a_folder_of_a_newer_format_or_another_version_is_refused(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    facts = tmp_path / "sweep.json"
    as_it_was = msgspec.json.decode(facts.read_bytes())
    facts.write_bytes(msgspec.json.encode({**as_it_was, "format": 2}))
    with pytest.raises(SweepError, match=r"has format 2.*Use a newer"):
        SweepFolder(tmp_path)
    facts.write_bytes(msgspec.json.encode({**as_it_was, "eduverse": "0.0.1"}))
    with pytest.raises(SweepError, match=r"begun with eduverse-mesa 0\.0\.1"), open_sweep(tmp_path):
        pytest.fail("opened")
    assert status_of(SweepFolder(tmp_path)).done == 2, "to look at it is allowed"
    facts.write_bytes(b"{")
    with pytest.raises(SweepError, match="cannot be read"):
        SweepFolder(tmp_path)


def test_a_damaged_manifest_is_told_with_its_line(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    with (tmp_path / "manifest.jsonl").open("ab") as file:
        file.write(b'{"key": 3}\n')
    with pytest.raises(SweepError, match=r"manifest\.jsonl:3: this is damaged"):
        list(SweepFolder(tmp_path).lines())


def test_one_program_at_a_time(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    code = f"""
from pathlib import Path
from eduverse_mesa.experiments.sweeps.folder import open_sweep
with open_sweep(Path({str(tmp_path)!r})):
    print("in", flush=True)
    input()
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"in\n"
    assert status_of(SweepFolder(tmp_path)).taken
    with pytest.raises(SweepError, match="another program is at work here"), open_sweep(tmp_path):
        pytest.fail("opened")
    other.kill()
    other.communicate()
    with open_sweep(tmp_path) as folder:
        assert folder.taken
    assert not status_of(SweepFolder(tmp_path)).taken


def test_leftovers_of_a_kill_are_swept_up(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    part = tmp_path / "results" / ".s9-0000000000000000.parquet.part"
    part.write_bytes(b"half")
    (tmp_path / "attempts.jsonl").write_bytes(b'{"key":"a","attempts":1,"error":"e","at":""}\n{"key":"b","att')
    assert [attempt.key for attempt in SweepFolder(tmp_path).attempts()] == ["a"]
    with open_sweep(tmp_path) as folder:
        assert not part.exists()
        folder.note("c", 2, "")
    assert [attempt.key for attempt in SweepFolder(tmp_path).attempts()] == ["a", "c"]
    assert len(folder.done()) == 2


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"old")

    def break_off() -> None:
        with writing_whole(tmp_path / "a") as part:
            part.write_bytes(b"ne")
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        break_off()
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a", b"old")]


def test_a_begun_folder_without_its_manifest_is_begun_anew(tmp_path: Path) -> None:
    """As a kill leaves it before the manifest has its place."""
    play_all(tmp_path, 1)
    (tmp_path / "manifest.jsonl").unlink()
    with pytest.raises(SweepError, match="no sweep was begun here"), open_sweep(tmp_path):
        pytest.fail("opened")
    assert play_all(tmp_path, 1) == [], "its results are those of the same trials"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SweepError, match="cannot be made"):
        play_all(tmp_path / "file" / "out", 1)
    with alone_in(tmp_path):
        pass


def test_a_scenario_that_was_edited_is_not_played_under_the_old_key(tmp_path: Path) -> None:
    with begin_sweep(tmp_path, FACTS, plan(1)):
        pass
    file = next((tmp_path / "scenarios").iterdir())
    as_it_was = file.read_bytes()
    for edited in (as_it_was.replace(b'"steps":4', b'"steps":5'), b"\xff\xfe", b""):
        assert edited != as_it_was
        file.write_bytes(edited)
        for begin in (lambda: open_sweep(tmp_path), lambda: begin_sweep(tmp_path, FACTS, plan(1))):
            with pytest.raises(SweepError, match="was changed since the sweep was begun"), begin() as folder:
                list(play_sweep(folder, Serial()))
    assert not SweepFolder(tmp_path).done()
    file.write_bytes(as_it_was)
    assert len(play_all(tmp_path, 1)) == 2


def test_a_scenario_that_lay_there_before_the_sweep_is_not_believed(tmp_path: Path) -> None:
    play_all(tmp_path / "one", 1)
    name = next((tmp_path / "one" / "scenarios").iterdir()).name
    (tmp_path / "two" / "scenarios").mkdir(parents=True)
    (tmp_path / "two" / "scenarios" / name).write_text("{}")
    assert [ended.error for ended in play_all(tmp_path / "two", 1)] == ["", ""]


@pytest.mark.parametrize("content", [b"", b"PAR1 and nothing more", None])
def test_a_damaged_result_is_told_and_played_again(content: bytes | None, tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    whole = read_sweep(tmp_path)
    file = next((tmp_path / "results").iterdir())
    file.write_bytes(file.read_bytes()[:-20] if content is None else content)
    status = status_of(SweepFolder(tmp_path))
    assert (status.done, status.left, status.damaged) == (1, 1, (file.stem,))
    with open_sweep(tmp_path) as folder:
        assert [ended.key for ended in play_sweep(folder, Serial())] == [file.stem]
    assert read_sweep(tmp_path).equals(whole)
    assert status_of(SweepFolder(tmp_path)).damaged == ()


def test_results_that_are_gone_are_played_again(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    rmtree(tmp_path / "results")
    assert status_of(SweepFolder(tmp_path)).done == 0
    with open_sweep(tmp_path) as folder:
        assert len(list(play_sweep(folder, Serial()))) == 2
    assert status_of(SweepFolder(tmp_path)).left == 0


def test_an_empty_manifest_is_none(tmp_path: Path) -> None:
    play_all(tmp_path, 1)
    (tmp_path / "manifest.jsonl").write_bytes(b"")
    with pytest.raises(SweepError, match="no sweep was begun here"), open_sweep(tmp_path):
        pytest.fail("opened")
    assert play_all(tmp_path, 1) == []
    assert len(list(SweepFolder(tmp_path).lines())) == 2


@pytest.mark.parametrize("planted", [".planned.part", ".sweep.json.part", ".manifest.jsonl.part"])
def test_a_link_that_was_planted_is_not_written_through(planted: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("precious")
    out = tmp_path / "out"
    out.mkdir()
    (out / planted).symlink_to(mine)
    play_all(out, 1)
    assert mine.read_text() == "precious"


def test_no_key_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-secret-of-a-school")
    with begin_sweep(tmp_path, FACTS, plan(1)) as folder:
        folder.note("a", 1, "the-secret-of-a-school and sk-abcdefghijklmnopqrstuvwxyz0123 were refused")
    assert [attempt.error for attempt in folder.attempts()] == ["[key] and [key] were refused"]
