"""`eduverse replay`, `resume`, `fork`, `export` and `measure`, on a run that `eduverse run` kept."""

from __future__ import annotations

import csv
import json
from importlib.resources import files
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest

from eduverse_mesa.measures import load_reference
from eduverse_mesa.models.classroom import ClassroomModel
from eduverse_mesa.runs import open_study, replay_run, run_tables
from eduverse_mesa.runs.exports import FORMATS
from eduverse_mesa.runs.tables import as_text
from tests.cli.commands import call, refusal

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def study(capsys: Capture, tmp_path: Path) -> Path:
    path = tmp_path / "a study.study"
    assert call(capsys, "run", "--steps", "8", "-q", "--out", path).code == 0
    return path


def test_the_help_of_export_lists_every_format(capsys: Capture) -> None:
    shown = call(capsys, "export", "--help")
    assert shown.code == 0
    assert f"One of: {', '.join(FORMATS)}." in " ".join(shown.out.split())


def test_replay_and_resume_say_the_same(study: Path, capsys: Capture) -> None:
    replayed = call(capsys, "replay", study, "--json")
    assert replayed.code == 0
    assert call(capsys, "resume", study, "--json").out == replayed.out
    assert call(capsys, "replay", study, "--to", "2", "--json").document["steps"] == 2


def test_a_fork_shows_its_difference(study: Path, capsys: Capture) -> None:
    plain = call(capsys, "replay", study, "--json").document
    nothing = call(capsys, "fork", study, plain["run"], "--at", "3", "--policy", "embedded", "--json").document
    assert list(nothing) == ["parent", *plain, "refused", "difference"]
    assert nothing["refused"] == []
    assert nothing["parent"] == plain["run"]
    assert {part["difference"] for part in nothing["difference"].values()} <= {0.0, None}
    moved = call(capsys, "fork", study, plain["run"], "--at", "3", "--move", "Wang Fang=28,18", "--json").document
    assert any(part["difference"] for part in moved["difference"].values())
    assert call(capsys, "fork", study, plain["run"], "--at", "3", "--trait", "Liu Li.motivation=1").code == 0
    assert call(capsys, "fork", study, plain["run"], "--at", "3", "--act", "lecturing").code == 0
    assert call(capsys, "fork", study, plain["run"], "--at", "1:0", "--act", "lecturing").code == 0
    assert call(capsys, "fork", study, plain["run"], "--at", "0:3", "--act", "lecturing").code == 2


