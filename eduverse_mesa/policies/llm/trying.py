"""One small call to a model, to see whether it answers: what a person wants to know before a lesson depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling import Backoff, Caller, Deadlines, Endpoint, Ledger
from eduverse_mesa.policies.llm.calling.capabilities import ROOM_TO_THINK
from eduverse_mesa.policies.llm.calling.failures import excerpt
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Message, Sampling
from eduverse_mesa.policies.llm.connection import extras_of
from eduverse_mesa.policies.llm.local_caller import LocalCaller
from eduverse_mesa.policies.llm.local_model import find_model
from eduverse_mesa.policies.llm.making import find_key, settle_llm, settle_local
from eduverse_mesa.policies.waiting import house
from eduverse_mesa.scenarios.scenario import LanguageModel

PATIENCE = 60.0
"""Seconds: a server on this machine may have to load its model first."""
_QUESTION = "Say hello to a class in one short sentence."


@dataclass(frozen=True, slots=True)
class Tried:
    """A model that has answered."""

    model: str
    server: str
    """Empty for a model inside this process."""
    seconds: float
    said: str
    """The beginning of its answer; empty where it said nothing."""
    tokens_in: int | None
    tokens_out: int | None


def try_model(
    name: str,
    settings: LanguageModel,
    environment: Mapping[str, str] | None = None,
    *,
    patience: float = PATIENCE,
    ledger: Ledger | None = None,
) -> Tried:
    """Ask the model of the policy `llm` or `local` once, past every memory of answers; PolicyError where none came."""
    return _try_local(settings) if name == "local" else _try_server(settings, environment, patience, ledger)


def _try_server(
    settings: LanguageModel, environment: Mapping[str, str] | None, patience: float, ledger: Ledger | None
) -> Tried:
    settled = settle_llm(settings, environment)
    model, url = settled.model or "", settled.base_url or ""
    key = find_key(url, environment) or ""
    endpoint = Endpoint(
        url, key, Deadlines(min(10.0, patience), patience, patience, patience), extras_of(settings, environment)
    )
    caller = Caller(endpoint, backoff=Backoff(attempts=1, limited_attempts=1))

    async def ask() -> Completion:
        try:
            return await caller.complete(_call(model, settings), ledger)
        finally:
            await caller.aclose()

    try:
        return _tried(house().wait_for(ask()), model, urlsplit(url).netloc, key)
    except CallFailedError as error:
        raise PolicyError(f"{error.reason}.", where=urlsplit(url).netloc, mend=error.mend) from None


def _try_local(settings: LanguageModel) -> Tried:
    settled = settle_local(settings)
    packaged = find_model(None)
    file = packaged if settled.model == packaged.name else find_model(settled.model)
    try:
        said = house().wait_for(LocalCaller(settled, file, remember=False).complete(_call(file.stem, settings)))
    except CallFailedError as error:
        raise PolicyError(f"{error.reason}.", where=file.name, mend=error.mend) from None
    return _tried(said, file.stem, "", "")


def _call(model: str, settings: LanguageModel) -> Call:
    room = max(settings.max_tokens, ROOM_TO_THINK)
    sampling = Sampling(settings.temperature, settings.top_p, room, settings.frequency_penalty)
    return Call(model, (Message("user", _QUESTION),), sampling)


def _tried(said: Completion, model: str, server: str, key: str) -> Tried:
    usage = said.usage
    seconds = (usage.latency_ms or 0.0) / 1000
    return Tried(model, server, seconds, excerpt(said.text, key), usage.tokens_in, usage.tokens_out)
