"""Calls to a model, from the question to the answer: cache, merging, budget, slots, attempts, and the bill."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from eduverse_mesa.policies.llm.calling.backoff import Backoff
from eduverse_mesa.policies.llm.calling.body import ABILITIES, Ability
from eduverse_mesa.policies.llm.calling.breaker import Breaker, Leave
from eduverse_mesa.policies.llm.calling.budget import Ledger, Reservation
from eduverse_mesa.policies.llm.calling.cache import AnswerCache, call_key
from eduverse_mesa.policies.llm.calling.capabilities import detect
from eduverse_mesa.policies.llm.calling.endpoint import Endpoint
from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Failure, GivenUpError
from eduverse_mesa.policies.llm.calling.flights import Flights
from eduverse_mesa.policies.llm.calling.limiter import Limiter, Slot
from eduverse_mesa.policies.llm.calling.meter import Meter
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Usage

Result = TypeVar("Result")

_NOTHING = Usage(0, 0, 0, 0.0)
"""What an answer took that was there already."""


@dataclass(slots=True)
class _Course:
    """How a call has gone so far."""

    attempts: int = 0
    started: float | None = None
    """When its first attempt began."""


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
    ) -> None:
        self.endpoint = endpoint
        self.meter = Meter()
        self.limiter = limiter or Limiter()
        self._cache = cache
        self._backoff = backoff or Backoff()
        self._breaker = breaker or Breaker()
        self._sleep = sleep
        self._clock = clock
        self._answers: Flights[Completion] = Flights()
        self._probes: Flights[Ability] = Flights()
        self._given = ability
        self._abilities: dict[str, Ability] = {}
        self.meter.limit = self.limiter.limit

    async def complete(self, call: Call, ledger: Ledger | None = None) -> Completion:
        """The model's answer, safe in the cache when it is handed on. Raises CallFailedError."""
        key = call_key(call)
        if key not in self._answers and self._cache is not None:
            remembered = self._cache.get(key)
            if remembered is not None:
                self.meter.cache_hits += 1
                if ledger is not None:
                    ledger.remembered(call.model, remembered.usage)
                return msgspec.structs.replace(remembered, usage=_NOTHING)
        completion, shared = await self._share(self._answers, key, lambda: self._answer(key, call, ledger))
        if shared:
            self.meter.merged += 1
            return msgspec.structs.replace(completion, usage=_NOTHING, remembered=True)
        return completion

    async def ability(self, model: str, ledger: Ledger | None = None) -> Ability:
        """How far the server holds this model to a form; asked once, and remembered in the cache."""
        known = self._given or self._abilities.get(model)
        if known is not None:
            return known
        found, _ = await self._share(self._probes, model, lambda: self._probe(model, ledger))
        return found

    async def aclose(self) -> None:
        """End what is under way and close the connections. The cache belongs to who opened it."""
        await self._answers.cancel_all()
        await self._probes.cancel_all()
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
        if call.schema is None:
            return await self._try(call, "text", ledger)
        ability = await self.ability(call.model, ledger)
        while True:
            try:
                return await self._try(call, ability, ledger)
            except GivenUpError as error:
                if error.failure.disliked != "form" or ability == "text" or self._given is not None:
                    raise
            ability = ABILITIES[ABILITIES.index(ability) + 1]
            await self._learn(call.model, ability)

    async def _probe(self, model: str, ledger: Ledger | None) -> Ability:
        known = self._cache.fact(self._fact(model)) if self._cache is not None else None
        for ability in ABILITIES:
            if ability == known:
                self._abilities[model] = ability
                return ability
        found = await detect(model, lambda call, ability: self._try(call, ability, ledger))
        await self._learn(model, found)
        return found

    async def _learn(self, model: str, ability: Ability) -> None:
        self._abilities[model] = ability
        if self._cache is not None:
            await self._cache.learn(self._fact(model), ability)

    def _fact(self, model: str) -> str:
        return f"ability {self.endpoint.base_url} {model}"

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
        course = _Course()
        while True:
            result = await self._attempt(call, ability, ledger, course)
            if isinstance(result, Completion):
                return result
            self.meter.failures[result.kind] += 1
            most = self._backoff.limited_attempts if result.limited else self._backoff.attempts
            wait = self._backoff.wait(course.attempts, result.wait)
            if not result.retry or course.attempts >= most or wait >= self._left(course):
                raise GivenUpError(result, course.attempts)
            await self._sleep(wait)

    def _left(self, course: _Course) -> float:
        total = self.endpoint.deadlines.total
        return total if course.started is None else total - (self._clock() - course.started)

    async def _attempt(
        self, call: Call, ability: Ability, ledger: Ledger | None, course: _Course
    ) -> Completion | Failure:
        """One request with all that it needs: what was set aside, a slot, and the breaker's leave."""
        again = course.attempts > 0
        reservation = None if ledger is None else await ledger.reserve(call)
        slot: Slot | None = None
        try:
            slot = await self.limiter.acquire(ahead=again)
            if self._left(course) <= 0:
                raise CallFailedError("no answer came in the time that a call has", attempts=0)
            leave = await self._breaker.enter(id(course))
        except BaseException as error:
            if slot is not None:
                self.limiter.release()
            if reservation is not None:
                reservation.withdraw()
            if isinstance(error, CallFailedError):
                error.attempts += course.attempts
            raise
        if course.started is None:
            course.started = self._clock()
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
        return self._billed(result, call, ledger, course)

    def _settle(
        self, result: Completion | Failure | None, reservation: Reservation | None, slot: Slot, leave: Leave
    ) -> None:
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
                self.limiter.limited(slot, result.wait)
            else:
                self.limiter.release()
        else:
            self._breaker.withdrawn(leave)
            self.limiter.release()
        self.meter.limit = self.limiter.limit
        if reservation is None:
            return
        if isinstance(result, Completion):
            reservation.settle(result.usage)
        elif result is None or result.charged:
            reservation.forfeit()
        else:
            reservation.refund()

    def _billed(self, completion: Completion, call: Call, ledger: Ledger | None, course: _Course) -> Completion:
        usage = msgspec.structs.replace(
            completion.usage,
            cost=None if ledger is None else ledger.cost(call.model, completion.usage),
            latency_ms=(self._clock() - (course.started or 0.0)) * 1000,
            calls=course.attempts,
        )
        self.meter.answered(usage)
        return msgspec.structs.replace(completion, usage=usage)
