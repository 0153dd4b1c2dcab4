"""Who answers: policies, their combinations, and the drivers that carry decisions to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache

from eduverse_mesa.decisions import DECISIONS
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.combine import by_agent, by_kind
from eduverse_mesa.policies.policy import AnyPolicy, AsyncPolicy, Policy
from eduverse_mesa.policies.replay import Recorded, ReplayPolicy
from eduverse_mesa.policies.scripted import ScriptedPolicy

__all__ = [
    "AnyPolicy",
    "AsyncPolicy",
    "Policy",
    "Recorded",
    "ReplayPolicy",
    "ScriptedPolicy",
    "by_agent",
    "by_kind",
    "make_policy",
]


@lru_cache(maxsize=32)
def _embedded(overrides: frozenset[tuple[str, float]]) -> AnyPolicy:
    from eduverse_mesa.policies.embedded import EmbeddedPolicy
    from eduverse_mesa.scenarios.parameters import load_parameters

    return EmbeddedPolicy(load_parameters(dict(overrides)))


_MAKERS: dict[str, Callable[[frozenset[tuple[str, float]]], AnyPolicy]] = {"embedded": _embedded}


def make_policy(policy: AnyPolicy | str, parameters: Mapping[str, float] | None = None) -> AnyPolicy:
    """A policy from its name, or from KIND=NAME,...,rest=NAME; a policy object is returned as it is."""
    if not isinstance(policy, str):
        return policy
    overrides = frozenset((parameters or {}).items())
    if "=" not in policy:
        return _make(policy.strip(), overrides)
    parts: dict[str, AnyPolicy] = {}
    for part in policy.split(","):
        kind, _, name = (piece.strip() for piece in part.partition("="))
        if kind != "rest" and kind not in DECISIONS:
            raise PolicyError(
                f"'{kind}' is no kind of decision.", where=f"policy '{policy}'", mend=_known(kind, [*DECISIONS, "rest"])
            )
        parts[kind] = _make(name, overrides)
    rest = parts.pop("rest", None) or _make("embedded", overrides)
    return by_kind(parts, rest) if parts else rest


def _make(name: str, overrides: frozenset[tuple[str, float]]) -> AnyPolicy:
    if name not in _MAKERS:
        raise PolicyError(f"there is no policy '{name}'.", mend=_known(name, list(_MAKERS)))
    return _MAKERS[name](overrides)


def _known(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return (f"Did you mean '{close[0]}'? " if close else "") + f"Known: {', '.join(known)}."
