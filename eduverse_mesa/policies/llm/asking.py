"""Ask a model until it gives an answer that can be used: at most a few times, each time with what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from eduverse_mesa.decisions import Usage
from eduverse_mesa.policies.cleaning import clean, defuse
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Message, Offers, Sampling
from eduverse_mesa.policies.llm.offers import asked_again
from eduverse_mesa.policies.llm.prompts.templates import Templates
from eduverse_mesa.policies.llm.reading import read_answer
from eduverse_mesa.policies.llm.shape import Record, UnusableError
from eduverse_mesa.randomness import Address

_SHOWN = 600
"""Characters of a useless answer that the model is shown again."""
_LONGEST_REASON = 200


NOTHING_TAKEN = Usage()


class Completing(Protocol):
    """What takes calls to a model."""

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        """The model's answer; raises CallFailedError."""
        ...


Watch = Callable[[Call], None]


class Watched:
    """Lets somebody look at every call before it goes out."""

    def __init__(self, caller: Completing, watch: Watch) -> None:
        self._caller = caller
        self._watch = watch

    async def complete(self, call: Call, ledger: Any = None) -> Completion:
        """The model's answer."""
        self._watch(call)
        return await self._caller.complete(call, ledger)


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt and the shape of its answer."""

    name: str
    at: Address
    messages: tuple[Message, ...]
    shape: Record
    language: str
    model: str = ""
    """Another model than the usual one."""
    offers: Offers | msgspec.UnsetType = msgspec.UNSET
    """Tools that may be called before the answer, for servers with function calling of their own."""


@dataclass(frozen=True, slots=True)
class Told:
    """A usable answer and what it took."""

    value: Any
    problems: tuple[str, ...] = ()
    """What was wrong with the answers before it."""
    usage: Usage = NOTHING_TAKEN
    rounds: int = 0
    """Calls that had to be made one after the other."""
    waited_ms: float = 0.0
    """Latency of those."""

    @property
    def attempts(self) -> int:
        """How often the model was asked."""
        return len(self.problems) + 1

    def part(self, value: Any) -> Told:
        """A part of what was told here: nothing more was taken for it."""
        return Told(value, self.problems, Usage(model=self.usage.model))


class UnansweredError(Exception):
    """No usable answer came: the model was asked in vain, or could not be reached."""

    def __init__(self, reason: str, attempts: int, usage: Usage, failure: CallFailedError | None = None) -> None:
        super().__init__(reason)
        self.reason = reason[:_LONGEST_REASON]
        self.attempts = attempts
        self.usage = usage
        self.failure = failure
        """The transport's trouble, where it was one."""

    def after(self, others: Sequence[Told | UnansweredError]) -> UnansweredError:
        """The same where it was not the only question of a decision: what the others took counts, too."""
        attempts = self.attempts + sum(len(one.problems) for one in others if isinstance(one, Told))
        usage = Usage.sum([*(one.usage for one in others), self.usage])
        return UnansweredError(self.reason, attempts, usage, self.failure)


class Asker:
    """Asks questions of one model, within one run's budget."""

    def __init__(
        self, caller: Completing, ledger: Any, model: str, sampling: Sampling, *, reasks: int, send_seed: bool
    ) -> None:
        self._caller = caller
        self._ledger = ledger
        self._model = model
        self._sampling = sampling
        self._reasks = reasks
        self._send_seed = send_seed

    async def ask(self, question: Question, templates: Templates, mean: Callable[[dict[str, Any]], Any]) -> Told:
        """What a usable answer means, or UnansweredError. `mean` may find an answer useless, too."""
        messages, offers = question.messages, question.offers
        problems: list[str] = []
        usages: list[Usage] = []
        while True:
            call = self._call(question, messages, offers, len(problems))
            try:
                completion = await self._caller.complete(call, self._ledger)
            except CallFailedError as error:
                raise UnansweredError(error.reason, len(problems) + error.attempts, Usage.sum(usages), error) from None
            usages.append(completion.usage)
            try:
                value = mean(read_answer(completion, question.shape, question.language))
            except UnusableError as error:
                problems.append(str(error)[:_LONGEST_REASON])
                if len(problems) > self._reasks:
                    raise UnansweredError(problems[-1], len(problems), Usage.sum(usages)) from None
                said = defuse(clean(completion.text[: 2 * _SHOWN]))[:_SHOWN] or "{}"
                words = templates.fill("reask", {"problem": problems[-1]})
                messages = (*question.messages, Message("assistant", said), Message("user", words))
                if question.offers is not msgspec.UNSET:
                    offers = asked_again(question.offers, said, problems[-1])
                continue
            usage = Usage.sum(usages)
            return Told(value, tuple(problems), usage, len(usages), usage.latency_ms)

    def _call(
        self, question: Question, messages: tuple[Message, ...], offers: Offers | msgspec.UnsetType, again: int
    ) -> Call:
        sampling, replicate = self._sampling, question.at.seed
        seed = _seed(question.at, question.name, again)
        if self._send_seed:
            sampling = msgspec.structs.replace(sampling, seed=seed)
        else:  # nothing else may set apart two who are asked the same, and one answer must not do for both
            replicate = seed
        return Call(
            question.model or self._model,
            messages,
            sampling,
            question.shape.schema,
            question.name,
            replicate,
            offers=offers,
        )


def _seed(at: Address, name: str, again: int) -> int:
    """The same for the same question in the same run, on every machine; 31 bits, which every server takes."""
    key = f"{at.seed}\x1f{at.lesson}\x1f{at.step}\x1f{at.agent}\x1f{name}\x1f{again}"
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "little") >> 1
