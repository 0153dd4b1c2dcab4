"""A server in the place of a language model's: it answers by the form that it is asked for, and keeps the prompts."""

from __future__ import annotations

import errno
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

_TEXT = "I think that it is about what we have read, and that there is a reason for it."
_CHINESE_TEXT = "我觉得这和我们读的课文有关系，也有它的道理。"
_PORT = 8779
_PATIENCE = 300  # seconds
_CHINESE = re.compile("[\u4e00-\u9fff]")


def fill(form: Any, luck: int, text: str = _TEXT) -> Any:
    """A value of the form of a JSON Schema; the same luck gives the same value."""
    if "enum" in form:
        return form["enum"][luck % len(form["enum"])]
    if "anyOf" in form:
        return fill(form["anyOf"][luck % len(form["anyOf"])], luck, text)
    kind = form.get("type")
    if kind == "object":
        return {name: fill(part, _mixed(luck, name), text) for name, part in form["properties"].items()}
    if kind == "array":
        least, most = form.get("minItems", 0), form.get("maxItems", 1)
        return [fill(form["items"], _mixed(luck, place), text) for place in range(max(least, min(most, 1)))]
    if kind in ("integer", "number"):
        least, most = form.get("minimum", 0), form.get("maximum", 10)
        return least + luck % (int(most - least) + 1)
    if kind == "boolean":
        return bool(luck % 2)
    return None if kind == "null" else text[: min(60, form.get("maxLength", 60))].strip()


def _mixed(luck: int, with_: object) -> int:
    return crc32(f"{luck}/{with_}".encode())


class Endpoint:
    """A running server: its address, and what it was asked."""

    def __init__(self, server: ThreadingHTTPServer, asked: list[dict[str, Any]]) -> None:
        self.url = f"http://{server.server_address[0]!s}:{server.server_address[1]}/v1"
        self.asked = asked

    def prompts(self) -> str:
        """All that was asked, a line a request. Their order is by luck, since many are under way at once."""
        return "\n".join(sorted(json.dumps(one, ensure_ascii=False, sort_keys=True) for one in self.asked))


def _answer(body: dict[str, Any]) -> str:
    form = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    asked = json.dumps(body.get("messages"), ensure_ascii=False)
    text = _CHINESE_TEXT if len(_CHINESE.findall(asked)) > len(asked) / 5 else _TEXT
    return text if form is None else json.dumps(fill(form, crc32(asked.encode()), text))


def _address(name: str) -> tuple[str, int]:
    """An address of this machine for a name, always the same: a run keeps where its model was asked."""
    number = crc32(name.encode())
    return f"127.77.{number % 250 + 1}.{number // 250 % 250 + 1}", _PORT


def _bound(address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    """A server at the address; another check on this machine that is there has to leave first."""
    for _ in range(_PATIENCE):
        try:
            return ThreadingHTTPServer(address, handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            time.sleep(1)
    raise RuntimeError(f"somebody else listens at {address}")


@contextmanager
def serving(name: str) -> Iterator[Endpoint]:
    """A server that answers until the end of the block."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body go out together: a body that waits for the head's receipt is forty milliseconds late.
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            message = {"role": "assistant", "content": _answer(body)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
            self._send(
                {"id": "x", "object": "chat.completion", "model": "corpus-1", "choices": [choice], "usage": usage}
            )

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "corpus-1", "object": "model"}]})

        def _send(self, document: Any) -> None:
            content = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library calls it so
            """Say nothing: the terminal is the tool's."""

    server = _bound(_address(name), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Endpoint(server, asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
