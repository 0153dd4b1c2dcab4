"""Connections to model servers, shared by all that asks the same server in this process (one limit, one cache), with
their totals, prices and ledgers."""

from __future__ import annotations

import atexit
import json
import math
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.calling import (
    Ability,
    AnswerCache,
    Breaker,
    Caller,
    Deadlines,
    Endpoint,
    Extras,
    Facts,
    Ledger,
    Limiter,
    Price,
    PriceList,
    anthropic_endpoint,
    batches,
    limit_fact,
)
from eduverse_mesa.policies.shared_limit import Delivery, share_of
from eduverse_mesa.scenarios.scenario import Budget, LanguageModel

CACHE, PRICES, PROXY = "EDUVERSE_CACHE", "EDUVERSE_PRICES", "EDUVERSE_PROXY"
"""Environment: the file that remembers answers (`none`: nothing does), a price list of one's own, and a proxy. No
other proxy of the environment is used: a class's words take no way that nobody chose for them."""
Provider: TypeAlias = Literal["openai", "anthropic"]
"""Protocol that a server speaks, by its provider."""
_NO_CACHE = "none"
_START = 8


def cache_path(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the path of the cache of answers; None if answers are not remembered."""
    env = os.environ if environment is None else environment
    given = env.get(CACHE, "").strip()
    if given:
        if given == _NO_CACHE:
            return None
        try:
            return Path(given).expanduser()
        except RuntimeError:
            raise PolicyError("names nobody's home.", where=f"{CACHE} {given}", mend="Write the path out.") from None
    home = Path.home()
    if sys.platform == "win32":
        base = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(env.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "eduverse-mesa" / "answers.sqlite"


def price_list(environment: Mapping[str, str] | None = None, delivery: Delivery = "live") -> PriceList:
    """Prices of models: the packaged ones, and above them the user's own."""
    env = os.environ if environment is None else environment
    own = env.get(PRICES)
    prices = PriceList.load(Path(own) if own else None)
    return prices.in_batches() if delivery == "batch" else prices


def connect(
    settings: LanguageModel,
    base_url: str,
    key: str | None,
    most: int | None = None,
    *,
    ability: Ability | None = None,
    remember: bool = True,
    whole: float = math.inf,
    provider: Provider = "openai",
    delivery: Delivery = "live",
    poll: float | None = None,
) -> Caller:
    """A caller for this server; the same one for the same server, key and patience. What the server can do is found
    out where it is not known. `whole`: seconds that a call may take with all pauses that the server asks for. `poll`:
    seconds until the first look after a batch."""
    waits = settings.deadlines
    deadlines = Deadlines(waits.connect, waits.read, waits.attempt, waits.total, whole)
    path = cache_path() if remember else None
    slots = most or share_of(settings.concurrency)
    form: type[Endpoint] = Endpoint
    if provider == "anthropic":
        form, ability = anthropic_endpoint.AnthropicEndpoint, anthropic_endpoint.ABILITY
    elif delivery == "batch":
        form, ability, slots = batches.BatchEndpoint, batches.ABILITY, batches.MOST
    return _caller(
        form,
        base_url,
        key or "",
        deadlines=deadlines,
        most=slots,
        ability=ability,
        path=str(path) if path else "",
        extras=extras_of(settings),
        poll=poll,
    )


def extras_of(settings: LanguageModel, environment: Mapping[str, str] | None = None) -> Extras:
    """Additions to every request: the scenario's fields and headers, and the proxy of this machine."""
    env = os.environ if environment is None else environment
    fields = {**settings.extra_body}
    if settings.reasoning_effort:
        fields["reasoning_effort"] = settings.reasoning_effort
    body = json.dumps(fields, sort_keys=True) if fields else ""
    return Extras(body, tuple(sorted(settings.extra_headers.items())), _proxy(env.get(PROXY, "").strip()))


def _proxy(address: str) -> str:
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise PolicyError("names no proxy.", where=PROXY, mend="It looks like http://proxy.example.org:3128")
    return address


def _caller(
    form: type[Endpoint],
    base_url: str,
    key: str,
    *,
    deadlines: Deadlines,
    most: int,
    ability: Ability | None,
    path: str,
    extras: Extras,
    poll: float | None,
) -> Caller:
    address = (form, base_url, key, deadlines, ability, path, extras, poll)
    with _DOOR:
        if address not in _OPEN:
            remembered = open_cache(path) if path else None
            start = most if form is batches.BatchEndpoint else first_limit(base_url, remembered, most)
            limiter, breaker = _SERVERS.setdefault((form, base_url, key), (Limiter(start, most), Breaker()))
            endpoint = form(base_url, key, deadlines, extras)
            backoff = None
            if isinstance(endpoint, batches.BatchEndpoint):
                endpoint.cache, backoff = remembered, batches.BACKOFF
                endpoint.poll = endpoint.poll if poll is None else poll
            caller = Caller(
                endpoint, cache=remembered, ability=ability, limiter=limiter, breaker=breaker, backoff=backoff
            )
            _OPEN[address] = caller
            _CALLERS.append(caller)
            atexit.register(_close, caller, os.getpid())
        _OPEN[address].limiter.most = most  # who asked last says how many the server may get
        return _OPEN[address]


def first_limit(base_url: str, cache: AnswerCache | None, most: int) -> int:
    """Return the number of calls that may go out at once at first: as many as the server took last time."""
    known = Facts(cache).get(limit_fact(base_url)) or ""
    return max(1, min(int(known) if known.isdecimal() else _START, most))


def _close(caller: Caller, process: int) -> None:
    if process == os.getpid():
        shared_loop().wait_for(caller.aclose())


_DOOR = threading.Lock()
_SERVERS: dict[tuple[type[Endpoint], str, str], tuple[Limiter, Breaker]] = {}
"""Limiter and breaker of each server, shared by all its callers, however patient they are and whatever they
remember."""
_OPEN: dict[tuple[object, ...], Caller] = {}
_CACHES: dict[str, AnswerCache] = {}
_INHERITED: list[object] = []
"""Objects that a forked child has of its parent: its connections, and threads that are not there. Not to be touched,
nor let go of, which would close what the parent still uses."""
_CALLERS: list[Caller] = []


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals of all connections of this process so far."""

    requests: int = 0
    in_flight: int = 0
    remembered: int = 0
    bill: Bill = field(default_factory=Bill)
    server_seconds: float = 0.0
    limit: int = 0


def totals() -> Totals:
    """The sum of all meters; the limit is that of the newest connection."""
    meters = [caller.meter for caller in _CALLERS]
    bill = Bill()
    for meter in meters:
        bill.add(meter.bill)
    return Totals(
        sum(meter.requests for meter in meters),
        sum(meter.in_flight for meter in meters),
        sum(meter.cache_hits + meter.merged for meter in meters),
        bill,
        sum(meter.server_seconds for meter in meters),
        _CALLERS[-1].limiter.limit if _CALLERS else 0,
    )


def open_cache(path: str) -> AnswerCache:
    """One opened cache for each file."""
    if path not in _CACHES:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        _CACHES[path] = AnswerCache(Path(path))
    return _CACHES[path]


def _begin_anew() -> None:
    global _DOOR
    _INHERITED.extend((*_OPEN.values(), *_CACHES.values(), *_SERVERS.values()))
    _OPEN.clear()
    _CACHES.clear()
    _SERVERS.clear()
    _CALLERS.clear()
    _DOOR = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def make_ledger(budget: Budget, models: Iterable[str], *, free: bool = False, delivery: Delivery = "live") -> Ledger:
    """A run's budget; one in dollars needs to know each model's price from the start."""
    prices = Price(0, 0, 0) if free else price_list(delivery=delivery)
    ledger = Ledger(budget.tokens, budget.requests, budget.usd, prices)
    for model in models:
        ledger.price_of(model)
    return ledger
