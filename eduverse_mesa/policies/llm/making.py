"""From settings and environment to a policy: which model, which endpoint, whose key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.scenarios.scenario import LanguageModel

OPENAI = "https://api.openai.com/v1"
KEY, BASE_URL, MODEL = "OPENAI_API_KEY", "OPENAI_BASE_URL", "EDUVERSE_MODEL"
"""What is read from the environment. The first two are what other programs read, too."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def settle_llm(settings: LanguageModel, environment: Mapping[str, str] | None = None) -> LanguageModel:
    """The settings with model and endpoint written out, from the environment where the scenario leaves them open."""
    env = os.environ if environment is None else environment
    base_url = settings.base_url or env.get(BASE_URL) or OPENAI
    model = settings.model or env.get(MODEL)
    if not model:
        raise PolicyError(
            "no model is named.",
            where="policy 'llm'",
            mend=f"Give --model NAME, set {MODEL}, or write `llm: {{model: NAME}}` into the scenario's settings. "
            "With no model at all: --policy local, or --policy embedded.",
        )
    check_url(base_url)
    return settings.model_copy(update={"model": model, "base_url": base_url.rstrip("/")})


def check_url(url: str) -> None:
    """Refuse what is no address of a server, and addresses that carry a password."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise PolicyError(
            "the address carries a user name or password.",
            where="base_url",
            mend=f"Take it out; a key is read from the environment ({KEY}) and nowhere else.",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise PolicyError(
            f"'{url[:100]}' is no address of an endpoint.", where="base_url", mend="E.g. http://localhost:8000/v1"
        )


def find_key(base_url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The key for an endpoint.

    A key goes only where the environment says it belongs: a scenario file from somebody else must not send it to a
    server of its choice.
    """
    env = os.environ if environment is None else environment
    key = env.get(KEY)
    meant = (env.get(BASE_URL) or OPENAI).rstrip("/")
    if not key or _origin(base_url) == _origin(meant):
        return key or None
    if urlsplit(base_url).hostname in _LOOPBACK:
        return None  # a server on this machine, which needs none
    raise PolicyError(
        f"your key is for {_origin(meant)}, but the scenario asks {_origin(base_url)}.",
        where="base_url",
        mend=f"If the key is for that server, set {BASE_URL} to it (or give --base-url); else unset {KEY}.",
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"
