"""From what a model said to what it means: find the JSON, check its shape, and recognise what is no answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from eduverse_mesa.policies.llm.calls import Completion
from eduverse_mesa.policies.llm.shape import Many, Record, UnusableError, Words

_LONGEST = 40_000
_DEEPEST = 12
_TRIES = 8
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_REFUSAL = re.compile(
    r"\bas an? (?:ai|artificial intelligence|language model)\b|\bI(?:'m| am) (?:just )?an ai\b"
    r"|\bI (?:can't|cannot|can not|won't|am unable to) (?:assist|help|comply|fulfil|fulfill|participate|engage)\b"
    r"|作为(?:一个|一名)?(?:AI|人工智能|语言模型)|(?:我|很抱歉，?)(?:无法|不能)(?:提供|协助|完成|满足|参与)",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_ENGLISH = frozenset(
    """the a an and or but so if of in on at to for with from by about as is are was were be been it this that i you he
    she we they my your his her our their me him us them not no do does did have has can will would what why how because
    there here just like think know""".split()  # noqa: SIM905 - a list of sixty quoted words reads worse
)
_ENOUGH_WORDS = 12
_decode = msgspec.json.Decoder().decode


def read_answer(completion: Completion, shape: Record, language: str) -> dict[str, Any]:
    """The answer in its shape, or what is wrong with it."""
    if completion.finish == "refused":
        raise UnusableError("it was refused")
    text = completion.text
    if not text.strip():
        raise UnusableError("it is empty")
    if len(text) > _LONGEST:
        raise UnusableError(f"it is too long: {len(text)} characters")
    try:
        answer = shape.read(_find_object(text), "")
    except UnusableError as error:
        if completion.finish == "length":
            raise UnusableError("it was cut off because it became too long; be much briefer") from None
        if _REFUSAL.search(text[:400]):
            raise UnusableError("it was refused") from None
        raise UnusableError(str(error)) from None
    prose = " ".join(_prose(answer, shape))
    if _REFUSAL.search(prose):
        raise UnusableError("it was refused")
    _check_language(prose, language)
    return answer


def _find_object(text: str) -> Any:
    """The JSON object in the text; models put it between explanations and into code fences."""
    text = _THINKING.sub("", text)
    if _depth(text) > _DEEPEST:
        raise UnusableError("it is nested too deeply")
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeError):  # a lone surrogate is a UnicodeError
        pass
    start = text.find("{")
    for _ in range(_TRIES):
        if start == -1:
            break
        try:
            found, _end = _SCANNER.raw_decode(text, start)
        except ValueError:
            start = text.find("{", start + 1)
        else:
            return found
    raise UnusableError("there is no complete JSON object in it")


def _no_such_number(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are not JSON


_SCANNER = json.JSONDecoder(parse_constant=_no_such_number)


def _depth(text: str) -> int:
    """How deep brackets are nested, those within strings included: a bound, without reading anything twice."""
    deepest = depth = 0
    for character in text:
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _prose(value: Any, shape: Any) -> Iterator[str]:
    """The free text in an answer: what is written, not chosen."""
    if isinstance(shape, Words):
        yield value
    elif isinstance(shape, Many):
        for item in value:
            yield from _prose(item, shape.part)
    elif isinstance(shape, Record):
        for name, part in shape.fields.items():
            yield from _prose(value[name], part)


def _check_language(prose: str, language: str) -> None:
    letters = len(_LETTER.findall(prose))
    if not letters:
        return
    han = len(_HAN.findall(prose))
    if language == "zh":
        if han < 0.5 * letters:
            raise UnusableError("it is not in Chinese; write Chinese")
        return
    if language == "en":
        words = re.findall(r"[a-z']+", prose.casefold())
        foreign = letters - len(_LATIN.findall(prose)) > 0.2 * letters
        if foreign or (len(words) >= _ENOUGH_WORDS and not _ENGLISH.intersection(words)):
            raise UnusableError("it is not in English; write English")
    elif han > 0.2 * letters and language not in ("ja", "yue"):
        raise UnusableError(f"it is not in the language of the lesson ({language}); write that language")