def test_a_fork_of_an_interrupted_run_is_not_held_against_it(
    study: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = ClassroomModel.step

    def stop(model: ClassroomModel) -> None:
        if model.state.step == 4:
            raise KeyboardInterrupt
        step(model)

    with monkeypatch.context() as patch:
        patch.setattr(ClassroomModel, "step", stop)
        assert call(capsys, "run", "--steps", "8", "--seed", "9", "-q", "--out", study).code == 130
    with open_study(str(study), read_only=True) as opened:
        run = opened.newest()
    said = refusal(capsys, "fork", study, "--at", "2", "--move", "Wang Fang=28,18")
    assert "it was interrupted after step 4 of lesson 1" in said
    assert f"Resume it first: eduverse resume '{study}' {run}." in said
    with open_study(str(study), read_only=True) as opened:
        assert len(opened.runs()) == 2
    assert call(capsys, "resume", study, run).code == 0
    assert call(capsys, "fork", study, "--at", "2", "--move", "Wang Fang=28,18").code == 0


def test_every_format_can_be_read_back(study: Path, capsys: Capture, tmp_path: Path) -> None:
    with open_study(str(study), read_only=True) as opened:
        run = replay_run(opened, opened.choose(None).id)
        log = list(opened.study.export_log(run.id))
    made = run_tables(run)
    for form in FORMATS:
        said = call(capsys, "export", study, "--format", form, "--out", tmp_path / form)
        assert said.code == 0
        assert all(Path(line).is_file() for line in said.out.splitlines())
    for name, table in made._asdict().items():
        parquet = pd.read_parquet(tmp_path / "parquet" / f"{name}.parquet")
        whose = ["run", "seed", "layout"]
        assert set(parquet["run"]) <= {run.id}
        pd.testing.assert_frame_equal(parquet.drop(columns=whose), table, check_dtype=False)
        read = pd.read_csv(tmp_path / "csv" / f"{name}.csv", keep_default_na=False)
        assert list(read.columns) == [*whose, *table.columns]
        assert len(read) == len(table)
    assert (tmp_path / "jsonl" / f"{run.id}.jsonl").read_text(encoding="utf-8").splitlines() == log
    growth = [
        json.loads(line) for line in (tmp_path / "growth" / f"{run.id}.growth.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(growth) == len(made.student_steps)
    statements = [
        json.loads(line) for line in (tmp_path / "xapi" / f"{run.id}.xapi.jsonl").read_text("utf-8").splitlines()
    ]
    assert len({statement["id"] for statement in statements}) == len(statements) == len(made.student_steps)
    for statement in statements:
        assert statement["actor"]["name"]
        assert statement["verb"]["id"].startswith("http")
        assert statement["object"]["id"].startswith("http")
    graph = nx.read_graphml(tmp_path / "graphml" / "01-spring_1.graphml")
    assert set(graph) == set(made.student_steps["student"])
    assert all({"x", "y", "role"} <= set(node) for _, node in graph.nodes(data=True))


def test_spreadsheets_see_the_letters_of_all_languages(study: Path, capsys: Capture, tmp_path: Path) -> None:
    made = set()
    for form, more in (("csv", ()), ("csv", ("--all",)), ("transcript", ())):
        for line in call(capsys, "export", study, "--format", form, *more, "--out", tmp_path / form).out.splitlines():
            content = Path(line).read_bytes()
            assert content.startswith(b"\xef\xbb\xbf")
            assert content.count(b"\xef\xbb\xbf") == 1, "also where runs stand below one another"
            assert b"\r" not in content
            made.add(Path(line).name)
    assert {"sentences.csv", "01-spring_1.csv"} <= made
    assert call(capsys, "measure", tmp_path / "transcript" / "01-spring_1.csv").code == 0, "we read it ourselves"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    table = as_text(pd.DataFrame({"text": [f"{start}cmd()", "a=b", 3, None]}))
    assert table["text"].tolist() == [f"'{start}cmd()", "a=b", 3, None]


@pytest.mark.parametrize("form", ["jsonl", "growth", "xapi"])
def test_a_file_is_named_as_it_was_asked_for(
    form: str, study: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_study(str(study), read_only=True) as opened:
        (run,) = opened.runs()
    kind = "" if form == "jsonl" else f".{form}"
    names = {"log.jsonl": "log.jsonl", "v1.5": f"v1.5/{run}{kind}.jsonl"}
    for out, name in names.items():
        assert call(capsys, "export", study, "--format", form, "--out", out).out == f"{Path(name)}\n"
    (line,) = call(capsys, "export", study, "--format", form, "--out", ".").out.splitlines()
    assert Path(line).is_file()


def test_what_cannot_be_exported_is_said(study: Path, capsys: Capture, tmp_path: Path) -> None:
    assert "parquet" in refusal(capsys, "export", study, "--format", "docx")
    for form in FORMATS:
        assert str(study) in refusal(capsys, "export", study, "--format", form, "--out", study / "x")


def test_a_name_that_ends_like_a_file_is_one_or_is_refused(study: Path, capsys: Capture, tmp_path: Path) -> None:
    for form, name in (("transcript", "talk.csv"), ("graphml", "peers.graphml"), ("xapi", "x.jsonl")):
        said = call(capsys, "export", study, "--format", form, "--out", tmp_path / name)
        assert said.out == f"{tmp_path / name}\n"
        assert (tmp_path / name).is_file()
    for form, name, mend in (
        ("xapi", "x.json", "a name that ends in .jsonl"),
        ("csv", "tables.csv", "--format csv does not write one .csv file. Give a folder."),
        ("transcript", "talk.xlsx", "a name that ends in .csv"),
    ):
        assert mend in refusal(capsys, "export", study, "--format", form, "--out", tmp_path / name)
        assert not (tmp_path / name).exists()
    assert "Give a folder." in refusal(
        capsys, "export", study, "--all", "--format", "transcript", "--out", tmp_path / "all.csv"
    )


def test_a_study_that_is_not_there_is_said_to_be_none(capsys: Capture, tmp_path: Path) -> None:
    assert "there is no such study" in refusal(capsys, "list", tmp_path / "nosuch.study")
    assert "no kind of document 'nonsense'" in refusal(capsys, "list", "nonsense")


def test_a_complete_run_is_said_to_have_nothing_left(study: Path, capsys: Capture) -> None:
    with open_study(str(study), read_only=True) as opened:
        (row,) = opened.runs()
    before = study.read_bytes()
    for more in ((), ("--json",)):
        said = call(capsys, "resume", study, *more)
        assert f"Run {row} is complete already: nothing was played, and nothing was written." in said.err
        assert "Kept" not in said.out
    assert study.read_bytes() == before


def test_a_move_that_cannot_be_is_refused_before_anything_is_played(study: Path, capsys: Capture) -> None:
    said = refusal(capsys, "fork", study, "--at", "2", "--move", "Wang Fang=900,900")
    assert "Wang Fang cannot go to (900, 900)" in said
    assert "outside the room" in said
    with open_study(str(study), read_only=True) as opened:
        assert len(opened.runs()) == 1


def test_a_move_to_the_own_seat_is_told(study: Path, capsys: Capture) -> None:
    with open_study(str(study), read_only=True) as opened:
        rows = replay_run(opened, opened.newest()).lessons[0].model.journal.students
    row = next(row for row in rows if row.student == "Wang Fang")
    move = ("fork", study, "--at", "2", "--move", f"Wang Fang={row.x},{row.y}")
    said = call(capsys, *move)
    assert said.code == 1
    assert "!! Wang Fang was not moved in step 3" in said.out
    assert "Nothing differs" in said.out
    told = call(capsys, *move, "--json")
    assert told.code == 1
    assert "sits there already" in told.document["refused"][0]


def test_a_group_without_a_command_shows_its_commands(capsys: Capture) -> None:
    said = call(capsys, "sweep")
    assert said.code == 2
    assert said.err.startswith("Usage: ")
    assert "\nCommands:\n" in said.err


def test_mistakes_with_studies_are_said(study: Path, capsys: Capture, tmp_path: Path) -> None:
    assert "no run" in refusal(capsys, "replay", study, "nothing")
    assert "no step" in refusal(capsys, "replay", study, "--to", "99")
    assert "no step" in refusal(capsys, "fork", study, "--at", "99", "--act", "lecturing")
    assert "nothing is changed" in refusal(capsys, "fork", study, "--at", "2")
    assert "--move" in refusal(capsys, "fork", study)
    for place in ("0:1", "x", "1:2:3", "-4"):
        assert "step" in refusal(capsys, "replay", study, f"--to={place}")
    for change in ("--move=Nobody=r1_1", "--move=Wang Fang", "--trait=Liu Li.charm=1", "--trait=Liu Li", "--act=dance"):
        assert "error" in refusal(capsys, "fork", study, "--at", "2", change)
    (tmp_path / "diary").write_text("Dear diary", encoding="utf-8")
    for command in ("resume", "replay", "fork", "export"):
        for wrong in ("diary", "missing", "."):
            assert str(tmp_path / wrong) in refusal(capsys, command, tmp_path / wrong)
    with open_study(str(study), read_only=True) as opened:
        assert len(opened.runs()) == 1


# --- measure ---


def test_measures_are_those_of_the_reference(study: Path, capsys: Capture, tmp_path: Path) -> None:
    call(capsys, "export", study, "--format", "transcript", "--out", tmp_path / "talk")
    (transcript,) = (tmp_path / "talk").iterdir()
    said = call(capsys, "measure", transcript, "--json")
    assert said.code == 0
    (document,) = said.document
    reference = load_reference(files("eduverse_mesa.scenarios") / "reference" / "real_classes.csv")
    names = list(reference["metric"] if "metric" in reference.columns else reference.index)
    assert list(document) == ["lesson", *names, "short"]
    assert call(capsys, "measure", transcript).code == 0
    # What was written is what is measured: the public sentences, in their order.
    with open_study(str(study), read_only=True) as opened:
        sentences = run_tables(replay_run(opened, opened.choose(None).id)).sentences
    with transcript.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    public = sentences[sentences["channel"] == "class"]
    assert [row["Sentence"] for row in rows] == public["text"].tolist()
    from eduverse_mesa.measures import measure_lessons

    (measured,) = measure_lessons(sentences).to_dict(orient="records")
    for name in names:
        assert document[name] == pytest.approx(measured[name], nan_ok=True) or measured[name] != measured[name]


GARBAGE = {
    "binary.csv": bytes(range(256)) * 20,
    "empty.csv": b"",
    "other.csv": b"a,b\n1,2\n",
    "no.xlsx": b"PK\x03\x04 not a workbook",
    "diary.docx": b"Dear diary",
}


@pytest.mark.parametrize("name", [*GARBAGE, "folder", "missing.csv"])
def test_what_is_no_transcript_is_said(name: str, capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / name
    if name in GARBAGE:
        path.write_bytes(GARBAGE[name])
    elif name == "folder":
        path.mkdir()
    assert name in refusal(capsys, "measure", path, "--json")


def test_which_of_several_runs_is_exported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "two.study"
    for seed in ("1", "2"):
        call(capsys, "mathvc", "play", "race_fuel", "--watch", "--seed", seed, "--out", study, "--set", "turns=4")
    assert "race_fuel-2; --all" in call(capsys, "export", study, "--out", tmp_path / "new").err
    assert call(capsys, "export", study, "race_fuel-1", "--out", tmp_path / "named").err == ""


def test_a_file_that_is_no_study_is_refused_before_anything_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "juice.yaml"
    file.write_text("kind: problem\n", encoding="utf-8")
    assert "this is no study" in refusal(capsys, "app", "--no-open", "--port", "0", "--study", file)
    assert file.read_text(encoding="utf-8") == "kind: problem\n"
