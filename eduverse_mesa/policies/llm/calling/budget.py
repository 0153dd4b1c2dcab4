"""Prices of models, and the ledger of a run: one for its bill and its budget, with reservations and a bookkeeper.

What a call may take is set aside before it is sent, so that calls side by side cannot overshoot together. When it has
ended, the ledger enters what the server told of it; where nobody tells, the budget counts all that was set aside, and
the bill says that it is an estimate. Where several runs share a budget, each may have a ledger of its own beside it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import PolicyError, ScenarioError
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Usage
from eduverse_mesa.scenarios.yaml_text import parse


class Bookkeeper:
    """Writes a ledger's bill wherever it is kept. Changes that come together are written together."""

    def __init__(self, bill: Callable[[], Bill], write: Callable[[str], None]) -> None:
        self._bill = bill
        self._write = write
        self._turn = Lock()  # what is written later was read later
        self._written = Bill().write()
        self._now: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    def write(self) -> None:
        """Write it now, where it has changed."""
        with self._turn:
            text = self._bill().write()
            if text != self._written:
                self._write(text)
                self._written = text

    async def written(self) -> None:
        """Return when what stands in the bill by now is written; raises what kept it from being written."""
        await asyncio.shield(self._coming())

    def write_soon(self) -> None:
        """Have it written without waiting for that; who waits next hears of any trouble."""
        self._coming()

    def _coming(self) -> asyncio.Task[None]:
        """The next writing: the one that is under way may not know of the newest changes."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._after(self._now))
            self._next.add_done_callback(_see)
        return self._next

    async def _after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        self._now, self._next = self._next, None
        await asyncio.to_thread(self.write)


def _see(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()


SETTING = "llm.budget"
"""The setting that bounds what a run may take."""
_MILLION = 1_000_000
_PARTS = ("in", "cached", "out")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float
    tokens_cached: float | None = None
    """For prompt tokens that the server still had; None: as much as the others."""

    def cost(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """US dollars; `tokens_cached` of `tokens_in` were cached."""
        cached = self.tokens_in if self.tokens_cached is None else self.tokens_cached
        tokens_cached = min(tokens_cached, tokens_in)
        total = (tokens_in - tokens_cached) * self.tokens_in + tokens_cached * cached + tokens_out * self.tokens_out
        return total / _MILLION

    def times(self, share: float) -> Price:
        """So much of it."""
        cached = None if self.tokens_cached is None else share * self.tokens_cached
        return Price(share * self.tokens_in, share * self.tokens_out, cached)


class PriceList:
    """Prices by model; a name that ends in `*` stands for all models that begin so, the longest beginning counts."""

    def __init__(self, prices: dict[str, Price], as_of: str = "", batch: float = 1.0) -> None:
        self._exact = {name: price for name, price in prices.items() if not name.endswith("*")}
        prefixes = [(name[:-1], price) for name, price in prices.items() if name.endswith("*")]
        self._prefixes = sorted(prefixes, key=lambda pair: -len(pair[0]))
        self.as_of = as_of
        """When somebody last looked."""
        self.batch = batch
        """Share of these prices that a call in a batch costs."""

    def of(self, model: str) -> Price | None:
        """The price, also where a gateway puts the maker's name before the model's (`openai/...`)."""
        for name in (model, model.rsplit("/", 1)[-1]):
            if name in self._exact:
                return self._exact[name]
            for prefix, price in self._prefixes:
                if name.startswith(prefix):
                    return price
        return None

    def in_batches(self) -> PriceList:
        """The prices of calls that go out in batches."""
        made = PriceList({}, self.as_of)
        made._exact = {name: price.times(self.batch) for name, price in self._exact.items()}
        made._prefixes = [(name, price.times(self.batch)) for name, price in self._prefixes]
        return made

    @classmethod
    def packaged(cls) -> PriceList:
        """The list that comes with the package."""
        return cls.parse((files(__package__) / "prices.yaml").read_text("utf-8"), "prices.yaml")

    @classmethod
    def load(cls, path: Path | None = None) -> PriceList:
        """The packaged list, and over it that of a user."""
        base = cls.packaged()
        if path is None:
            return base
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            raise PolicyError("the price list cannot be read.", where=str(path), mend="Check the path.") from None
        own = cls.parse(text, str(path), base.batch)
        merged = cls({}, own.as_of or base.as_of, own.batch)
        merged._exact = base._exact | own._exact
        kept = [pair for pair in base._prefixes if pair[0] not in dict(own._prefixes)]
        merged._prefixes = sorted(own._prefixes + kept, key=lambda pair: -len(pair[0]))
        return merged

    @classmethod
    def parse(cls, text: str, where: str, batch: float = 1.0) -> PriceList:
        """Read a list: `as_of`, `batch` (left out: as given), and under `models` the prices `in`, `cached`, `out`."""
        try:
            document = parse(text, where).data
        except ScenarioError as error:
            raise PolicyError(error.message, where=error.where, mend=error.mend) from None
        if not isinstance(document, dict) or not isinstance(models := document.get("models"), dict):
            raise PolicyError("the price list names no `models`.", where=where, mend=_FORM)
        prices = {name: _price(name, entry, where) for name, entry in models.items()}
        share = document.get("batch", batch)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise PolicyError("`batch` is no share from 0 to 1.", where=where, mend="Write for example `batch: 0.5`.")
        return cls(prices, str(document.get("as_of", "")), share)


_FORM = "It must look like `models: {my-model: {in: 0.15, cached: 0.075, out: 0.60}}`: US dollars for a million tokens."


def _price(name: str, entry: Any, where: str) -> Price:
    if not isinstance(entry, dict) or not {"in", "out"} <= entry.keys() <= set(_PARTS):
        raise PolicyError(f"the price of {name} needs `in` and `out`, and may have `cached`.", where=where, mend=_FORM)
    for part, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise PolicyError(f"the price {part} of {name} is no amount.", where=where, mend=_FORM)
    return Price(entry["in"], entry["out"], entry.get("cached"))


_MESSAGE_OVERHEAD = 16
"""Tokens around a message; chat templates known to us add 3 to 8."""
_CALL_OVERHEAD = 64


def largest_prompt(call: Call) -> int:
    """A bound of the prompt's tokens: a token of a byte-pair encoding is at least one byte long."""
    if call.offers is not msgspec.UNSET:
        return len(msgspec.json.encode(call.offers)) + 2 * _MESSAGE_OVERHEAD * len(call.offers.turns) + _CALL_OVERHEAD
    size = sum(len(message.content.encode("utf-8", "replace")) + _MESSAGE_OVERHEAD for message in call.messages)
    if call.schema is not None:
        size += len(msgspec.json.encode(call.schema))
    return size + _CALL_OVERHEAD


