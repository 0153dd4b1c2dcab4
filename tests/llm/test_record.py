"""A run that was kept is replayed without any model, bit for bit, or it is said what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm import LLM, NoAnswerError
from eduverse_mesa.llm.forms import Form
from eduverse_mesa.llm.questions import Ask
from eduverse_mesa.policies.recorded import NotRecordedError
from eduverse_mesa.randomness import Address
from tests.llm.town import Move, Resident, Town, by_number, decides, played
from tests.policies.llm.fake_server import Exchange, FakeServer
from tests.runs.model_servers import serving


def sometimes_useless(exchange: Exchange) -> str:
    """Resident 3 never answers, resident 4 at the second time of asking, the others at once."""
    messages = exchange.body["messages"]
    question = next(message["content"] for message in messages if message["role"] == "user")
    if "resident 3." in question or ("resident 4." in question and messages[-1]["content"] == question):
        return "Hm."
    return by_number(exchange)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Town]:
    """A record, and the town of which it is one; its server is gone."""
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    path = tmp_path / "records" / "run.jsonl"
    with serving(FakeServer(usual=decides(sometimes_useless))) as server:
        llm = LLM("small", base_url=server.url, keep=path, seed=5, instructions="You live in a city.")
        town = played(llm, 3)
    return path, town


def test_a_replay_is_the_same_run(kept: tuple[Path, Town]) -> None:
    path, town = kept
    again = played(LLM.replay(path), 3)
    assert again.history == town.history
    assert len({tuple(places) for places in town.history}) > 1

    def seen(one: Town) -> list[tuple[object, ...]]:
        return [(r.agent.unique_id, r.status, r.reason, r.attempts, r.source, r.usage) for r in one.responses]

    assert seen(again) == seen(town)
    assert {r.status for r in again.responses} == {"ok", "repaired", "failed"}
    assert again.llm.table().equals(town.llm.table())
    assert (again.llm.name, again.llm.seed) == ("small", 5)
    with pytest.raises(NoAnswerError, match="there is no answer: there is no complete JSON object"):
        _ = next(r for r in again.responses if r.status == "failed").value


def test_a_replay_can_be_kept_by_nobody_else_and_a_record_is_not_overwritten(kept: tuple[Path, Town]) -> None:
    path, _ = kept
    before = path.read_bytes()
    with pytest.raises(PolicyError, match=r"holds something already.*overwrite=True"):
        LLM.scripted(lambda resident: Move.STAY, keep=path)
    assert path.read_bytes() == before


def test_what_stood_in_is_taken_from_the_record_and_its_luck_changes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    path = tmp_path / "run.jsonl"

    def instead(resident: Resident) -> Move:
        return Move.GO if resident.model.random.random() < 0.5 else Move.STAY

    with serving(FakeServer(usual=decides(sometimes_useless))) as server:
        town = played(LLM("small", base_url=server.url, keep=path), 3, otherwise=instead)

    def today(resident: Resident) -> Move:
        raise AssertionError("a replay asks nobody")

    for options in ({"otherwise": today}, {"otherwise": instead}, {}):
        again = played(LLM.replay(path), 3, **options)
        assert again.history == town.history
        assert [r.status for r in again.responses] == [r.status for r in town.responses]
        assert [r.value for r in again.responses] == [r.value for r in town.responses]


def test_a_rule_can_be_kept_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "rule.jsonl"
    town = played(LLM.scripted(lambda resident: Move.GO if resident.place % 2 else Move.STAY, keep=path), 2)
    assert played(LLM.replay(path), 2).history == town.history


def test_another_question_is_not_answered_by_an_old_answer(kept: tuple[Path, Town]) -> None:
    with pytest.raises(
        NotRecordedError, match=r"Resident \d+, step 1: something else was asked of Resident \d+ when this run"
    ):
        played(LLM.replay(kept[0]), 3, rng=2)
    with pytest.raises(NotRecordedError, match="something else was asked"):
        played(LLM.replay(kept[0]), 3, instructions="You live in a town.")
    with pytest.raises(NotRecordedError, match="Resident 1, step 4: nothing more was asked of Resident 1"):
        played(LLM.replay(kept[0]), 4)
    with pytest.raises(NotRecordedError, match="nothing more was asked of Resident 7"):
        played(LLM.replay(kept[0]), 1, residents=7)


def test_a_recorded_failure_stays_one(kept: tuple[Path, Town]) -> None:
    path, town = kept
    again = played(LLM.replay(path), 3, otherwise=lambda resident: Move.GO)
    assert again.history == town.history
    assert [r.status for r in again.responses] == [r.status for r in town.responses]


def test_a_record_tells_what_was_said_in_vain(kept: tuple[Path, Town]) -> None:
    path, town = kept
    for table in (town.llm.table(), played(LLM.replay(path), 3).llm.table()):
        assert set(table[table["status"] == "failed"]["said"]) == {"Hm."}
        assert set(table[table["status"] == "ok"]["said"]) == {""}


def test_the_luck_of_a_rule_is_no_other_in_a_replay(tmp_path: Path) -> None:
    def rule(resident: Resident) -> Move:
        return Move.GO if resident.random.random() + resident.rng.random() < 1 else Move.STAY

    path = tmp_path / "rule.jsonl"
    town = played(LLM.scripted(rule, keep=path), 4)
    assert {one.value for one in town.responses} == set(Move)
    assert played(LLM.replay(path), 4).history == town.history


def test_a_change_of_the_question_is_shown(kept: tuple[Path, Town]) -> None:
    llm = LLM.replay(kept[0])
    with pytest.raises(NotRecordedError, match=r"Its question was 'You live.*and is now 'Do you move") as caught:
        llm.ask(Town(llm).agents, "Do you move?", Move)
    assert "Resident 1, step 0" in str(caught.value)
    assert "Mesa model" in str(caught.value)


def test_a_file_without_answers_is_written_over_and_one_with_answers_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.touch()
    LLM.scripted(lambda resident: Move.STAY, keep=path)
    played(LLM.scripted(lambda resident: Move.STAY, keep=path), 1)
    played(LLM.scripted(lambda resident: Move.GO, keep=path, overwrite=True), 1)
    assert {r.value for r in played(LLM.replay(path), 1).responses} == {Move.GO}


def test_two_runs_do_not_write_into_one_file(tmp_path: Path) -> None:
    one, other = (LLM.scripted(lambda resident: Move.STAY, keep=tmp_path / "run.jsonl") for _ in range(2))
    played(one, 1)
    with pytest.raises(PolicyError, match="another run writes into this file"):
        played(other, 1)


def test_several_models_that_ask_the_same_llm_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    llm = LLM.scripted(lambda resident: Move.GO if resident.place % 2 else Move.STAY, keep=path)
    towns = [played(llm, 2, rng=seed) for seed in (1, 2)]
    again = LLM.replay(path)
    assert [played(again, 2, rng=seed).history for seed in (1, 2)] == [town.history for town in towns]


def test_a_record_of_the_first_format_is_replayed(kept: tuple[Path, Town]) -> None:
    path, town = kept
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[0]["format"] = 1
    for line in lines[1:]:
        line.pop("said", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert played(LLM.replay(path), 3).history == town.history


class Plate(BaseModel):
    """An answer whose bounds earlier versions did not tell."""

    letters: str = Field(min_length=3, max_length=9, pattern="^[A-Z]+$", description="The plate.")
    description: str
    owners: list[Annotated[str, Field(pattern="a|b")]] = Field(max_length=2)
    note: Annotated[str, Field(min_length=2)] | None


def test_what_models_are_told_more_of_a_form_does_not_make_old_records_unknown() -> None:
    asked = Ask(
        at=Address(1, 0, 1, "x"),
        who=None,
        question="Q?",
        instructions="",
        form=Form.of(Plate),
        tools=(),
        most=0,
        language="en",
    ).asked
    assert asked == "15129c1e130ff7b2", "the fingerprint of format 2"


def test_an_end_that_a_kill_has_cut_off_is_left_out(kept: tuple[Path, Town]) -> None:
    path, town = kept
    path.write_bytes(path.read_bytes()[:-20])
    llm = LLM.replay(path)
    again = played(llm, 2)
    assert again.history == town.history[:2]
    with pytest.raises(NotRecordedError, match="step 3: nothing more was asked of Resident 6"):
        again.step()


def test_damage_is_named_with_its_line(kept: tuple[Path, Town]) -> None:
    path, _ = kept
    lines = path.read_bytes().split(b"\n")
    lines[4] = lines[4][:30]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(PolicyError, match=r"run.jsonl, line 5: this line is damaged"):
        LLM.replay(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "this is no record"),
        (b"\xff\xfe\n", "this is no record"),
        (b'{"eduverse_mesa":"study","format":1,"model":"m","seed":0}\n', "this is no record"),
        (b'{"eduverse_mesa":"llm","format":99,"model":"m","seed":0}\n', "a newer version"),
    ],
    ids=["missing", "empty", "bytes", "other", "newer"],
)
def test_other_files_are_no_records(content: bytes | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PolicyError, match=words):
        LLM.replay(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PolicyError, match="the record cannot be written"):
        LLM.scripted(lambda resident: Move.STAY, keep=tmp_path / "file" / "run.jsonl")
