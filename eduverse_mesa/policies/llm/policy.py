"""The policy of a language model: every decision becomes calls, every answer is checked, and no failure is hidden."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import BudgetError, PolicyError
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.driver import answered
from eduverse_mesa.policies.llm.answer import NOTHING_TAKEN, Told, UnansweredError
from eduverse_mesa.policies.llm.calling import Ledger
from eduverse_mesa.policies.llm.calling.failures import GivenUpError
from eduverse_mesa.policies.llm.calls import CallFailedError
from eduverse_mesa.policies.policy import Policy


class Telling(Protocol):
    """Staged or fused."""

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        ...


_IN_VAIN = 12
_USELESS_ROW = 12
"""So many useless answers in a row end a run."""
_ENOUGH = 30
"""Answers before their share counts."""
_REASONS_SHOWN = 3


class UselessError(PolicyError):
    """The model answers, and hardly any answer can be used: going on would pay for a lesson of fallbacks."""

    exit_code = 5
    answers: Sequence[Answer] = ()
    """The answers of the step that is not taken."""


class _Useless:
    """Counts answers that came and could not be used."""

    def __init__(self, most: float) -> None:
        self.most = most
        self._asked = 0
        self._useless = 0
        self._row = 0
        self._reasons: Counter[str] = Counter()

    def copy(self) -> _Useless:
        """The counts as they are now."""
        other = _Useless(self.most)
        other._asked, other._useless, other._row = self._asked, self._useless, self._row
        other._reasons = self._reasons.copy()
        return other

    def count(self, result: _Result) -> None:
        """Count a decision that a model has answered, of whatever use."""
        if not result.got_through:
            return
        self._asked += 1
        if result.answer.status in ("fallback", "failed"):
            self._useless += 1
            self._row += 1
            self._reasons[result.answer.reason] += 1
        else:
            self._row = 0

    @property
    def hopeless(self) -> str:
        """Why the run should stop; empty while it need not."""
        if self._row >= _USELESS_ROW and self.most < 1:
            return f"{self._row} answers in a row could not be used"
        if self._asked >= _ENOUGH and self._useless > self.most * self._asked:
            return f"{self._useless} of {self._asked} answers could not be used"
        return ""

    @property
    def seen(self) -> str:
        """The commonest reasons, in words."""
        return "; ".join(f"{reason} ({count})" for reason, count in self._reasons.most_common(_REASONS_SHOWN))


def _is_quota(failure: CallFailedError) -> bool:
    """The account's own budget: for this key there are no more answers, whoever asks."""
    return isinstance(failure, GivenUpError) and failure.failure.kind == "quota"


class _Result(NamedTuple):
    answer: Answer
    failure: CallFailedError | None = None
    rounds: int = 0
    waited_ms: float = 0.0

    @property
    def got_through(self) -> bool:
        """A model said something, of whatever use; a part of a turn that has failed before was not even asked for."""
        if self.answer.usage is NOTHING_TAKEN:
            return False
        return self.rounds > 0 or (self.failure is None and self.answer.status in ("fallback", "failed"))


@dataclass(slots=True)
class Path:
    """The longest chain of calls so far, of which each had to wait for the one before."""

    rounds: int = 0
    waited_ms: float = 0.0


class LlmPolicy:
    """Answers with a language model; where it gives no usable answer, with a fallback or not at all."""

    def __init__(
        self,
        name: str,
        stages: Telling,
        fallback: Policy | None,
        warm_up: Callable[[], Awaitable[object]] | None = None,
        ledger: Ledger | None = None,
        *,
        useless: float = 1 / 3,
    ) -> None:
        self.name = name
        self._stages = stages
        self._fallback = fallback
        self.path = Path()
        self._in_vain = 0
        """Decisions that no call got through for, since one did."""
        self._useless = _Useless(useless)
        self._warm_up = warm_up
        self.ledger = ledger

    async def warm_up(self) -> None:
        """Connect, start what has to be started, and find out what the server can do; PolicyError where it cannot."""
        if self._warm_up is not None:
            try:
                await shared_loop().join(self._warm_up())  # type: ignore[arg-type]
            except CallFailedError as error:
                raise PolicyError(f"{error.reason}.", where=f"policy '{self.name}'", mend=error.mend) from None

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """All at once; what runs at the same time is for the transport's limits to say."""
        return await shared_loop().join(self._answer(decisions))

    async def _answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        asked = [asyncio.ensure_future(self._one(decision)) for decision in decisions]
        try:
            results = await asyncio.gather(*asked)
        finally:
            for one in asked:  # where one has broken, the others are not left behind
                one.cancel()
        self._stop_where_it_is_hopeless(results)
        self._stop_where_it_is_useless(results)
        self.path.rounds += max((result.rounds for result in results), default=0)
        self.path.waited_ms += max((result.waited_ms for result in results), default=0.0)
        return [result.answer for result in results]

    async def _one(self, decision: Decision) -> _Result:
        try:
            told = await self._stages.tell(decision)
        except UnansweredError as error:
            return self._without(decision, error)
        finally:
            answered(decision)
        if told.problems:
            answer = Answer(told.value, self.name, "repaired", told.problems[-1], told.attempts, told.usage)
        else:
            answer = Answer(told.value, self.name, "ok", "", 1, told.usage)
        return _Result(answer, None, told.rounds, told.waited_ms)

    def _without(self, decision: Decision, error: UnansweredError) -> _Result:
        if self._fallback is None:
            return _Result(Answer(None, self.name, "failed", error.reason, error.attempts, error.usage), error.failure)
        (instead,) = self._fallback.answer([decision])
        answer = Answer(instead.outcome, instead.source, "fallback", error.reason, error.attempts, error.usage)
        return _Result(answer, error.failure)

    def _stop_where_it_is_hopeless(self, results: Sequence[_Result]) -> None:
        """A used-up budget, or a server that takes no call at all, ends the run before this step instead of turning
        the rest of the lesson into fallbacks. Answers that came are in the cache and are not paid for again."""
        failures = [result.failure for result in results if result.failure is not None]
        if any(result.got_through for result in results):
            self._in_vain = 0
        self._in_vain += len(failures)
        for failure in failures:
            if failure.trouble == "budget" or _is_quota(failure):
                raise BudgetError(f"{failure.reason}.", where=f"policy '{self.name}'", mend=failure.mend)
        if len(failures) == len(results):
            for failure in failures:
                if failure.trouble in ("account", "endpoint") or self._in_vain >= _IN_VAIN:
                    raise PolicyError(f"{failure.reason}.", where=f"policy '{self.name}'", mend=failure.mend)

    def _stop_where_it_is_useless(self, results: Sequence[_Result]) -> None:
        """A model whose answers nobody can use ends the run before this step. What it said is in the cache, and counts
        when the step is taken."""
        counted = self._useless.copy()
        for result in results:
            counted.count(result)
        why = counted.hopeless
        if why:
            error = UselessError(
                f"{why}: {counted.seen}.",
                where=f"policy '{self.name}'",
                mend="Ask a stronger model, give it more room (llm.max_tokens), or allow more (llm.useless: 1; "
                "for a run of a study: eduverse resume --useless 1).",
            )
            error.answers = [result.answer for result in results]
            raise error
        self._useless = counted

    def allow_useless(self, most: float) -> None:
        """Set the share of useless answers that ends the run; 1: none does."""
        self._useless.most = most
