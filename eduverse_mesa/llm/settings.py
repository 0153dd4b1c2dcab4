"""Settings of a language model that agents ask: read, checked, and connected to a server or the local model."""

from __future__ import annotations

import math
import operator
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from eduverse_mesa.errors import NoModelError, PolicyError
from eduverse_mesa.policies.llm.answer import Completing
from eduverse_mesa.policies.llm.calling import Ledger
from eduverse_mesa.policies.llm.calling.anthropic_endpoint import ANTHROPIC_KEY
from eduverse_mesa.policies.llm.calling.budget import SETTING
from eduverse_mesa.policies.llm.connection import Provider, connect, make_ledger
from eduverse_mesa.policies.llm.local import LocalCaller, find_model
from eduverse_mesa.policies.llm.setup import BASE_URL, KEY, MODEL, check_url, find_key, settle_llm, settle_local
from eduverse_mesa.policies.shared_limit import Delivery
from eduverse_mesa.scenarios.problems import suggest
from eduverse_mesa.scenarios.scenario import Budget, Deadlines, LanguageModel

LOCAL = "local"
"""The model that this package brings, inside this process."""
SETTINGS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "reasoning_effort",
    "extra_body",
    "extra_headers",
    "send_seed",
    "reasks",
    "useless",
    "concurrency",
    "deadlines",
    "budget",
)
"""Settings of a scenario's `llm` that hold here, too (docs/guides/language-models.md)."""


def read_seed(seed: Any) -> int | None:
    """A seed as a whole number; None is left to the Mesa model."""
    if seed is None:
        return None
    try:
        return operator.index(seed)
    except TypeError:
        raise PolicyError(
            f"{seed!r} is no whole number.", where="seed", mend="Write seed=1, or leave it out."
        ) from None


def in_our_words(error: PolicyError, name: str) -> PolicyError:
    """The error with the arguments of LLM in the place of a scenario's settings and flags."""
    where = f'LLM("{name}")' if error.where.startswith("policy '") else error.where
    mend = error.mend
    if bound := re.search(rf"\({SETTING}\.(\w+)\)\.$", mend):
        mend = f"Write llm.go_on(budget={{'{bound[1]}': ...}}) with a larger one, and ask again: what came is kept."
    mend = mend.replace(", llm.talk_steps", "")
    mend = re.sub(r"llm\.useless: 1;[^)]*", "llm.go_on(useless=1)", mend)
    mend = re.sub(r"\bllm\.deadlines\.(\w+)", r'LLM(deadlines={"\1": ...})', mend)
    mend = re.sub(r"\bllm\.(?!go_on)(\w+): (\w+)", r"LLM(..., \1=\2)", mend)
    mend = re.sub(r"\bllm\.(?!go_on)(\w+)", r"LLM(..., \1=...)", mend)
    ours = type(error)(error.message, where=where, mend=mend)
    ours.__cause__ = error.__cause__
    return ours


