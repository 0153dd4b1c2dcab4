"""Connections to model servers, shared by all that asks the same server in this process: one limit, one cache."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from eduverse_mesa.policies.llm.calling import (
    Ability,
    AnswerCache,
    Caller,
    Deadlines,
    Endpoint,
    Ledger,
    Limiter,
    PriceList,
)
from eduverse_mesa.policies.waiting import house
from eduverse_mesa.scenarios.scenario import Budget, LanguageModel

CACHE, PRICES = "EDUVERSE_CACHE", "EDUVERSE_PRICES"
"""Environment: the file that remembers answers (`none`: nothing does), and a price list of one's own."""
_NO_CACHE = "none"
_START = 8


def cache_path(environment: Mapping[str, str] | None = None) -> Path | None:
    """Where answers are remembered; None where they are not."""
    env = os.environ if environment is None else environment
    given = env.get(CACHE, "").strip()
    if given:
        return None if given == _NO_CACHE else Path(given).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        base = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(env.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "eduverse-mesa" / "answers.sqlite"


def price_list(environment: Mapping[str, str] | None = None) -> PriceList:
    """Prices of models: the packaged ones, and above them the user's own."""
    env = os.environ if environment is None else environment
    own = env.get(PRICES)
    return PriceList.load(Path(own)) if own else PriceList.load()


def connect(
    settings: LanguageModel,
    base_url: str,
    key: str | None,
    most: int | None = None,
    *,
    ability: Ability | None = None,
    remember: bool = True,
) -> Caller:
    """A caller for this server; the same one for the same server, key and patience. What the server can do is found
    out where it is not known."""
    waits = settings.deadlines
    deadlines = Deadlines(waits.connect, waits.read, waits.attempt, waits.total)
    path = cache_path() if remember else None
    return _caller(base_url, key or "", deadlines, most or settings.concurrency, ability, str(path) if path else "")


@cache
def _caller(base_url: str, key: str, deadlines: Deadlines, most: int, ability: Ability | None, path: str) -> Caller:
    limiter = Limiter(start=min(_START, most), most=most)
    remembered = open_cache(path) if path else None
    caller = Caller(Endpoint(base_url, key, deadlines), cache=remembered, ability=ability, limiter=limiter)
    _CALLERS.append(caller)
    atexit.register(lambda: house().wait_for(caller.aclose()))
    return caller


_CALLERS: list[Caller] = []


@dataclass(frozen=True, slots=True)
class Totals:
    """What all connections of this process have taken so far."""

    requests: int = 0
    in_flight: int = 0
    remembered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    server_seconds: float = 0.0
    limit: int = 0


def totals() -> Totals:
    """The sum of all meters; the limit is that of the newest connection."""
    meters = [caller.meter for caller in _CALLERS]
    return Totals(
        sum(meter.requests for meter in meters),
        sum(meter.in_flight for meter in meters),
        sum(meter.cache_hits + meter.merged for meter in meters),
        sum(meter.tokens_in for meter in meters),
        sum(meter.tokens_out for meter in meters),
        sum(meter.tokens_cached for meter in meters),
        sum(meter.cost for meter in meters),
        sum(meter.server_seconds for meter in meters),
        _CALLERS[-1].limiter.limit if _CALLERS else 0,
    )


@cache
def open_cache(path: str) -> AnswerCache:
    """One opened cache for each file."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return AnswerCache(Path(path))


def make_ledger(budget: Budget, model: str, *, free: bool = False) -> Ledger:
    """A run's budget; one in dollars needs to know the model's price from the start."""
    from eduverse_mesa.policies.llm.calling import Price

    ledger = Ledger(budget.tokens, budget.requests, budget.usd, Price(0, 0, 0) if free else price_list())
    ledger.price_of(model)
    return ledger
