"""Reading of a model's answers, and the asker that asks until one can be used: at most a few times, each time with what
was wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from typing import Any, Protocol

import msgspec

from eduverse_mesa.decisions import Usage
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Completion, Message, Offers, Sampling
from eduverse_mesa.policies.llm.offers import asked_again, read_nearly
from eduverse_mesa.policies.llm.prompts.templates import Templates, primary
from eduverse_mesa.policies.llm.shape import Either, Many, Maybe, Record, UnusableError, Words
from eduverse_mesa.policies.safe_text import clean, defuse
from eduverse_mesa.randomness import Address

_ALL_THOUGHT = "max_tokens ended it before the answer began; a model that thinks first needs more"
_LONGEST = 40_000
_DEEPEST = 12
_TRIES = 16
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_ENDED = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
"""Thoughts whose beginning the chat template has put into the prompt."""
_UNABLE = r"\bI(?: can['’]t| cannot| can not| won['’]t| am unable to|['’]m unable to| am not able to|['’]m not able to)"
# What only a model says, wherever it stands. A student may say "I can't help laughing", "Sorry, I can't help with that"
# to a classmate, or 我无法完成这道题; and a lesson may be about what AI does.
_AS_MODEL = "|".join(
    (
        r"\bas an? (?:ai|(?:ai |large )?language model|(?:ai|virtual) assistant),? I\b",
        r"\bas an? (?:ai model|ai language model|large language model)\b",
        r"\bI(?:['’]m| am) (?:just |only )?an? (?:ai|(?:large )?language model)\b",
        rf"\b(?:sorry|apologi[sz]e),? (?:but )?{_UNABLE} (?:assist|comply|fulfill?)\b",
        rf"\b(?:sorry|apologi[sz]e),? (?:but )?{_UNABLE} help (?:you )?with (?:that|this) request\b",
        r"作为(?:一个|一名|一款)?(?:AI|人工智能|大?语言模型)(?:语言模型|模型|助手|，|,|我)",
        r"我(?:只)?是(?:一个|一名|一款)(?:AI|人工智能|大?语言模型)",
        r"抱歉，(?:但)?我?(?:无法|不能)(?:协助|提供|满足|处理)",
    )
)
# Where there is no answer at all, less is enough to tell why.
_REFUSAL = "|".join(
    (
        _AS_MODEL,
        r"\bas an ai\b",
        rf"{_UNABLE} (?:assist|help|comply|fulfill?|participate|engage|provide|continue|roleplay)\b",
        r"(?:我|抱歉，?)(?:无法|不能)(?:提供|协助|帮助|完成|满足|参与|回答)",
    )
)
_refuses_as_model = re.compile(_AS_MODEL, re.IGNORECASE).search
_refuses = re.compile(_REFUSAL, re.IGNORECASE).search
_HAN = re.compile(r"[\u3400-\u9fff]")
# Words of other scripts by their letters; x, λ and Δt are signs, not words, and Greek letters mostly are, too.
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{3,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_FOREIGN = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u0370-\u03ff]")
_ENGLISH = frozenset(
    """the a an and or but so if of in on at to for with from by about as is are was were be been it this that i you he
    she we they my your his her our their me him us them not no do does did have has can will would what why how because
    there here just like think know""".split()  # noqa: SIM905 - a list of sixty quoted words reads worse
)
_ENOUGH_WORDS = 12
_CODE = re.compile("[a-z]{2}")
_WRITTEN_WITH_HAN = ("ja", "ko")
_decode = msgspec.json.Decoder().decode


def read_answer(completion: Completion, shape: Record, language: str) -> dict[str, Any]:
    """The answer in its shape, or what is wrong with it."""
    if completion.finish == "refused":
        raise UnusableError("it was refused")
    text = completion.text
    if not text.strip():
        raise UnusableError(_ALL_THOUGHT if completion.finish == "length" else "it is empty")
    if len(text) > _LONGEST:
        raise UnusableError(f"it is too long: {len(text)} characters")
    try:
        answer = _fitting(_find_objects(text), shape)
    except UnusableError as error:
        if completion.finish == "length":
            raise UnusableError("it was cut off because it became too long; be much briefer") from None
        if _refuses(text[:400]):
            raise UnusableError("it was refused") from None
        raise UnusableError(str(error)) from None
    prose = " ".join(_prose(answer, shape))
    if _refuses_as_model(prose):
        raise UnusableError("it was refused")
    _check_language(prose, language)
    return answer


def _fitting(found: list[Any], shape: Record) -> dict[str, Any]:
    """The last object that fits. What stands before it may be quoted, from a person or a lesson, or the form repeated:
    an answer ends with what it comes to."""
    problem: UnusableError | None = None
    for candidate in reversed(found):
        if isinstance(candidate, _Broken):
            problem = problem or UnusableError(candidate.defect)
            continue
        try:
            return shape.read(candidate[0] if isinstance(candidate, list) and len(candidate) == 1 else candidate, "")
        except UnusableError as error:
            problem = problem or error
    raise problem or UnusableError("there is no complete JSON object in it")


@dataclass(frozen=True, slots=True)
class _Broken:
    """An object that cannot be read even leniently."""

    defect: str


def _find_objects(text: str) -> list[Any]:
    """The JSON objects in the text; models put them between thoughts, explanations and code fences."""
    try:
        if (whole := _decode_whole(text)) is not None:
            return [whole]
        text = _ENDED.sub("", _THINKING.sub("", text))
        if _depth(text) <= _DEEPEST:
            return _search(text)
    except RecursionError:  # what `_depth` does not see: brackets may close in strings only
        pass
    raise UnusableError("it is nested too deeply")


def _decode_whole(text: str) -> Any:
    try:
        return _decode(text) if _depth(text) <= _DEEPEST else None
    except (msgspec.DecodeError, UnicodeError):  # a lone surrogate is a UnicodeError
        return None


def _search(text: str) -> list[Any]:
    """Objects from left to right. One that is not quite JSON is mended as a whole: its inner objects are no answers."""
    found: list[Any] = []
    start = text.find("{")
    for _ in range(_TRIES):
        if start == -1:
            break
        try:
            value, end = _SCANNER.raw_decode(text, start)
        except ValueError as error:
            value, end = _mended(text, start, error)
        if value is not None:
            found.append(value)
        start = text.find("{", end)
    return found


_PAIRS = re.compile(r"""["']\s*:|[{,]\s*\w+\s*:""")
"""A name and a colon: without one, braces in prose are no object."""