def read_settings(given: Mapping[str, Any]) -> LanguageModel:
    """Keyword arguments as settings; PolicyError names what is wrong with one."""
    for name in given:
        if name in _KEYS:
            raise PolicyError(
                "a key is no setting: it is read from the environment, so that it stands in no program.",
                where=name,
                mend=f"Set {KEY}, or {ANTHROPIC_KEY} for provider='anthropic', and leave it out.",
            )
        if name not in SETTINGS:
            raise PolicyError(
                "there is no such setting.", where=name, mend=f"{suggest(name, SETTINGS)}Known: {', '.join(SETTINGS)}."
            )
    try:
        return LanguageModel(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    place = [str(step) for step in first["loc"]]
    group = _GROUPS.get(place[0])
    mend = _LOOKS[place[0]] if group else "See docs/guides/language-models.md."
    if group and first["type"] == "extra_forbidden":
        words = (
            f"there is no such bound. {suggest(place[-1], group.model_fields)}Known: {', '.join(group.model_fields)}"
        )
    elif group and len(place) == 1:
        words = f"{first['input']!r} names no bounds"
    else:
        words = str(first["msg"])
    raise PolicyError(f"{words}.", where=".".join(place), mend=mend)


_KEYS = ("api_key", "key", "token")
_GROUPS: Mapping[str, type[BaseModel]] = {"budget": Budget, "deadlines": Deadlines}
_LOOKS = {"budget": 'Write e.g. budget={"usd": 2}.', "deadlines": 'Write e.g. deadlines={"total": 60}.'}


Link = tuple[str, Completing, Ledger, LanguageModel]


ANTHROPIC = "https://api.anthropic.com"
ANTHROPIC_URL = "ANTHROPIC_BASE_URL"
"""Name of the environment variable that Anthropic's own programs read, too."""


def tell_on_stderr(line: str) -> None:
    """Write a line to standard error, at once."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _check_watch(poll: Any, tell: Any, delivery: Delivery) -> None:
    """Refuse what would come to light only when a batch is out."""
    if tell is not None and not callable(tell):
        raise PolicyError(f"{tell!r} is no function.", where="tell", mend="Write tell=print, or tell=None for nobody.")
    if poll is None:
        return
    if delivery != "batch":
        raise PolicyError("only batches are looked after.", where="poll", mend='Add delivery="batch", or leave it out.')
    if isinstance(poll, bool) or not isinstance(poll, int | float) or not 0 < poll < math.inf:
        raise PolicyError(f"{poll!r} is no time.", where="poll", mend="Write seconds, e.g. poll=60.")


def find_server(
    model: str | None,
    base_url: str | None,
    way: tuple[Provider, Delivery],
    *,
    settings: LanguageModel,
    remember: bool,
    poll: float | None = None,
    tell: Callable[[str], object] | None = None,
) -> Link:
    """A server that is named here, by the program itself, may have the key: no scenario has a say in this."""
    provider, delivery = way
    for name, value, known in (("provider", provider, Provider), ("delivery", delivery, Delivery)):
        if value not in get_args(known):
            raise PolicyError(f"{value!r} is none.", where=name, mend=f"Known: {', '.join(get_args(known))}.")
    if provider == "anthropic" and delivery == "batch":
        raise PolicyError(
            "batches go to OpenAI-compatible servers only; Anthropic's own batches are not built.",
            where="delivery",
            mend="Leave it out: the answers come live, at the full price.",
        )
    _check_watch(poll, tell, delivery)
    environment = dict(os.environ)
    if provider == "anthropic":  # read by other names, and from there on alike
        key = environment.get(ANTHROPIC_KEY, "")
        base_url = base_url or environment.get(ANTHROPIC_URL) or ANTHROPIC
        environment[KEY] = key
        if not key and base_url == ANTHROPIC:
            raise PolicyError(
                f"{ANTHROPIC_KEY} is not set, and Anthropic would be asked.",
                where="LLM",
                mend=f"Set it in the environment, or name another server, base_url=... or {ANTHROPIC_URL}.",
            )
    if base_url is not None:
        check_url(base_url)
        environment[BASE_URL] = base_url
    wanted = settings.model_copy(update={"model": model, "base_url": base_url})
    try:
        settled = settle_llm(wanted, environment)
    except NoModelError:
        mend = f'Write LLM("NAME"), or LLM("{LOCAL}"), or set {MODEL}.'
        raise NoModelError("no model is named.", where="LLM", mend=mend) from None
    name, url = settled.model or "", settled.base_url or ""
    try:
        key = find_key(url, environment) or ""
    except PolicyError as error:
        mend = f'Set it, or name another server, LLM("NAME", base_url=...) or {BASE_URL}, or ask LLM("{LOCAL}").'
        raise PolicyError(error.message, where="LLM", mend=mend) from None
    caller = connect(settled, url, key or None, remember=remember, provider=provider, delivery=delivery, poll=poll)
    return name, caller, make_ledger(settled.budget, [name], delivery=delivery), settled


def find_local(settings: LanguageModel, remember: bool) -> Link:
    """The model of this package."""
    settled, file = settle_local(settings), find_model(None)
    caller = LocalCaller(settled, file, remember=remember)
    return file.stem, caller, make_ledger(settled.budget, [file.stem], free=True), settled
