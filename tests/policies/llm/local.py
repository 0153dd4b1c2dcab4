"""The real small model, one server for all tests of a process: `from tests.policies.llm.local import local_server`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

from eduverse_mesa.policies.llm.local import LocalServer, LocalSettings, find_model

SMALL = LocalSettings(slots=2, context=1024, threads=1)
"""One thread: several workers of pytest share the cores."""
ANSWER = {
    "type": "object",
    "properties": {"act": {"enum": ["speak", "listen"]}, "words": {"type": "string", "maxLength": 30}},
    "required": ["act", "words"],
    "additionalProperties": False,
}


@pytest.fixture(scope="session")
def local_server() -> Iterator[LocalServer]:
    with LocalServer(find_model(None), SMALL) as server:
        yield server


def post(url: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any]:
    """Send one JSON document, get one back."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=240) as answer:
        return json.load(answer)


def ask(server: LocalServer, question: str, **more: Any) -> dict[str, Any]:
    """Ask the model for a chat completion of a few tokens."""
    body = {"model": server.model, "messages": [{"role": "user", "content": question}], "max_tokens": 12, **more}
    return post(f"{server.base_url}/chat/completions", body)
