"""Progress of the model in this process: what it loads, reads and writes at this moment, and how fast it has been."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.request import ProxyHandler, build_opener

from eduverse_mesa.policies.llm.local_server import LocalServer, loading_models, running_servers

_PATIENCE = 2.0
_SPEEDS = ("prompt_tokens_total", "prompt_seconds_total", "tokens_predicted_total", "tokens_predicted_seconds_total")


@dataclass(frozen=True, slots=True)
class LocalProgress:
    """The work of all slots together."""

    loading: str = ""
    """The model that is being loaded."""
    reading: int = 0
    """Tokens of the prompts that are being read."""
    writing: int = 0
    """Answers that are being written."""
    written: int = 0
    """Tokens of those so far."""
    reading_speed: float = 0.0
    """Tokens a second since the model was loaded; 0 while nothing is known."""
    writing_speed: float = 0.0


def local_progress() -> LocalProgress:
    """The progress of this process's models; of nothing where none is loaded."""
    loading = ", ".join(sorted(loading_models()))
    slots: list[dict[str, Any]] = []
    spent = dict.fromkeys(_SPEEDS, 0.0)
    for server in running_servers():
        try:
            slots += json.loads(_fetch(server, "slots"))
            for name, value in _numbers(_fetch(server, "metrics").decode().splitlines()):
                spent[name] += value
        except (OSError, ValueError):
            continue  # it is being stopped, or too busy to tell
    busy = [slot for slot in slots if slot.get("is_processing")]
    decoded = [sum(part.get("n_decoded", 0) for part in slot.get("next_token", ())) for slot in busy]
    reading = [slot for slot, written in zip(busy, decoded, strict=True) if not written]
    return LocalProgress(
        loading,
        sum(slot.get("n_prompt_tokens", 0) - slot.get("n_prompt_tokens_cache", 0) for slot in reading),
        len(busy) - len(reading),
        sum(decoded),
        _ratio(spent["prompt_tokens_total"], spent["prompt_seconds_total"]),
        _ratio(spent["tokens_predicted_total"], spent["tokens_predicted_seconds_total"]),
    )


def _ratio(tokens: float, seconds: float) -> float:
    return tokens / seconds if seconds else 0.0


def _fetch(server: LocalServer, what: str) -> bytes:
    if not server.running:
        raise OSError
    address = server.base_url.removesuffix("v1") + what
    with build_opener(ProxyHandler({})).open(address, timeout=_PATIENCE) as answer:
        told: bytes = answer.read()
    return told


def _numbers(lines: Iterable[str]) -> list[tuple[str, float]]:
    pairs = [line.removeprefix("llamacpp:").split() for line in lines]
    return [(pair[0], float(pair[1])) for pair in pairs if len(pair) > 1 and pair[0] in _SPEEDS]