def _mended(text: str, start: int, error: ValueError) -> tuple[Any, int]:
    """The object that begins here, as far as it is nearly JSON. Where it is not, its defect; None where it is none, or
    has no end."""
    end = _end_of(text, start)
    if end is None:
        return None, start + 1
    part = text[start:end]
    if not _PAIRS.search(part):
        return None, end if "{" not in part[1:] else start + 1
    try:
        value = read_nearly(part)
    except (ValueError, RecursionError):
        defect = f"its JSON is broken at '{_around(text, getattr(error, 'pos', start))}'"
        return (_Broken(defect), end) if _fields_in(part) else (None, start + 1)
    if any(isinstance(number, float) and not isfinite(number) for number in _leaves(value)):
        return _Broken("NaN and Infinity are not numbers in JSON"), end
    return value, end


def _around(text: str, place: int) -> str:
    return " ".join(text[max(0, place - 12) : place + 12].split())


def _fields_in(part: str) -> bool:
    return re.search(r"""^\{\s*["']?\w+["']?\s*:""", part) is not None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def _end_of(text: str, start: int) -> int | None:
    """The place behind the brace that closes the one here; braces in strings do not count, in whatever quotes."""
    depth, quote, escaped, last = 0, "", False, ""
    for place in range(start, len(text)):
        letter = text[place]
        if quote:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == quote:
                quote = ""
        elif letter == '"' or (letter == "'" and last in "{[:,"):
            quote = letter
        elif letter in "{[":
            depth += 1
        elif letter in "}]":
            depth -= 1
            if depth <= 0:
                return place + 1
        last = last if letter.isspace() else letter
    return None


def _no_such_number(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are not JSON


_SCANNER = json.JSONDecoder(parse_constant=_no_such_number)


def _depth(text: str) -> int:
    """How deep brackets seem to be nested, those within strings included: an estimate that costs one reading."""
    deepest = depth = 0
    for character in text:
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth = max(0, depth - 1)
    return deepest


def _prose(value: Any, shape: Any) -> Iterator[str]:
    """The free text in an answer: what is written, not chosen."""
    if isinstance(shape, Words):
        yield value
    elif isinstance(shape, Maybe) and value is not None:
        yield from _prose(value, shape.part)
    elif isinstance(shape, Many):
        for item in value:
            yield from _prose(item, shape.part)
    elif isinstance(shape, Either):
        for part in shape.parts:
            if isinstance(part, Record) and isinstance(value, dict) and value.keys() == part.fields.keys():
                yield from _prose(value, part)
                break
    elif isinstance(shape, Record):
        for name, part in shape.fields.items():
            yield from _prose(value[name], part)


def _check_language(prose: str, language: str) -> None:
    language = primary(language)
    han, latin, foreign = (len(letters.findall(prose)) for letters in (_HAN, _LATIN, _FOREIGN))
    if language == "zh":
        written = sum(map(len, _LATIN_WORD.findall(prose))) + foreign
        if han < 0.5 * written:
            raise UnusableError("it is not in Chinese; write Chinese")
        return
    if language == "en":
        words = re.findall(r"[a-z']+", prose.casefold())
        if foreign > 0.3 * (latin + foreign) or (len(words) >= _ENOUGH_WORDS and not _ENGLISH.intersection(words)):
            raise UnusableError("it is not in English; write English")
    elif han > 0.2 * (latin + foreign) and _CODE.fullmatch(language) and language not in _WRITTEN_WITH_HAN:
        raise UnusableError(f"it is not in the language of the lesson ({language}); write that language")


_SHOWN = 600
"""Characters of a useless answer that the model is shown again."""
_LONGEST_REASON = 200


NOTHING_TAKEN = Usage()


class Completing(Protocol):
    """Protocol of a caller that completes calls to a model."""

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
    """Faults of the answers before it."""
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
        """Ask until an answer is usable and return its meaning; raise UnansweredError otherwise. `mean` may find an
        answer useless, too."""
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
