"""From settings and environment to a policy (which model, which endpoint, whose key), and the trial of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from eduverse_mesa.errors import NoModelError, PolicyError
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.answer import Asker, Completing, Watch, Watched
from eduverse_mesa.policies.llm.calling import Backoff, Caller, Endpoint, Ledger
from eduverse_mesa.policies.llm.calling import Deadlines as CallDeadlines
from eduverse_mesa.policies.llm.calling.dialect import ROOM_TO_THINK
from eduverse_mesa.policies.llm.calling.endpoint import AZURE_KEY_VARIABLE, KEY_VARIABLE, holds_secret, is_azure
from eduverse_mesa.policies.llm.calling.failures import excerpt
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Message, Sampling
from eduverse_mesa.policies.llm.connection import CACHE, cache_path, connect, extras_of, make_ledger
from eduverse_mesa.policies.llm.groups import CollaborationTelling
from eduverse_mesa.policies.llm.hearing import HEARING, HearingTelling, WithHearing
from eduverse_mesa.policies.llm.local import LocalCaller, find_model
from eduverse_mesa.policies.llm.policy import LlmPolicy, Telling
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.shape import OneOf, Record
from eduverse_mesa.policies.llm.stages import Fused, Staged
from eduverse_mesa.policies.llm.tutoring import TutoringTelling
from eduverse_mesa.policies.policy import Policy
from eduverse_mesa.policies.shared_limit import Delivery, delivery_of
from eduverse_mesa.scenarios.scenario import Deadlines, LanguageModel

Subject = Literal["lesson", "tutoring", "group"]
"""Subject of the decisions: each has prompts of its own."""
OPENAI = "https://api.openai.com/v1"
KEY, BASE_URL, MODEL = KEY_VARIABLE, "OPENAI_BASE_URL", "EDUVERSE_MODEL"
"""Names of the environment variables that are read. The first two are read by other programs, too."""
AZURE_KEY, AZURE_ENDPOINT = AZURE_KEY_VARIABLE, "AZURE_OPENAI_ENDPOINT"
"""The same for Azure, as its own programs call them."""
_LOCAL_TALK_STEPS = 3
"""A small model has a context of some thousand tokens, and reads them slowly."""
_LOCAL_DEADLINES = Deadlines(connect=10, read=900, attempt=900, total=1800)
"""An old machine may need minutes for an answer; nobody is paid for waiting, and nothing else would answer sooner."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def settle_llm(settings: LanguageModel, environment: Mapping[str, str] | None = None) -> LanguageModel:
    """The settings with model and endpoint written out, from the environment where the scenario leaves them open."""
    env = os.environ if environment is None else environment
    base_url = settings.base_url or env.get(BASE_URL) or _azure(env) or OPENAI
    model = settings.model or env.get(MODEL)
    if not model:
        raise NoModelError(
            "no model is named.",
            where="policy 'llm'",
            mend=f"Give --model NAME, set {MODEL}, or write `llm: {{model: NAME}}` into the scenario's settings. "
            "With no model at all: --policy local, or --policy embedded.",
        )
    check_url(base_url)
    return settings.model_copy(update={"model": model, "base_url": base_url.rstrip("/")})


def _azure(env: Mapping[str, str]) -> str:
    """The address of the newer interface of one's own place at Azure."""
    place = env.get(AZURE_ENDPOINT, "").strip().rstrip("/")
    return f"{place}/openai/v1" if place and env.get(AZURE_KEY) else ""


def check_url(url: str) -> None:
    """Refuse what is no address of a server, and addresses that carry a secret. It is not repeated: it may hold one."""
    try:
        parts = urlsplit(url)
        secret = holds_secret(parts)
        host = (parts.hostname or "").encode("idna")
        fine = parts.scheme in ("http", "https") and host and (parts.port is None or parts.port > 0)
    except ValueError:  # a port beyond all ports, brackets that do not close, a label of a name that is empty
        secret, fine = False, b""
    if secret:
        raise PolicyError(
            "the address carries a user name, a password or a query that may be a key.",
            where="base_url",
            mend=f"Take it out; a key is read from the environment ({KEY}) and nowhere else. "
            "Only Azure's ?api-version=... may stand there.",
        )
    if not fine or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise PolicyError("this is no address of a server.", where="base_url", mend="E.g. http://localhost:8000/v1")