@dataclass(slots=True)
class Spent:
    """Tokens, requests and dollars that a budget counts as spent, or that are set aside."""

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
        if not self.requests:
            self.tokens, self.usd = 0, 0.0  # sums of fractions drift; nothing out is exactly nothing


class Ledger:
    """A run's bill and its budget: tokens in and out, requests with their retries, US dollars. None is no bound."""

    def __init__(
        self,
        tokens: int | None = None,
        requests: int | None = None,
        usd: float | None = None,
        price: Price | PriceList | None = None,
    ) -> None:
        self.tokens = tokens
        self.requests = requests
        self.usd = usd
        self._price = price
        self._bill = Bill()
        self._held = Spent()
        self._out = Spent()
        self._turn = Lock()  # the bill is read in other threads
        self._waiting: deque[tuple[Spent, asyncio.Future[None]]] = deque()
        self._found = 0
        """Requests that the bill counts as lost, and that will be waited for again."""
        self._bookkeeper: Bookkeeper | None = None

    @property
    def bill(self) -> Bill:
        """Bill of all that was taken so far, including requests under way."""
        with self._turn:
            out = Bill(out=self._out.requests, out_tokens=self._out.tokens, out_usd=self._out.usd)
            out.add(self._bill)
            return out

    def go_on_from(self, bill: Bill) -> None:
        """Begin with what a run has taken before; of what was on its way when its program ended, nobody can tell."""
        with self._turn:
            self._bill.add(bill.closed())

    @property
    def spent(self) -> Spent:
        """Amount that the budget counts as spent: the usage that servers told, and the most that all other calls may
        have taken."""
        bill = self._bill
        return Spent(bill.tokens + bill.most_tokens, bill.requests, bill.usd + bill.most_usd)

    @property
    def held(self) -> Spent:
        """Amount set aside for calls that are out, or will be."""
        return self._held

    # --- where the bill is kept ---

    def keep(self, write: Callable[[str], None]) -> None:
        """Have the bill written down from now on: a request is sent when it stands in what is written."""
        self._bookkeeper = Bookkeeper(lambda: self.bill, write)

    def write_down(self) -> None:
        """Have it written down now, where it is kept."""
        if self._bookkeeper is not None:
            self._bookkeeper.write()

    def stop_keeping(self) -> None:
        """Have it written down no more."""
        self._bookkeeper = None

    # --- prices ---

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model, None if it is not known; raise PolicyError then if the budget is in dollars."""
        price = self._price.of(model) if isinstance(self._price, PriceList) else self._price
        if price is None and self.usd is not None:
            raise PolicyError(
                f"a budget in dollars needs the price of the model {model!r}.",
                mend="Name a file with its price in EDUVERSE_PRICES (models: {NAME: {in: 0.15, out: 0.60}}, in dollars "
                "a million tokens), or bound tokens or requests instead.",
            )
        return price

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return the cost of a usage; None if the usage or the price is not known."""
        price = self.price_of(model)
        if price is None or usage.tokens_in is None or usage.tokens_out is None:
            return None
        return price.cost(usage.tokens_in, usage.tokens_out, usage.tokens_cached or 0)

    # --- calls ---

    async def reserve(self, call: Call, *, out: bool = False) -> Reservation:
        """Set aside what one request may cost at most; waits for calls that are out where it does not fit yet.
        `out`: the request went out before, and only its answer is waited for. Where the bill counts it as lost, it is
        paid for already."""
        price = self.price_of(call.model)
        tokens_in, tokens_out = largest_prompt(call), call.sampling.max_tokens
        bound = Spent(tokens_in + tokens_out, 1, price.cost(tokens_in, tokens_out) if price else 0.0)
        if out and self._find():
            return Reservation(self, call.model, bound, out=True, found=True)
        if not self._waiting and not self.lacking(bound):
            self._held.add(bound)
            return Reservation(self, call.model, bound, out=out)
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
        return Reservation(self, call.model, bound, out=out)

    def _find(self) -> bool:
        """Return True if the bill counts a request as lost that can be the one that is waited for again."""
        if self._found >= self._bill.lost:
            return False
        self._found += 1
        return True

    def remembered(self, model: str, name: str) -> None:
        """An answer came from the cache: nothing was paid for it. `name`: the model that once gave it."""
        for ledger in (self, _account_beside(self)):
            if ledger is not None:
                with ledger._turn:
                    ledger._bill.note_name(model, name)

    def lacking(self, bound: Spent) -> str:
        """The first budget into which it does not fit; empty where it does."""
        spent = self.spent
        if self.requests is not None and spent.requests + self._held.requests + bound.requests > self.requests:
            return "requests"
        if self.tokens is not None and spent.tokens + self._held.tokens + bound.tokens > self.tokens:
            return "tokens"
        if self.usd is not None and spent.usd + self._held.usd + bound.usd > self.usd:
            return "dollars"
        return ""

    @property
    def left(self) -> str:
        """What is left of each bound, in words; empty where there is none."""
        spent, told = self.spent, []
        for name, unit, form in (
            ("usd", "US dollars", ".4f"),
            ("tokens", "tokens", ","),
            ("requests", "requests", ","),
        ):
            most = getattr(self, name)
            if most is not None:
                told.append(f"{max(0, most - getattr(spent, name)):{form}} of {most:{form}} {unit}")
        return ", ".join(told)

    def _left(self, lacking: str, bound: Spent) -> str:
        """How much of a budget is spent, in words; one that holds something yet does not hold the next call."""
        name = "usd" if lacking == "dollars" else lacking
        most, taken, wanted = (getattr(of, name) for of in (self, self.spent, bound))
        form = ".4f" if name == "usd" else ","
        told = f"{taken:{form}} of {most:{form}} are spent"
        return told if taken >= most or name == "requests" else f"{told}, and the next call may take {wanted:{form}}"

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
                reason = f"the budget of {lacking} is used up: {self._left(lacking, bound)}"
                mend = f"Give a larger one ({SETTING}.{'usd' if lacking == 'dollars' else lacking})."
                waiting.set_exception(CallFailedError(reason, "budget", attempts=0, mend=mend))
            else:
                self._held.add(bound)
                waiting.set_result(None)

    async def _send(self, bound: Spent, *, found: bool) -> None:
        with self._turn:
            if found:  # it is one request, and no longer lost
                self._found -= 1
                self._held.add(bound)
                self._bill.take_lost(bound.tokens, bound.usd)
            self._out.add(bound)
        if self._bookkeeper is not None:
            await self._bookkeeper.written()

    def _settle(self, bound: Spent, entry: Bill, *, sent: bool, found: bool) -> None:
        with self._turn:
            if sent:
                self._out.take(bound)
            self._bill.add(entry)
        if found and not sent:
            self._found -= 1
        else:
            self._held.take(bound)
        if sent and self._bookkeeper is not None:
            self._bookkeeper.write_soon()
        self._hand_out()


