"""Groups' dialogues for other tools: tidy tables with a codebook, the answer log and a transcript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.measures.groups import talk_shares
from eduverse_mesa.runs.exports import FORMATS, TAUGHT_FORMATS, codebook, export_all, export_run
from eduverse_mesa.runs.groups import GroupSpec, UnkeptTalk, begin_talk, keep_talk
from eduverse_mesa.runs.groups.tables import DialogueTables, dialogue_tables
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.scenarios.loader import load_collaboration
from eduverse_mesa.store import MessageRow


@pytest.fixture
def played() -> UnkeptTalk:
    """A whole dialogue, all virtual."""
    talk = UnkeptTalk(GroupSpec(load_collaboration(problem="race_fuel"), 4))
    while not talk.over:
        talk.advance(talk.model.now)
    return talk


@pytest.fixture
def opened(tmp_path: Path, played: UnkeptTalk) -> Iterator[OpenStudy]:
    """A study with it, and with another that has just begun, with a person."""
    with open_study(str(tmp_path / "a.study"), create=True) as study:
        keep_talk(study, played)
        begun = begin_talk(study, GroupSpec(load_collaboration(problem="treat_bags", seats=["Mia"]), 1), "begun")
        assert isinstance(begun.say("Mia", "=1+1 is two", 2.0, "key 1"), MessageRow)
        yield study


def test_tables_of_all_runs_stand_below_one_another_beside_their_codebook(
    opened: OpenStudy, played: UnkeptTalk, tmp_path: Path
) -> None:
    paths = export_all(opened, "csv", tmp_path / "all")
    assert [path.stem for path in paths] == [*DialogueTables._fields, "codebook"]
    tables = {path.stem: pd.read_csv(path, keep_default_na=False) for path in paths}
    own = tables["messages"][tables["messages"]["run"] == played.run]
    assert own["text"].tolist() == [row.text for row in played.model.journal.messages]
    assert own["act"].tolist() == [row.act for row in played.model.journal.messages]
    assert set(own["seed"]) == {4}
    assert set(own["group"]) == {"alice_and_bob"}
    assert set(tables["errors"]["run"]) == {played.run}
    assert len(tables["revisions"]) == len(played.model.journal.revisions) > 0
    assert len(tables["stages"]) == len(played.model.journal.stages) + 1
    assert tables["turns"].groupby("run")["turns"].sum()[played.run] == len(own) == tables["acts"]["n"].sum() - 1
    numbers = tables["dialogues"][["run", "turns", "over", "solved", "introduced"]].values.tolist()
    assert numbers == [[played.run, len(own), True, 1, 1], ["begun", 1, False, 0, 0]]


def test_no_cell_is_a_formula_and_every_column_has_its_meaning(opened: OpenStudy, tmp_path: Path) -> None:
    paths = export_run(opened, "begun", "csv", tmp_path / "one")
    tables = {path.stem: pd.read_csv(path, keep_default_na=False) for path in paths}
    assert tables["messages"]["text"].tolist() == ["'=1+1 is two"]
    book = tables.pop("codebook")
    known = set(zip(book["table"], book["column"], strict=True))
    for name, table in tables.items():
        for column in table.columns:
            assert (name, column) in known or ("all", column) in known, (name, column)
    assert len(known) == len(codebook(["collaboration"]))


def test_parquet_keeps_types_and_measures_read_it(opened: OpenStudy, played: UnkeptTalk, tmp_path: Path) -> None:
    export_run(opened, played.run, "parquet", tmp_path / "p")
    messages = pd.read_parquet(tmp_path / "p" / "messages.parquet")
    assert talk_shares(messages, ["run"])["share"].sum() == pytest.approx(1)
    assert messages["asks"].dtype == bool
    assert (tmp_path / "p" / "codebook.csv").is_file()


def test_a_transcript_is_one_file_and_what_a_group_has_not_is_refused(
    opened: OpenStudy, played: UnkeptTalk, tmp_path: Path
) -> None:
    [path] = export_run(opened, played.run, "transcript", tmp_path / "said.csv")
    said = pd.read_csv(path)
    assert list(said.columns) == ["turn", "now", "stage", "speaker", "text"]
    assert said["turn"].tolist() == [row.turn for row in played.model.journal.messages]
    [log] = export_run(opened, played.run, "jsonl", tmp_path / "log")
    assert len(log.read_text().splitlines()) >= len(played.model.journal.answers)
    for form in set(FORMATS) - set(TAUGHT_FORMATS):
        with pytest.raises(StudyError, match=f"is of a group: there is no {form} of it.*csv, parquet, jsonl"):
            export_run(opened, played.run, form, tmp_path / form)


def test_a_dialogue_in_which_nothing_was_said_has_a_row_too() -> None:
    model = UnkeptTalk(GroupSpec(load_collaboration(problem="treat_bags", seats=["Mia"]), 1)).model
    made = dialogue_tables(model)
    assert made.messages.empty
    assert made.dialogues["stage"].tolist() == ["understand"]
    assert made.dialogues["turns"].isna().all()
