"""Answers outlive the process that got them."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import AnswerCache, call_key
from eduverse_mesa.policies.llm.calls import Call, Completion, Message, Sampling, Usage
from tests.policies.llm.calling.kit import KEY, ask, calling, run
from tests.policies.llm.fake_server import FakeServer, echoes

_CHILD = """
import asyncio, os, sys
from pathlib import Path
from eduverse_mesa.policies.llm.calling import AnswerCache, call_key
from eduverse_mesa.policies.llm.calls import Completion
from tests.policies.llm.calling.kit import ask

async def put(cache, number):
    await cache.put(call_key(ask(f"{sys.argv[2]} {number}")), Completion(f"answer {number}"))
    os.write(1, f"{number}\\n".encode())  # handed on

async def work():
    cache = AnswerCache(Path(sys.argv[1]))
    rounds = int(sys.argv[3])
    for turn in range(rounds):
        await asyncio.gather(*(put(cache, 7 * turn + agent) for agent in range(7)))
    cache.close()

asyncio.run(work())
"""


def _child(path: Path, name: str, rounds: int) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4])}
    command = [sys.executable, "-c", _CHILD, str(path), name, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)


def _reopened(path: Path) -> AnswerCache:
    return AnswerCache(path)


def test_killed_at_once_no_answer_that_was_handed_on_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    child = _child(path, "killed", 10**6)
    assert child.stdout is not None
    handed_on = [int(child.stdout.readline()) for _ in range(200)]
    child.send_signal(signal.SIGKILL)
    handed_on += [int(line) for line in child.stdout.read().split(b"\n")[:-1]]
    child.stdout.close()
    child.wait()
    cache = _reopened(path)
    for number in handed_on:
        answer = cache.get(call_key(ask(f"killed {number}")))
        assert answer is not None
        assert answer.text == f"answer {number}"
    cache.close()


def test_processes_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    children = [_child(path, name, 20) for name in ("one", "two", "three")]
    for child in children:
        child.communicate()
        assert child.returncode == 0
    cache = _reopened(path)
    assert cache.count() == 3 * 140
    assert cache.clear() == 3 * 140
    assert cache.count() == 0
    cache.close()


@given(
    st.text(),
    st.sampled_from(["stop", "length", "refused"]),
    st.none() | st.integers(0, 2**50),
    st.none() | st.integers(0, 2**50),
)
def test_an_answer_comes_back_as_it_went(
    tmp_path_factory: pytest.TempPathFactory, text: str, finish: str, tokens_in: int | None, tokens_out: int | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.sqlite"
    text = text.encode("utf-8", "replace").decode()
    completion = Completion(text, finish, Usage(tokens_in, tokens_out))  # type: ignore[arg-type]
    key = call_key(ask(f"{text}{finish}{tokens_in}{tokens_out}"))
    cache = AnswerCache(path)
    asyncio.run(cache.put(key, completion))
    back = cache.get(key)
    assert back == Completion(text, completion.finish, completion.usage, remembered=True)
    cache.close()


def test_everything_that_was_asked_is_in_the_address() -> None:
    call = ask()
    others = [
        Call("other", call.messages, call.sampling),
        Call(call.model, (Message("system", "hello"),), call.sampling),
        Call(call.model, (*call.messages, *call.messages), call.sampling),
        Call(call.model, call.messages, Sampling(temperature=0.4, max_tokens=50)),
        Call(call.model, call.messages, call.sampling, {"type": "object"}),
        Call(call.model, call.messages, call.sampling, None, "answer", 1),
    ]
    keys = {call_key(other) for other in [call, ask(), *others]}
    assert len(keys) == 1 + len(others)
    first = ask(schema={"type": "object", "properties": {}})
    assert call_key(first) == call_key(ask(schema={"properties": {}, "type": "object"}))


def test_the_address_is_the_same_on_every_machine() -> None:
    assert call_key(Call("m", (Message("user", "é"),))).hex() == "beb80875d88461ebe4670cebc9646446417ba373"


def test_neither_key_nor_prompt_is_in_the_file(tmp_path: Path) -> None:
    async def work() -> None:
        cache = AnswerCache(tmp_path / "answers.sqlite")
        async with calling(FakeServer(usual=echoes()), cache=cache) as (caller, _):
            messages = (Message("system", "a secret prompt"), Message("user", "hello"))
            await caller.complete(Call("model", messages, schema={"type": "object"}))
            files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
            assert b"hello" in files  # the answer
            assert KEY.encode() not in files
            assert b"secret prompt" not in files
        cache.close()

    run(work())


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    with pytest.raises(PolicyError, match="damaged") as caught:
        AnswerCache(path)
    assert "Delete it" in caught.value.mend
    assert caught.value.where == str(path)
    assert path.read_bytes() == content


def test_damage_in_the_middle_is_said(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    cache = AnswerCache(path)

    async def fill() -> None:
        keys = [call_key(ask(str(number))) for number in range(500)]
        await asyncio.gather(*(cache.put(key, Completion("x" * 500)) for key in keys))

    asyncio.run(fill())
    cache.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)

    def read() -> None:
        with closing(AnswerCache(path)) as damaged:
            for number in range(500):
                damaged.get(call_key(ask(str(number))))

    with pytest.raises(PolicyError, match="damaged"):
        read()


def test_somebody_elses_file(tmp_path: Path) -> None:
    path = tmp_path / "study.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create table runs (id integer)")
    connection.commit()
    connection.close()
    with pytest.raises(PolicyError, match="no cache of answers"):
        AnswerCache(path)


def test_a_file_of_a_newer_version(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    AnswerCache(path).close()
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version=99")
    connection.close()
    with pytest.raises(PolicyError, match="newer version"):
        AnswerCache(path)


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PolicyError, match="cannot be written"):
        AnswerCache(tmp_path / "file" / "answers.sqlite")
    with pytest.raises(PolicyError, match="cannot be written"):
        AnswerCache(tmp_path)


def test_facts_are_kept(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite")
    assert cache.fact("a") is None
    asyncio.run(cache.learn("a", "1"))
    asyncio.run(cache.learn("a", "2"))
    assert cache.fact("a") == "2"
    assert cache.clear() == 0
    assert cache.fact("a") is None
    cache.close()
    cache.close()


def test_a_cache_of_version_1_is_brought_up_to_date_with_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    key = call_key(ask("old"))
    with closing(sqlite3.connect(path)) as old:
        old.execute(
            "create table answers (key blob primary key, text text not null, finish text not null,"
            " tokens_in integer, tokens_out integer, tokens_cached integer) without rowid"
        )
        old.execute("create table facts (name text primary key, value text not null) without rowid")
        old.execute("insert into answers values (?, 'kept', 'stop', 10, 5, 0)", (key,))
        old.execute("pragma application_id=1163283533")
        old.execute("pragma user_version=1")
        old.commit()

    async def work() -> None:
        cache = AnswerCache(path)
        assert cache.get(key) == Completion("kept", "stop", Usage(10, 5, 0), remembered=True)
        told = Usage(1, 2, 0, model="horizon-2026")
        await cache.put(b"new", Completion("new", "stop", told))
        assert cache.get(b"new") == Completion("new", "stop", told, remembered=True)
        cache.close()

    run(work())
    AnswerCache(path).close()