def find_key(base_url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The key for an endpoint.

    A key, and what a class is told and says, go only where the environment says: a scenario file from somebody else
    must not send them to a server of its choice.
    """
    env = os.environ if environment is None else environment
    place = env.get(AZURE_ENDPOINT, "").strip()
    if is_azure(base_url) and place and _origin(base_url) == _origin(place) and env.get(AZURE_KEY):
        return env[AZURE_KEY]
    key = env.get(KEY)
    meant = (env.get(BASE_URL) or OPENAI).rstrip("/")
    if not key and _origin(base_url) == _origin(OPENAI):
        raise PolicyError(
            f"{KEY} is not set, and OpenAI would be asked.",
            where="policy 'llm'",
            mend="Set it, or name another endpoint with --base-url; with none at all: --policy local.",
        )
    if _origin(base_url) == _origin(meant):
        return key or None
    if urlsplit(base_url).hostname in _LOOPBACK:
        return None  # a server on this machine, which needs none
    raise PolicyError(
        f"the scenario would send the class to {_origin(base_url)}"
        + (f", your key is for {_origin(meant)}." if key else "."),
        where="base_url",
        mend=f"If you trust that server, name it yourself: --base-url {base_url} (or {BASE_URL}).",
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def make_llm(
    settings: LanguageModel,
    embedded: Policy,
    *,
    remember: bool = True,
    watch: Watch | None = None,
    subject: Subject = "lesson",
) -> LlmPolicy:
    """The policy `llm`: any OpenAI-compatible endpoint."""
    settled = settle_llm(settings)
    model, base_url = settled.model or "", settled.base_url or ""
    models = {model, settled.style_model or model}
    delivery = delivery_of(settled)
    _check_remembered(delivery, remember)
    caller = connect(settled, base_url, find_key(base_url), remember=remember, delivery=delivery)
    ledger = make_ledger(settled.budget, models, delivery=delivery)
    return _policy("llm", settled, model, caller=caller, ledger=ledger, embedded=embedded, watch=watch, subject=subject)


def _check_remembered(delivery: Delivery, remember: bool) -> None:
    """Raise PolicyError for batches without a cache: answers in batches outlive a program that was killed meanwhile,
    and would be paid for again."""
    if delivery == "batch" and (not remember or cache_path() is None):
        raise PolicyError(
            "answers that come in batches have to be remembered, and nothing is.",
            where="settings.llm.delivery",
            mend=f"Leave --cache none (or {CACHE}) out, or take the answers live.",
        )


def settle_local(settings: LanguageModel) -> LanguageModel:
    """The settings for a model in this process, which reads less at once than a server in a data centre."""
    changes: dict[str, object] = {"base_url": None}
    if settings.model is None or settings.base_url is not None:  # what an endpoint calls its model is no file here
        changes["model"] = find_model(None).name  # by its name, which is the same on every machine
    if "talk_steps" not in settings.model_fields_set:
        changes["talk_steps"] = _LOCAL_TALK_STEPS
    if "deadlines" not in settings.model_fields_set:
        changes["deadlines"] = _LOCAL_DEADLINES
    return settings.model_copy(update=changes)


def make_local(
    settings: LanguageModel,
    embedded: Policy,
    *,
    remember: bool = True,
    watch: Watch | None = None,
    subject: Subject = "lesson",
) -> LlmPolicy:
    """The policy `local`: a model file, served inside this process for as long as it lives."""
    settled = settle_local(settings)
    file = find_model(None if settled.model == _packaged() else settled.model)
    ledger = make_ledger(settled.budget, [file.stem], free=True)
    return _policy(
        "local",
        settled,
        file.stem,
        caller=LocalCaller(settled, file, remember=remember),
        ledger=ledger,
        embedded=embedded,
        watch=watch,
        subject=subject,
    )


def _packaged() -> str | None:
    try:
        return find_model(None).name
    except PolicyError:  # not installed; who names a file of its own does not need it
        return None


def _policy(
    name: str,
    settings: LanguageModel,
    model: str,
    *,
    caller: Completing,
    ledger: Ledger,
    embedded: Policy,
    watch: Watch | None,
    subject: Subject,
) -> LlmPolicy:
    sampling = Sampling(settings.temperature, settings.top_p, settings.max_tokens, settings.frequency_penalty)
    caller = caller if watch is None else Watched(caller, watch)
    asker = Asker(caller, ledger, model, sampling, reasks=settings.reasks, send_seed=settings.send_seed)
    brief = name == "local"
    of_hearing = {key: text for key, text in settings.prompts.items() if key in HEARING.places}
    own = {key: text for key, text in settings.prompts.items() if key not in of_hearing}
    if subject == "lesson":
        stages: Telling = _stages(settings, asker, own, brief)
    elif subject == "tutoring":
        stages = TutoringTelling(asker, own, brief=brief)
    else:
        stages = CollaborationTelling(asker, own, brief=brief, told_of_harm=settings.told_of_harm)
    stages = WithHearing(stages, HearingTelling(asker, of_hearing, brief=brief, told_of_harm=settings.told_of_harm))
    room = msgspec.structs.replace(sampling, max_tokens=max(sampling.max_tokens, ROOM_TO_THINK))
    hello = Call(model, (Message("user", "Say yes."),), room, Record({"word": OneOf(("yes",))}).schema)
    fallback = embedded if settings.otherwise == "fallback" else None
    return LlmPolicy(name, stages, fallback, lambda: caller.complete(hello, ledger), ledger, useless=settings.useless)


def _stages(settings: LanguageModel, asker: Asker, own: Mapping[str, str], brief: bool) -> Staged:
    fidelity = Staged if settings.fidelity == "staged" else Fused
    return fidelity(asker, Prompter(own, settings.talk_steps, brief=brief), settings.style_model)


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
        url, key, CallDeadlines(min(10.0, patience), patience, patience, patience), extras_of(settings, environment)
    )
    caller = Caller(endpoint, backoff=Backoff(attempts=1, limited_attempts=1))

    async def ask() -> Completion:
        try:
            return await caller.complete(_call(model, settings), ledger)
        finally:
            await caller.aclose()

    try:
        return _tried(shared_loop().wait_for(ask()), model, urlsplit(url).netloc, key)
    except CallFailedError as error:
        raise PolicyError(f"{error.reason}.", where=urlsplit(url).netloc, mend=error.mend) from None


def _try_local(settings: LanguageModel) -> Tried:
    settled = settle_local(settings)
    packaged = find_model(None)
    file = packaged if settled.model == packaged.name else find_model(settled.model)
    try:
        said = shared_loop().wait_for(LocalCaller(settled, file, remember=False).complete(_call(file.stem, settings)))
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
