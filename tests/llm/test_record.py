"""A run that was kept is replayed without any model, bit for bit, or it is said what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm import LLM, NoAnswerError
from eduverse_mesa.policies.replay import NotRecordedError
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
    with pytest.raises(PolicyError, match="there is a file of this name"):
        LLM.scripted(lambda resident: Move.STAY, keep=path)
    assert path.read_bytes() == before


def test_what_stood_in_is_worked_out_again_by_the_same_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", "none")
    path = tmp_path / "run.jsonl"

    def instead(resident: Resident) -> Move:
        return Move.GO if resident.model.random.random() < 0.5 else Move.STAY

    with serving(FakeServer(usual=decides(sometimes_useless))) as server:
        town = played(LLM("small", base_url=server.url, keep=path), 3, otherwise=instead)
    again = played(LLM.replay(path), 3, otherwise=instead)
    assert again.history == town.history
    assert [r.status for r in again.responses] == [r.status for r in town.responses]


def test_a_rule_can_be_kept_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "rule.jsonl"
    town = played(LLM.scripted(lambda resident: Move.GO if resident.place % 2 else Move.STAY, keep=path), 2)
    assert played(LLM.replay(path), 2).history == town.history


def test_another_question_is_not_answered_by_an_old_answer(kept: tuple[Path, Town]) -> None:
    with pytest.raises(NotRecordedError, match=r"step 1: something else was asked of Resident \d+ when this run"):
        played(LLM.replay(kept[0]), 3, rng=2)
    with pytest.raises(NotRecordedError, match="something else was asked"):
        played(LLM.replay(kept[0]), 3, instructions="You live in a town.")
    with pytest.raises(NotRecordedError, match="step 4: nothing more was asked of Resident 1"):
        played(LLM.replay(kept[0]), 4)
    with pytest.raises(NotRecordedError, match="nothing more was asked of Resident 7"):
        played(LLM.replay(kept[0]), 1, residents=7)


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
