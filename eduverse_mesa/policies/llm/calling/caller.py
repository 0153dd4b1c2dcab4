"""Calls to a model, from the question to the answer: cache, merging, budget, slots, attempts, and the bill."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import ceil
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from eduverse_mesa.decisions import Bill
from eduverse_mesa.policies.llm.calling.budget import Ledger, Reservation
from eduverse_mesa.policies.llm.calling.cache import DAY, HOUR, AnswerCache, Facts, call_key
from eduverse_mesa.policies.llm.calling.dialect import (
    ABILITIES,
    USUAL,
    Ability,
    Dialect,
    Untaken,
    detect,
    detect_tools,
    less_of_tools,
)
from eduverse_mesa.policies.llm.calling.endpoint import Endpoint
from eduverse_mesa.policies.llm.calling.failures import (
    AttemptFailedError,
    Complaint,
    Failure,
    GivenUpError,
    failed_status,
)
from eduverse_mesa.policies.llm.calling.limiter import Backoff, Breaker, Leave, Limiter, PausedError, Slot
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Sampling, Trouble, Usage

Result = TypeVar("Result")


class _Flight(Generic[Result]):
    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[Result]) -> None:
        self.task = task
        self.waiting = 0


class Flights(Generic[Result]):
    """Work by its address. It goes on as long as one of those who wait for it is left."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[Result]] = {}

    def __contains__(self, key: Hashable) -> bool:
        return self._under_way(key) is not None

    async def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the work with this address, which is begun where it is not under way."""
        flight = self._under_way(key)
        if flight is None:
            flight = _Flight(asyncio.get_running_loop().create_task(work()))
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        except asyncio.CancelledError:
            if flight.task.cancelled() and not _is_cancelling():
                raise CallFailedError("the calls were ended while this one was under way", attempts=0) from None
            raise
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # The last one left: nobody may join it any more, and its end is waited for by nobody.
                self._flights.pop(key, None)
                flight.task.cancel()

    def _under_way(self, key: Hashable) -> _Flight[Result] | None:
        """Return the work under way at an address, None if there is none. Work that has ended but is not cleared away
        yet does not count: it would be met again and again."""
        flight = self._flights.get(key)
        return None if flight is None or flight.task.done() else flight

    def _landed(self, key: Hashable, task: asyncio.Task[Result]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # seen: those who waited may all have gone

    async def cancel_all(self) -> None:
        """End everything that is under way."""
        tasks = [flight.task for flight in self._flights.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_cancelling() -> bool:
    """Return True if our own task is being cancelled, rather than the task it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


_LATENCIES = 10_000


@dataclass
class Meter:
    """Counts from the first call on."""

    requests: int = 0
    """Requests sent, retries and probes included."""
    answers: int = 0
    retries: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Attempts that brought no answer, by what happened."""
    given_up: int = 0
    """Calls that ended without an answer."""
    cache_hits: int = 0
    merged: int = 0
    """Calls that waited for an identical one."""
    bill: Bill = field(default_factory=Bill)
    """Bill of all requests, whoever pays."""
    in_flight: int = 0
    """Requests that are out."""
    limit: int = 0
    """Requests that may be out at once."""
    busy_seconds: float = 0.0
    """Time in which at least one request was out."""
    server_seconds: float = 0.0
    """Latencies of all requests, added: divided by slots, the least time that they could take."""
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=_LATENCIES))
    """The newest, in seconds."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _busy_since: float = field(default=0.0, repr=False)

    def sent(self, *, again: bool) -> float:
        """A request goes out; gives its time."""
        now = self.clock()
        if not self.in_flight:
            self._busy_since = now
        self.in_flight += 1
        self.requests += 1
        self.retries += again
        return now

    def ended(self, since: float) -> float:
        """A request came back, one way or another; gives its latency."""
        now = self.clock()
        self.in_flight -= 1
        if not self.in_flight:
            self.busy_seconds += now - self._busy_since
        self.server_seconds += now - since
        self.latencies.append(now - since)
        return now - since


_NOTHING = Usage(0, 0, 0, 0.0)
"""Usage of an answer that was there already."""


