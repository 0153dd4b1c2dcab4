"""`eduverse mathvc play` and `eduverse experiment mathvc`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from eduverse_mesa.cli.commands import app
from eduverse_mesa.runs.groups import GroupSpec, UnkeptTalk, begin_talk, keep_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.scenarios.loader import load_collaboration
from eduverse_mesa.store import TalkRow
from eduverse_mesa.store.accounts import add_account
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.store.dialogues import messages_of
from tests.runs.test_collaboration import spec

RUNNER = CliRunner()


def test_peers_can_be_watched_to_the_end() -> None:
    done = RUNNER.invoke(app, ["mathvc", "play", "race_fuel", "--watch"])
    assert done.exit_code == 0
    assert "Alice:" in done.output
    assert "Bob:" in done.output
    assert "Solved in" in done.output
    assert "the answer is right" in done.output


def test_a_person_talks_in_the_terminal_and_leaves() -> None:
    done = RUNNER.invoke(app, ["mathvc", "play", "--name", "Noa"], input="hi Bob\n\n\nok\n/quit\n")
    assert done.exit_code == 0
    assert "before it was solved" in done.output
    assert "Noor would like" in done.output


def test_the_end_of_the_input_is_the_end_of_the_talk() -> None:
    done = RUNNER.invoke(app, ["mathvc", "play"], input="hello\n")
    assert done.exit_code == 0
    assert "before it was solved" in done.output


def test_a_person_in_the_terminal_is_told_how_to_go_on_and_is_waited_for() -> None:
    done = RUNNER.invoke(app, ["mathvc", "play"], input="\n" * 40)
    assert done.exit_code == 0
    assert "/quit ends it" in done.output
    assert "(They wait for you.)" in done.output


def test_a_chinese_problem_is_solved_in_chinese(tmp_path: Path) -> None:
    study = str(tmp_path / "zh.study")
    play = ["mathvc", "play", "steps_and_distance_zh", "--name", "小明", "--out", study]
    said = RUNNER.invoke(app, play, input="你好\n\n\n/quit\n").output
    assert "[理解题意]" in said
    assert "已保存为运行" in said
    again = RUNNER.invoke(app, ["replay", study]).output
    assert "还没有结束" in again
    names = {"eduverse", "mathvc", "play", "out", "run", "quit"}
    told = re.sub(r"\S*zh\S*", "", f"{said}{again}")
    assert set(re.findall(r"[A-Za-z]{2,}", told)) <= names
    assert "答案正确" in RUNNER.invoke(app, ["mathvc", "play", "steps_and_distance_zh", "--watch"]).output


def test_a_talk_in_the_terminal_is_kept_and_gone_on_with(tmp_path: Path) -> None:
    study = str(tmp_path / "mine.study")
    begun = RUNNER.invoke(
        app, ["mathvc", "play", "race_fuel", "--name", "Noa", "--out", study], input="hi Bob\n\n/quit\n"
    )
    assert "--run race_fuel-1" in begun.output
    assert "race_fuel-1  interrupted, seed 1, Alice, Bob on race_fuel" in RUNNER.invoke(app, ["list", study]).output
    more = RUNNER.invoke(app, ["mathvc", "play", "--out", study, "--run", "race_fuel-1"], input="ok\n/quit\n")
    assert "Noa: hi Bob" in more.output
    told = json.loads(RUNNER.invoke(app, ["replay", study, "--json"]).output)
    assert [one["text"] for one in told["messages"] if one["speaker"] == "Noa"] == ["hi Bob", "ok"]


def test_a_dialogue_goes_on_as_it_was_and_a_pupils_only_by_the_pupil(tmp_path: Path) -> None:
    study = str(tmp_path / "class.study")
    with open_study(study, create=True) as opened:
        pupil = add_account(opened.study, "kiwi", "student", "correct horse")
        work = add_assignment(opened.study, "Week 1", "{}", [pupil.id], pupil.id)
        begin_talk(opened, spec(), "of-kiwi", of=TalkRow("of-kiwi", pupil.id, work.id, "steps_and_distance"))
    for words, told in [
        (["mathvc", "play", "--out", study, "--run", "of-kiwi"], "is a pupil's"),
        (["resume", study, "of-kiwi"], "is a pupil's"),
        (
            ["mathvc", "play", "race_fuel", "--seed", "9", "--out", study, "--run", "of-kiwi"],
            "PROBLEM race_fuel, --seed",
        ),
        (["mathvc", "play", "--budget-usd", "1", "--out", study, "--run", "of-kiwi"], "--budget-usd: a dialogue that"),
    ]:
        refused = RUNNER.invoke(app, words, input="I am not kiwi\n")
        assert refused.exit_code
        assert told in str(refused.exception)
    with open_study(study) as opened:
        assert messages_of(opened.study, "of-kiwi") == []


def test_peers_are_changed_by_their_names() -> None:
    words = ["mathvc", "play", "race_fuel", "--watch", "--set", "peers.Alice.name=Ines", "--set", "turns=10"]
    assert "Ines: " in RUNNER.invoke(app, words).output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no_such_problem"], "no_such_problem"),
        (["--set", "nonsense=1"], "nonsense"),
        (["--policy", "llm"], "--model"),
        (["--model", "some"], "asks no language model"),
        (["--run", "race_fuel-1"], "Name the one it is in"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(words: list[str], told: str) -> None:
    done = RUNNER.invoke(app, ["mathvc", "play", *words])
    assert done.exit_code != 0
    assert "Traceback" not in done.output
    assert told in str(done.exception)


def test_the_experiment_writes_tables_and_one_document(tmp_path: Path) -> None:
    words = ["experiment", "mathvc", "--seeds", "1", "--engine", "serial", "--json", "--out", str(tmp_path)]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0
    told = json.loads(done.output)
    assert told["dialogues"] == 27
    turns = {one["arm"]: one["mean"] for one in told["numbers"] if one["measure"] == "turns"}
    assert turns["vanilla"] < turns["full"] / 2
    page = (tmp_path / "mathvc.html").read_text(encoding="utf-8")
    assert "The peer of limited skill is the first to err." in page
    assert "paper 15.500, predicted" in page
    assert "paper 0.424, fitted" in page
    assert "by construction" in page
    messages = pd.read_parquet(tmp_path / "messages.parquet")
    assert messages["dialogue"].nunique() == 27
    assert set(pd.read_parquet(tmp_path / "statements.parquet")["verdict"]) == {"unknown"}, "one seed has no interval"


def test_a_kept_dialogue_is_listed_gone_on_with_and_read_again(tmp_path: Path) -> None:
    study = str(tmp_path / "groups.study")
    talk = UnkeptTalk(GroupSpec(load_collaboration(problem="race_fuel"), 3))
    for _ in range(3):
        talk.advance(talk.due or 0.0)
    with open_study(study, create=True) as opened:
        run = keep_talk(opened, talk)
        begin_talk(opened, spec(), "with-mia")
    listed = RUNNER.invoke(app, ["list", study]).output
    assert f"{run}  interrupted, seed 3, Alice, Bob on race_fuel" in listed
    read = RUNNER.invoke(app, ["replay", study, run])
    assert "It stands at message 3" in read.output
    done = RUNNER.invoke(app, ["resume", study, run])
    assert "the answer is right" in done.output
    again = json.loads(RUNNER.invoke(app, ["replay", study, run, "--json"]).output)
    assert (again["solved"], again["over"], again["messages"][0]["speaker"]) == (True, True, talk.messages[0].speaker)
    early = json.loads(RUNNER.invoke(app, ["replay", study, run, "--to", "2", "--json"]).output)
    assert early["messages"] == again["messages"][:2]
    for words, told in [
        (["resume", study, "with-mia"], "people sit in run with-mia"),
        (["replay", study, run, "--to", "99"], "and none 99"),
        (["resume", study, run, "--budget-usd", "1"], "policy 'embedded' asks no language model"),
        (["fork", study, run], "of a group"),
    ]:
        refused = RUNNER.invoke(app, words)
        assert refused.exit_code
        assert told in str(refused.exception)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["matvc"], "Did you mean 'mathvc'?"),
        (["simlearner-9"], "simlearner-all, mathvc"),
        (["mathvc", "--set", "arm=vanilla"], "every arm is played"),
    ],
)
def test_an_experiment_that_is_not_there_is_told_with_all_that_are(words: list[str], told: str) -> None:
    done = RUNNER.invoke(app, ["experiment", *words, "--seeds", "1"])
    assert done.exit_code
    assert told in str(done.exception)
