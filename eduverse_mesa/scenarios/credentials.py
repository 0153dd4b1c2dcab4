"""Keys and passwords where none belong: a scenario is kept and passed on."""

from __future__ import annotations

import re
from collections.abc import Mapping

SURELY_KEY = re.compile(r"\b(?:sk|gsk|hf|xai)[-_](?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}")
"""Pattern of texts that can hardly be anything but a key: a file may be called `key_ideas.yaml`."""

_SECRET_NAME = re.compile(r"authori[sz]ation|key|token|secret|cookie|passw|credential", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|ghp)[-_](?=[\w-]*\d)[\w-]{8,}|\bAKIA[A-Z0-9]{12,}|\bBearer\s+\S{8,}", re.ASCII
)
_COUNTED = re.compile("token", re.IGNORECASE)
"""Pattern of names for a number of tokens, as in `budget_tokens`, or for a token by its number: no secrets."""
_NO_SECRETS = frozenset({"prompt_cache_key"})
"""OpenAI's name of a place in its cache."""


def credential_in(fields: Mapping[str, object]) -> str:
    """Return the place among these fields, at whatever depth, of something that may be a key: names joined by dots,
    without the value; empty if there is none."""
    return _in_mapping(fields, "", suspect=False)


def _in_mapping(fields: Mapping[str, object], at: str, *, suspect: bool) -> str:
    for name, value in fields.items():
        named = str(name)
        place = f"{at}.{named}" if at else named
        if SURELY_KEY.search(named):
            return at or "a name"
        secret = named not in _NO_SECRETS and _SECRET_NAME.search(named) is not None
        counted = secret and _SECRET_NAME.search(_COUNTED.sub("", named)) is None and _is_number(value)
        if found := _in_value(value, place, suspect=suspect or (secret and not counted)):
            return found
    return ""


def _is_number(value: object) -> bool:
    found = value if isinstance(value, list) else [value]
    return all(isinstance(one, int | float) for one in found)


def _in_value(value: object, at: str, *, suspect: bool) -> str:
    if isinstance(value, Mapping):
        return _in_mapping(value, at, suspect=suspect)
    if isinstance(value, list | tuple):
        return next((found for one in value if (found := _in_value(one, at, suspect=suspect))), "")
    if value is None or isinstance(value, bool) or value == "":
        return ""
    return at if suspect or (isinstance(value, str) and _SECRET_VALUE.search(value)) else ""