_SCHEMAS_REFUSED = 3
"""Schemas, or sets of tools, of a model refused in a row, after which it is not these."""
_NATIVE: Mapping[str, Ability] = {"bounded": "bounded", "native": "strict"}
"""Ways to offer tools to a server that calls them in its own way, as they are remembered: with bounds, and without."""
_IN_FORM = "form"
"""The other way, in the form of the answer; why it is taken stands behind it."""
_SchemaName: TypeAlias = tuple[str, str, bytes]
"""A model, and a schema's name and fingerprint."""


@dataclass(slots=True)
class _Course:
    """How a call has gone so far."""

    dialects: list[Dialect]
    """In which it was asked: a refusal that leads back to one of them teaches nothing."""
    attempts: int = 0
    started: float | None = None
    """When it had its first slot."""
    paused: float = 0.0
    """Seconds for which the server's pauses kept it from that."""
    answers: int = 0
    """Answers to others before that."""


class Caller:
    """Takes calls to one server. Everything happens in one event loop; classrooms share it, with its limits."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        cache: AnswerCache | None = None,
        ability: Ability | None = None,
        limiter: Limiter | None = None,
        backoff: Backoff | None = None,
        breaker: Breaker | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.endpoint = endpoint
        self.without_tools: dict[str, str] = {}
        """Models whose server was to call tools in its own way, and did not: its words."""
        self.meter = Meter()
        self.limiter = limiter or Limiter()
        self._unbounded = Ledger()
        """For calls of nobody's budget."""
        self._cache = cache
        self._backoff = backoff or Backoff()
        self._breaker = breaker or Breaker()
        self._sleep = sleep
        self._clock = clock
        self._answers: Flights[Completion] = Flights()
        self._probes: Flights[Ability] = Flights()
        self._tool_probes: Flights[Ability | Untaken] = Flights()
        self._given = ability
        self._facts = Facts(cache, wall)
        self._refused: dict[_SchemaName, Ability] = {}
        """Schemas that the server refused, and what it is asked for instead."""
        self._less: dict[tuple[str, bytes], Ability | Untaken] = {}
        """Tools that the server refused, by model and fingerprint, and how they are offered instead."""
        self._disliked: dict[str, set[bytes]] = {}
        """By model, or a model's tools: schemas that were refused since one was taken."""
        self._refusal = failed_status(429, Complaint(), None, "")
        """The server's last word that it is too much."""
        self.meter.limit = self.limiter.limit

    async def complete(self, call: Call, ledger: Ledger | None = None) -> Completion:
        """The model's answer, safe in the cache when it is handed on. Raises CallFailedError."""
        key = call_key(call, self.endpoint.extras.body)
        if key not in self._answers and self._cache is not None:
            remembered = self._cache.get(key)
            if remembered is not None:
                self.meter.cache_hits += 1
                if ledger is not None:
                    ledger.remembered(call.model, remembered.usage.model)
                return _free(remembered)
        completion, shared = await self._share(self._answers, key, lambda: self._answer(key, call, ledger))
        if shared:
            self.meter.merged += 1
            if ledger is not None:
                ledger.remembered(call.model, completion.usage.model)
            return _free(completion)
        return completion

    async def ability(self, model: str, ledger: Ledger | None = None, sampling: Sampling | None = None) -> Ability:
        """How far the server holds this model to a form: found out once, and again when that is a while ago."""
        if self._given is not None:
            return self._given
        known = self._facts.get(self._named("ability", model))
        for ability in ABILITIES:
            if ability == known:
                return ability
        found, _ = await self._share(self._probes, model, lambda: self._probe(model, ledger, sampling))
        return found

    async def tool_ability(
        self, model: str, ledger: Ledger | None = None, sampling: Sampling | None = None
    ) -> Ability | Untaken:
        """How far the server's own function calling holds this model to a tool's schema; Untaken if it has none: found
        out once, and again after a while."""
        if self.endpoint.takes_tools is not None or self._given is not None:
            return "bounded" if self.endpoint.takes_tools else Untaken("")
        known = self._facts.get(self._named("tools", model)) or ""
        if known in _NATIVE:
            return _NATIVE[known]
        way, _, why = known.partition(" ")
        if way == _IN_FORM:
            return Untaken(why)
        found, _ = await self._share(self._tool_probes, model, lambda: self._probe_tools(model, ledger, sampling))
        return found

    def left_out(self, model: str) -> tuple[str, ...]:
        """The parameters that this model's server refuses, so that they are not sent."""
        return self._dialect(model).left_out

    async def aclose(self) -> None:
        """End what is under way and close the connections. The cache belongs to who opened it."""
        await self._answers.cancel_all()
        await self._probes.cancel_all()
        await self._tool_probes.cancel_all()
        await self.endpoint.aclose()

    async def _answer(self, key: bytes, call: Call, ledger: Ledger | None) -> Completion:
        try:
            completion = await self._formed(call, ledger)
        except CallFailedError:
            self.meter.given_up += 1
            raise
        if self._cache is not None:
            await self._cache.put(key, completion)
        return completion

    async def _formed(self, call: Call, ledger: Ledger | None) -> Completion:
        """An answer in the form that was asked for, as far as the server goes; some refuse just one schema."""
        if call.offers is not msgspec.UNSET:
            completion = await self._with_tools(call, ledger)
            if completion is not None:
                return completion
            call = msgspec.structs.replace(call, offers=msgspec.UNSET)
        if call.schema is None:
            return await self._try(call, "text", ledger)
        schema = (call.model, call.name, _fingerprint(call.schema))
        usual = await self.ability(call.model, ledger, call.sampling)
        ability = _lower(usual, self._refused.get(schema, usual))
        while True:
            try:
                completion = await self._try(call, ability, ledger)
            except GivenUpError as error:
                if not error.failure.form or ability == "text" or self._given is not None:
                    raise
                ability = await self._step_down(schema, ability)
            else:
                if ability == usual:
                    self._disliked.pop(call.model, None)
                return completion

    async def _with_tools(self, call: Call, ledger: Ledger | None) -> Completion | None:
        """An answer, or calls, in the server's own way; None where it does not take tools, or not these. Where it
        refuses tools after tools, it has changed; that is found out again after an hour."""
        assert call.offers is not msgspec.UNSET
        tools, fact = (call.model, _fingerprint(call.offers.tools)), self._named("tools", call.model)
        found = await self.tool_ability(call.model, ledger, call.sampling)
        if not isinstance(found, Untaken):
            found = self._less.get(tools, found)
        while not isinstance(found, Untaken):
            try:
                completion = await self._try(call, found, ledger)
            except GivenUpError as error:
                if not error.failure.tools:
                    raise
                self._less[tools] = found = less_of_tools(found, error.failure)
                if isinstance(found, Untaken):
                    await self._dislike(fact, tools, found)
                continue
            self._disliked.pop(fact, None)
            return completion
        if found.why:
            self.without_tools[call.model] = found.why
        return None

    async def _dislike(self, fact: str, tools: tuple[str, bytes], refused: Untaken) -> None:
        """Remember tools that were refused altogether."""
        disliked = self._disliked.setdefault(fact, set())
        disliked.add(tools[1])
        if len(disliked) >= _SCHEMAS_REFUSED:
            self._less = {one: less for one, less in self._less.items() if one[0] != tools[0]}
            disliked.clear()
            await self._facts.learn(fact, f"{_IN_FORM} {refused.why}", HOUR)

    async def _step_down(self, schema: _SchemaName, ability: Ability) -> Ability:
        """Remember a refusal as that schema's. Where several schemas are refused and none is taken, it is the server
        that has changed; that is found out again after an hour."""
        lower = ABILITIES[ABILITIES.index(ability) + 1]
        self._refused[schema] = lower
        model = schema[0]
        disliked = self._disliked.setdefault(model, set())
        disliked.add(schema[2])
        if len(disliked) >= _SCHEMAS_REFUSED and self._facts.get(self._named("ability", model)) == ability:
            disliked.clear()
            await self._facts.learn(self._named("ability", model), lower, HOUR)
        return lower

    async def _probe(self, model: str, ledger: Ledger | None, sampling: Sampling | None) -> Ability:
        found = await detect(model, lambda call, ability: self._try(call, ability, ledger), sampling)
        await self._facts.learn(self._named("ability", model), found, 7 * DAY)
        return found

    async def _probe_tools(self, model: str, ledger: Ledger | None, sampling: Sampling | None) -> Ability | Untaken:
        found = await detect_tools(model, lambda call, ability: self._try(call, ability, ledger), sampling)
        if isinstance(found, Untaken):
            await self._facts.learn(self._named("tools", model), f"{_IN_FORM} {found.why}", DAY)
        else:
            (way,) = (name for name, ability in _NATIVE.items() if ability == found)
            await self._facts.learn(self._named("tools", model), way, 7 * DAY)
        return found

    def _dialect(self, model: str) -> Dialect:
        """The server's dialect, as far as it is known: from this process, or from the cache."""
        dialects = self.endpoint.dialects
        if model not in dialects:
            dialects[model] = _read_dialect(self._facts.get(self._named("dialect", model)))
        return dialects[model]

    async def _remember_dialect(self, model: str) -> None:
        learned = msgspec.json.encode(self._dialect(model)).decode()
        if self._facts.get(self._named("dialect", model)) != learned:
            await self._facts.learn(self._named("dialect", model), learned, 30 * DAY)

    async def _remember_limit(self) -> None:
        """Keep how many calls the server takes at once: whenever that has changed much, and once it is all we want."""
        if not self.endpoint.one_by_one:
            return
        limit, told = self.limiter.limit, self._facts.get(limit_fact(self.endpoint.base_url)) or ""
        known = int(told) if told.isdecimal() else 0
        if not 0.5 < limit / max(1, known) < 2 or known < limit == self.limiter.most:
            await self._facts.learn(limit_fact(self.endpoint.base_url), str(limit), DAY)

    def _named(self, kind: str, model: str) -> str:
        return f"{kind} {self.endpoint.base_url} {model}"

    async def _share(
        self, flights: Flights[Result], key: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]
    ) -> tuple[Result, bool]:
        """Join identical work or begin it; whose budget does not suffice must not decide for those who have one."""
        while True:
            shared = key in flights
            try:
                return await flights.join(key, work), shared
            except CallFailedError as error:
                if not shared or error.trouble != "budget":
                    raise

    async def _try(self, call: Call, ability: Ability, ledger: Ledger | None) -> Completion:
        """Attempts until one succeeds, or until it makes no sense to go on."""
        course = _Course([self._dialect(call.model)])
        while True:
            result = await self._attempt(call, ability, ledger, course)
            if isinstance(result, Completion):
                return result
            if result.adapted and self._dialect(call.model) not in course.dialects:
                course.dialects.append(self._dialect(call.model))
                await self._remember_dialect(call.model)
                continue
            self.meter.failures[result.kind] += 1
            most = self._backoff.limited_attempts if result.limited else self._backoff.attempts
            wait = self._backoff.wait(course.attempts, result.wait)
            if not result.retry:
                raise GivenUpError(result, course.attempts)
            if result.limited and self.limiter.refusing >= self.endpoint.deadlines.total:
                raise GivenUpError(self._hopeless(result, course), course.attempts)
            if course.attempts - len(course.dialects) >= most - 1 or wait >= self._left(course):
                raise GivenUpError(self._hopeless(result, course), course.attempts)
            await self._sleep(wait)

    def _hopeless(self, failure: Failure, course: _Course) -> Failure:
        """The failure of a call that is given up. Where a server has answered nothing but that it is too much since the
        call began, and it was asked again, the trouble is not this one call's."""
        if not failure.limited:
            return failure
        if failure.wait and failure.wait > self._left(course):
            failure = replace(failure, reason=self._kept_waiting(failure.wait))
        alone = course.attempts == 1 or self.limiter.answers > course.answers
        return failure if alone else replace(failure, trouble="endpoint")

    def _left(self, course: _Course) -> float:
        waits = self.endpoint.deadlines
        spent = 0.0 if course.started is None else self._clock() - course.started
        return min(waits.total, waits.whole - course.paused) - spent

    def _kept_waiting(self, asked: float) -> str:
        """Why a call was given up that would have had to wait for too long."""
        waits = self.endpoint.deadlines
        had = min(waits.total, waits.whole)
        wait = f"{ceil(asked)} s" if asked < DAY else "a day or more"
        return f"{self._refusal.reason}; it asks for a wait of {wait}, and a call has {had:g} s in all"

    async def _attempt(
        self, call: Call, ability: Ability, ledger: Ledger | None, course: _Course
    ) -> Completion | Failure:
        """One request with all that it needs: what was set aside, a slot, and the breaker's leave."""
        again = course.attempts > 0
        reservation = await (ledger or self._unbounded).reserve(call, out=self.endpoint.is_out(call, ability))
        slot: Slot | None = None
        leave: Leave | None = None
        try:
            slot = await self._slot(course)
            leave = await self._enter(course)
            await reservation.send()
        except BaseException as error:
            if leave is not None:
                self._breaker.withdrawn(leave)
            if slot is not None:
                self.limiter.release()
            reservation.withdraw()
            if isinstance(error, CallFailedError):
                error.attempts += course.attempts
            raise
        course.attempts += 1
        since = self.meter.sent(again=again)
        result: Completion | Failure | None = None
        try:
            result = await self.endpoint.send(call, ability, self._left(course))
        except AttemptFailedError as error:
            result = error.failure
        finally:
            self.meter.ended(since)
            self._settle(result, reservation, slot, leave)
        if isinstance(result, Failure):
            return result
        await self._remember_limit()
        return self._billed(result, call, ledger, course)

    async def _slot(self, course: _Course) -> Slot:
        """Wait for a slot. Before its first one a call waits for others as long as it takes."""
        waits, again = self.endpoint.deadlines, course.started is not None
        left = self._left(course) if again else waits.whole
        try:
            async with asyncio.timeout(left if again else None):
                slot = await self.limiter.acquire(ahead=again, patience=left, hope=waits.total)
        except TimeoutError:
            raise _late() from None
        except PausedError as error:
            trouble: Trouble = "endpoint" if error.hopeless else "call"
            reason, mend = self._kept_waiting(error.asked), self._refusal.mend
            raise CallFailedError(reason, trouble, attempts=0, mend=mend) from None
        if not again:
            course.started, course.paused, course.answers = self._clock(), slot.paused, self.limiter.answers
        return slot

    async def _enter(self, course: _Course) -> Leave:
        """The breaker's leave; another call may have to try first whether the server is back."""
        left = self._left(course)
        if left <= 0:
            raise _late()
        if not self._breaker.is_open:  # nothing is waited for: no timer, which is dear at hundreds of calls
            return await self._breaker.enter(id(course))
        try:
            async with asyncio.timeout(left):
                return await self._breaker.enter(id(course))
        except TimeoutError:
            raise _late() from None

    def _settle(self, result: Completion | Failure | None, reservation: Reservation, slot: Slot, leave: Leave) -> None:
        """Give everything back; None is a request that was cancelled after it went out."""
        if isinstance(result, Completion):
            self._breaker.succeeded(leave)
            self.limiter.succeeded(slot)
        elif result is not None and result.fault:
            self._breaker.failed(leave, result)
            self.limiter.release()
        elif result is not None:
            self._breaker.succeeded(leave)  # it is there, and answers
            if result.limited:
                self._refusal = result
                self.limiter.limited(slot, result.wait)
            else:
                self.limiter.release()
        else:
            self._breaker.withdrawn(leave)
            self.limiter.release()
        self.meter.limit = self.limiter.limit
        if isinstance(result, Completion):
            entry = reservation.settle(result.usage)
        elif result is not None and result.usage is not None:
            entry = reservation.settle(result.usage, failed=True)
        elif result is None and not self.endpoint.one_by_one:
            entry = reservation.lose()  # it stays in its batch
        elif result is None or result.charged:
            entry = reservation.forfeit()
        else:
            entry = reservation.refund()
        self.meter.bill.add(entry)

    def _billed(self, completion: Completion, call: Call, ledger: Ledger | None, course: _Course) -> Completion:
        usage = msgspec.structs.replace(
            completion.usage,
            cost=None if ledger is None else ledger.cost(call.model, completion.usage),
            latency_ms=(self._clock() - (course.started or 0.0)) * 1000,
            calls=course.attempts,
        )
        self.meter.answers += 1
        return msgspec.structs.replace(completion, usage=usage)


def limit_fact(base_url: str) -> str:
    """The name under which a server's limit is remembered."""
    return f"limit {base_url}"


def _free(completion: Completion) -> Completion:
    """An answer that was there already, or that somebody else has paid for."""
    usage = msgspec.structs.replace(_NOTHING, model=completion.usage.model)
    return msgspec.structs.replace(completion, usage=usage, remembered=True)


def _lower(one: Ability, other: Ability) -> Ability:
    return max(one, other, key=ABILITIES.index)


def _fingerprint(form: Any) -> bytes:
    return blake2b(msgspec.json.encode(form), digest_size=8).digest()


def _read_dialect(text: str | None) -> Dialect:
    try:
        return USUAL if text is None else msgspec.json.decode(text, type=Dialect)
    except (msgspec.DecodeError, ValueError):
        return USUAL


def _late() -> CallFailedError:
    return CallFailedError("no answer came in the time that a call has", attempts=0)