_ACCOUNT: ContextVar[Ledger | None] = ContextVar("eduverse_account", default=None)


@contextmanager
def billed_to(account: Ledger) -> Iterator[None]:
    """Have what is spent inside entered in this ledger, too, whoever's budget it is: that of one run among several."""
    token = _ACCOUNT.set(account)
    try:
        yield
    finally:
        _ACCOUNT.reset(token)


def _account_beside(ledger: Ledger) -> Ledger | None:
    account = _ACCOUNT.get()
    return None if account is ledger else account


class Reservation:
    """Amount set aside for one request. It is ended exactly once, and the bill then holds what the request took."""

    __slots__ = ("_bound", "_ledger", "_model", "_open", "_parts", "_sent")

    def __init__(self, ledger: Ledger, model: str, bound: Spent, *, out: bool, found: bool = False) -> None:
        self._ledger = ledger
        self._parts = [(ledger, found)]
        account = _account_beside(ledger)
        if account is not None:
            found = out and account._find()
            if not found:
                account._held.add(bound)
            self._parts.append((account, found))
        self._model = model
        self._bound = bound
        self._open = True
        self._sent = False

    async def send(self) -> None:
        """The request is about to go out: it stands in the bill, wherever that is kept, when this returns."""
        self._sent = True
        for ledger, found in self._parts:
            await ledger._send(self._bound, found=found)

    def settle(self, usage: Usage, *, failed: bool = False) -> Bill:
        """The server answered; `failed`: with nothing that is an answer. Its usage counts; where it tells none, all
        that was set aside does."""
        if usage.tokens_in is None or usage.tokens_out is None:
            entry = self._untold(failed=failed)
        else:
            cost = self._ledger.cost(self._model, usage)
            entry = Bill(
                requests=1,
                failed=int(failed),
                tokens_in=usage.tokens_in,
                tokens_out=usage.tokens_out,
                tokens_cached=usage.tokens_cached or 0,
                usd=cost or 0.0,
                unpriced=int(cost is None),
            )
        entry.note_name(self._model, usage.model)
        return self._end(entry)

    def forfeit(self) -> Bill:
        """No answer came, but it may be charged: all that was set aside counts."""
        return self._end(self._untold(failed=True))

    def lose(self) -> Bill:
        """Nobody waits for the answer any more, which may still come: all that was set aside counts, until the same is
        waited for again."""
        bound = self._bound
        return self._end(Bill(requests=1, untold=1, lost=1, most_tokens=bound.tokens, most_usd=bound.usd))

    def refund(self) -> Bill:
        """The server turned it away: only the request counts."""
        return self._end(Bill(requests=1, failed=1))

    def withdraw(self) -> Bill:
        """Nothing was sent."""
        return self._end(Bill())

    def _untold(self, *, failed: bool) -> Bill:
        bound = self._bound
        return Bill(requests=1, failed=int(failed), untold=1, most_tokens=bound.tokens, most_usd=bound.usd)

    def _end(self, entry: Bill) -> Bill:
        if not self._open:
            return Bill()
        self._open = False
        for ledger, found in self._parts:
            ledger._settle(self._bound, entry, sent=self._sent, found=found)
        return entry
