"""What a run may spend. It is set aside before a call, so that calls side by side cannot overshoot together."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Protocol

import msgspec

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.calling.prices import Price, PriceList
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Usage

_MESSAGE_OVERHEAD = 16
"""Tokens around a message; chat templates known to us add 3 to 8."""
_CALL_OVERHEAD = 64


def largest_prompt(call: Call) -> int:
    """A bound of the prompt's tokens: a token of a byte-pair encoding is at least one byte long."""
    size = sum(len(message.content.encode("utf-8", "replace")) + _MESSAGE_OVERHEAD for message in call.messages)
    if call.schema is not None:
        size += len(msgspec.json.encode(call.schema))
    return size + _CALL_OVERHEAD


@dataclass(slots=True)
class Spent:
    """What was spent, or is set aside."""

    tokens: int = 0
    requests: int = 0
    usd: float = 0.0

    def add(self, other: Spent) -> None:
        """Add to it."""
        self.tokens += other.tokens
        self.requests += other.requests
        self.usd += other.usd

    def take(self, other: Spent) -> None:
        """Take from it."""
        self.tokens -= other.tokens
        self.requests -= other.requests
        self.usd -= other.usd


class Priced(Protocol):
    """Something that knows prices."""

    def of(self, model: str) -> Price | None:
        """The price of a model."""
        ...


class Ledger:
    """A run's budget: tokens in and out, requests with their retries, US dollars. None is no bound."""

    def __init__(
        self,
        tokens: int | None = None,
        requests: int | None = None,
        usd: float | None = None,
        price: Price | PriceList | None = None,
        *,
        spent: Spent | None = None,
    ) -> None:
        self.tokens = tokens
        self.requests = requests
        self.usd = usd
        self.spent = Spent() if spent is None else Spent(spent.tokens, spent.requests, spent.usd)
        """What is settled; a resumed run starts with what it had spent."""
        self.counts_remembered = False
        """A run that was killed has paid for answers that nobody counted: while it goes over that step again, an answer
        that is remembered counts like one that is paid."""
        self.unaccounted = 0
        """Requests of which no server told the usage: what was set aside for them counts as spent."""
        self._price = price
        self._held = Spent()
        self._waiting: deque[tuple[Spent, asyncio.Future[None]]] = deque()

    @property
    def held(self) -> Spent:
        """What is set aside for calls that are out."""
        return self._held

    def price_of(self, model: str) -> Price | None:
        """What the model costs; a dollar budget needs to know."""
        price = self._price.of(model) if isinstance(self._price, PriceList) else self._price
        if price is None and self.usd is not None:
            raise PolicyError(
                f"a budget in dollars needs the price of the model {model!r}.",
                mend="Name a file with its price in EDUVERSE_PRICES (models: {NAME: {in: 0.15, out: 0.60}}, in dollars "
                "a million tokens), or bound tokens or requests instead.",
            )
        return price

    def cost(self, model: str, usage: Usage) -> float | None:
        """What that usage costs; None where it, or the price, is not known."""
        price = self.price_of(model)
        if price is None or usage.tokens_in is None or usage.tokens_out is None:
            return None
        return price.cost(usage.tokens_in, usage.tokens_out, usage.tokens_cached or 0)

    async def reserve(self, call: Call) -> Reservation:
        """Set aside what one request may cost at most; waits for calls that are out where it does not fit yet."""
        price = self.price_of(call.model)
        tokens_in, tokens_out = largest_prompt(call), call.sampling.max_tokens
        bound = Spent(tokens_in + tokens_out, 1, price.cost(tokens_in, tokens_out) if price else 0.0)
        if not self._waiting and not self.lacking(bound):
            self._held.add(bound)
            return Reservation(self, call.model, bound)
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((bound, waiting))
        self._hand_out()
        try:
            await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled() and waiting.exception() is None:
                self._held.take(bound)
            else:
                self._waiting = deque(pair for pair in self._waiting if pair[1] is not waiting)
            self._hand_out()
            raise
        return Reservation(self, call.model, bound)

    def remembered(self, model: str, usage: Usage) -> None:
        """An answer came from the cache; `usage` is what it once took."""
        if self.counts_remembered:
            tokens = (usage.tokens_in or 0) + (usage.tokens_out or 0)
            self.spent.add(Spent(tokens, 1, self.cost(model, usage) or 0.0))

    def lacking(self, bound: Spent) -> str:
        """The first budget into which it does not fit; empty where it does."""
        if self.requests is not None and self.spent.requests + self._held.requests + bound.requests > self.requests:
            return "requests"
        if self.tokens is not None and self.spent.tokens + self._held.tokens + bound.tokens > self.tokens:
            return "tokens"
        if self.usd is not None and self.spent.usd + self._held.usd + bound.usd > self.usd:
            return "dollars"
        return ""

    def _hand_out(self) -> None:
        while self._waiting:
            bound, waiting = self._waiting[0]
            lacking = self.lacking(bound)
            if lacking and self._held.requests:
                return  # what is out may cost less than was set aside
            self._waiting.popleft()
            if waiting.done():
                continue
            if lacking:
                reason = f"the budget of {lacking} is used up"
                waiting.set_exception(CallFailedError(reason, "budget", attempts=0, mend="Resume with a larger one."))
            else:
                self._held.add(bound)
                waiting.set_result(None)

    def _settle(self, bound: Spent, spent: Spent) -> None:
        self._held.take(bound)
        if not self._held.requests:
            self._held = Spent()  # sums of fractions drift; nothing out is exactly nothing
        self.spent.add(spent)
        self._hand_out()


class Reservation:
    """What is set aside for one request. It is ended exactly once."""

    __slots__ = ("_bound", "_ledger", "_model", "_open")

    def __init__(self, ledger: Ledger, model: str, bound: Spent) -> None:
        self._ledger = ledger
        self._model = model
        self._bound = bound
        self._open = True

    def settle(self, usage: Usage) -> None:
        """An answer came: its usage counts; where the server does not tell, all that was set aside does."""
        if usage.tokens_in is None or usage.tokens_out is None:
            self.forfeit()
            return
        cost = self._ledger.cost(self._model, usage) or 0.0
        self._end(Spent(usage.tokens_in + usage.tokens_out, 1, cost))

    def forfeit(self) -> None:
        """No answer came, but it may be charged: all that was set aside counts."""
        if self._open:
            self._ledger.unaccounted += 1
        self._end(self._bound)

    def refund(self) -> None:
        """The server turned it away: only the request counts."""
        self._end(Spent(requests=1))

    def withdraw(self) -> None:
        """Nothing was sent."""
        self._end(Spent())

    def _end(self, spent: Spent) -> None:
        if self._open:
            self._open = False
            self._ledger._settle(self._bound, spent)
