"""Problems of a document, all at once, each with its place and its mend, and the shapes expected there, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel, ValidationError

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.base import NO_SEMICOLON, WORDED, Document
from eduverse_mesa.scenarios.curriculum import Curriculum, Subject
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import Kind, list_names
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot, Trail, dotted, exists, value_at
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.tutoring import Cohort, Tutoring
from eduverse_mesa.scenarios.word_problem import LETTER, VARIABLE, WORD, WordProblem

Shape = dict[str, Any]
Shaped: TypeAlias = "Kind | type[BaseModel]"
"""A kind of document, or the model of another file that is checked in the same way and words."""
MODELS: dict[Kind, type[Document]] = {
    "layout": Layout,
    "class": ClassRoll,
    "lesson": Lesson,
    "scenario": Scenario,
    "subject": Subject,
    "curriculum": Curriculum,
    "cohort": Cohort,
    "tutoring": Tutoring,
    "problem": WordProblem,
    "collaboration": Collaboration,
}


class Pattern(NamedTuple):
    """Description in words of the texts that fit a pattern."""

    code: str
    words: str = "text"
    example: str = '"some words"'


PATTERNS = {
    WORDED: Pattern("no_mark", "text with a letter or a digit in it, on both sides of each |"),
    NO_SEMICOLON: Pattern("no_name", "a name without ;", ""),
    VARIABLE: Pattern("no_variable", "small letters, digits and _, beginning with a letter", "path_length"),
    LETTER: Pattern("no_letter", "one to three capital letters or digits", "A"),
    WORD: Pattern("no_mark", "text with a letter or a digit in it"),
}
_PLAIN_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "nothing",
    "array": "a list",
    "object": "a mapping",
}
_EXAMPLES = {
    "integer": "3",
    "number": "0.5",
    "string": '"some words"',
    "boolean": "true",
}
_NAME_LENGTH = 80
"""A text of at most so many letters names something: which names there are is not the schema's to say."""


@cache
def model_schema(kind: Shaped) -> Shape:
    """The JSON Schema of a kind of document with everything included inline, as pydantic makes it. Not to change."""
    model = MODELS[kind] if isinstance(kind, str) else kind
    return model.model_json_schema(by_alias=True, mode="validation")


def shape_at(kind: Shaped, trail: Trail, data: Plain) -> Shape:
    """The part of the schema that speaks of the value at a trail; empty where the schema knows no such place."""
    root = model_schema(kind)
    shape, here = _settle(root, root, data), data
    for step in trail:
        here = _peek(here, step)
        shape = _settle(root, _inner(shape, step), here)
    return shape


def trail_of(kind: Shaped, loc: Trail, data: Plain) -> Trail:
    """The place in the data that pydantic's `loc` means.

    A `loc` also names the branches that were tried: the tag of a tagged union is left out, and a choice of several
    types is one place, whatever was wrong inside each of them.
    """
    root = model_schema(kind)
    trail: Trail = ()
    shape, here = _follow(root, root), data
    for index, step in enumerate(loc):
        if "discriminator" in shape:
            shape = _settle(root, shape, here)
            if index + 1 < len(loc) or step not in shape.get("properties", {}):
                continue
        if "anyOf" in shape or step == "[key]":
            break
        trail = (*trail, step)
        here = _peek(here, step)
        shape = _follow(root, _inner(shape, step))
    return trail


def known_keys(shape: Shape) -> tuple[str, ...]:
    """The keys that a mapping may have."""
    return tuple(shape.get("properties", {}))


def choices(shape: Shape) -> tuple[str, ...]:
    """The words that a value may be."""
    if "const" in shape:
        return (str(shape["const"]),)
    return tuple(map(str, shape.get("enum", ())))


def describe_shape(shape: Shape) -> str:
    """Return the expected values in words: 'a number from 0 to 1', 'one of academic, discussion, off_task'."""
    if "anyOf" in shape:
        root = shape["root"]
        branches = [_follow(root, branch) for branch in shape["anyOf"]]
        return " or ".join(describe_shape(branch) for branch in branches if branch.get("type") != "null")
    if words := choices(shape):
        return words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    kind = str(shape.get("type", ""))
    if "prefixItems" in shape:
        like = example(shape)
        return f"a list of {len(shape['prefixItems'])}" + (f", like {like}" if like else "")
    if kind == "array" and (words := choices(shape.get("items", {}))):
        return f"a list of words from {', '.join(words)}"
    if (pattern := shape.get("pattern")) in PATTERNS:
        return PATTERNS[pattern].words
    return _PLAIN_WORDS.get(kind, "something else") + _range(shape)


def example(shape: Shape) -> str:
    """A value that would do, as YAML; empty where the schema alone cannot know one."""
    default = shape.get("default")
    if isinstance(default, int | float | str) and default != "":
        return str(default).lower() if isinstance(default, bool) else str(default)
    if words := choices(shape):
        return words[0]
    if "anyOf" in shape:
        return next(filter(None, (example(_follow(shape["root"], branch)) for branch in shape["anyOf"])), "")
    if "prefixItems" in shape:
        parts = [example(item) for item in shape["prefixItems"]]
        return f"[{', '.join(parts)}]" if all(parts) else ""
    if shape.get("type") == "array":
        return _example_list(shape)
    if shape.get("type") in ("integer", "number"):
        return _example_number(shape)
    if (pattern := shape.get("pattern")) in PATTERNS:
        return PATTERNS[pattern].example
    if shape.get("type") == "string" and shape.get("maxLength", _NAME_LENGTH + 1) <= _NAME_LENGTH:
        return ""
    return _EXAMPLES.get(str(shape.get("type")), "")


def _example_list(shape: Shape) -> str:
    """A list of words or numbers; one of mappings is told by what its entries hold."""
    entry = shape.get("items", {})
    one = "" if "$ref" in entry else example(entry)
    return f"[{', '.join([one] * max(1, shape.get('minItems', 0)))}]" if one else ""


def _example_number(shape: Shape) -> str:
    usual: float = 3 if shape["type"] == "integer" else 0.5
    if shape.get("minimum", 0) > 0:
        usual = shape["minimum"]
    if "exclusiveMinimum" in shape:
        usual = max(usual, shape["exclusiveMinimum"] + 1)
    return f"{min(usual, shape.get('maximum', usual)):g}"


def describe_parts(kind: Shaped, shape: Shape) -> str:
    """The entries of a list and the keys of a mapping that have to be there, in words; empty for a single value."""
    root = model_schema(kind)
    if shape.get("type") == "array" and "prefixItems" not in shape:
        least = shape.get("minItems", 0)
        keys = _needed(root, shape.get("items", {}))
        return f"a list{f' of at least {least}' if least else ''}" + (f"; each entry has {keys}" if keys else "")
    keys = _needed(root, shape)
    return f"a mapping that has {keys}" if keys else ""


def _needed(root: Shape, shape: Shape) -> str:
    shape = _follow(root, shape)
    if "discriminator" in shape:
        speaking = shape["discriminator"]
        return f"{speaking['propertyName']} ({', '.join(speaking['mapping'])}) and what belongs to it"
    return ", ".join(shape.get("required", ()))


def _range(shape: Shape) -> str:
    """The limits of a number; pydantic writes only those that are set."""
    least, above = shape.get("minimum"), shape.get("exclusiveMinimum")
    most = shape.get("maximum")
    parts = []
    if least is not None:
        parts.append(f"from {least:g}")
    if above is not None:
        parts.append(f"above {above:g}")
    if most is not None:
        parts.append(f"to {most:g}" if parts else f"up to {most:g}")
    return " " + " ".join(parts) if parts else ""


def _inner(shape: Shape, step: str | int) -> Shape:
    if isinstance(step, int):
        items = shape.get("prefixItems", [])
        found = items[step] if step < len(items) else shape.get("items")
    else:
        found = shape.get("properties", {}).get(step, shape.get("additionalProperties"))
    return found if isinstance(found, dict) else {}


def _peek(data: Plain, step: str | int) -> Plain:
    if isinstance(data, dict) and isinstance(step, str):
        return data.get(step)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return None


def _settle(root: Shape, shape: Shape, data: Plain) -> Shape:
    """Follow references and pick the branch that the data choose."""
    shape = _follow(root, shape)
    if "discriminator" not in shape:
        return shape
    speaking = shape["discriminator"]
    tag = _peek(data, speaking["propertyName"])
    if not isinstance(tag, str) or tag not in speaking["mapping"]:
        return {"type": "object", "properties": {speaking["propertyName"]: {"enum": [*speaking["mapping"]]}}}
    return _follow(root, {"$ref": speaking["mapping"][tag]})


def _follow(root: Shape, shape: Shape) -> Shape:
    """Follow references and leave `null` out; what a field adds to its type is kept."""
    while True:
        if "$ref" in shape:
            target = root["$defs"][shape["$ref"].rpartition("/")[2]]
            shape = {**target, **{key: value for key, value in shape.items() if key != "$ref"}}
            continue
        branches = [branch for branch in shape.get("anyOf", ()) if branch.get("type") != "null"]
        if len(branches) > 1:
            return {**shape, "root": root}
        if not branches:
            return shape
        shape = {**branches[0], **{key: value for key, value in shape.items() if key != "anyOf"}}


MOST_SHOWN = 20
_LONGEST_VALUE = 60
_INCLUDES: dict[str, dict[str, Kind]] = {
    "scenario": {"layout": "layout", "class": "class", "lessons": "lesson"},
    "curriculum": {"subjects": "subject"},
    "tutoring": {"curriculum": "curriculum", "cohort": "cohort"},
    "collaboration": {"problems": "problem"},
}
_UNION_ERRORS = frozenset({"union_tag_invalid", "union_tag_not_found"})
_LENGTH_ERRORS = frozenset({"too_short", "too_long", "string_too_short", "string_too_long"})


class Problem(NamedTuple):
    """One thing that is wrong."""

    spot: Spot
    trail: Trail
    message: str
    mend: str = ""
    code: str = ""
    """Kind of the mistake, for callers that say it in words of their own; empty if none has asked for it."""
    given: tuple[tuple[str, str], ...] = ()
    """Names and values that the message contains."""

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> ScenarioError:
        """The problem as an error of its own."""
        at = f"{dotted(self.trail)}: " if self.trail else ""
        return ScenarioError(f"{at}{self.message}.", where=str(self.spot), mend=self.mend)


class ScenarioProblemsError(ScenarioError):
    """Several things that are wrong with one scenario, in the order of their places."""

    def __init__(self, problems: tuple[Problem, ...], label: str) -> None:
        lines = [f"- {problem}" for problem in problems[:MOST_SHOWN]]
        if len(problems) > MOST_SHOWN:
            lines.append(f"- and {len(problems) - MOST_SHOWN} more.")
        super().__init__("\n".join([f"{len(problems)} things are wrong.", *lines]), where=label)
        self.problems = problems


def refuse(problems: Iterable[Problem], label: str) -> None:
    """Raise what is wrong, if anything is."""
    found = list(problems)
    if found:
        raise as_error(found, label)


def as_error(problems: Iterable[Problem], label: str) -> ScenarioError:
    """One error for all that is wrong: files in the order they are met, lines from top to bottom."""
    found = list(dict.fromkeys(problems))
    files = list(dict.fromkeys([label, *(problem.spot.label for problem in found)]))
    found.sort(key=lambda problem: (files.index(problem.spot.label), problem.spot[1:]))
    return found[0].error() if len(found) == 1 else ScenarioProblemsError(tuple(found), label)


def suggest(word: str, known: Iterable[str]) -> str:
    """'Did you mean ...? ' if a known word is close, else nothing."""
    by_folded = {name.casefold().replace(" ", "_"): name for name in known}
    close = get_close_matches(word.casefold().replace(" ", "_").replace("-", "_"), by_folded, n=1, cutoff=0.6)
    return f"Did you mean '{by_folded[close[0]]}'? " if close else ""


def explain(error: ValidationError, kind: Shaped, reading: Reading) -> list[Problem]:
    """Pydantic's findings in words of a scenario."""
    return [
        _explain_one(finding, kind, reading, trail_of(kind, finding["loc"], reading.data))
        for finding in error.errors(include_url=False)
        if not _is_echo(finding)
    ]


def _is_echo(finding: Any) -> bool:
    """Return True if a list is called too short only because an entry of it, told of by itself, was not counted."""
    return bool(finding["type"] == "too_short" and len(finding["input"]) >= finding["ctx"]["min_length"])


def _explain_one(finding: Any, kind: Shaped, reading: Reading, trail: Trail) -> Problem:
    code = finding["type"]
    if code == "value_error":
        return _from_validator(str(finding["ctx"]["error"]), reading, trail)
    if code == "extra_forbidden":
        return _unknown_key(kind, reading, trail)
    if code in _UNION_ERRORS:
        trail = (*trail, str(finding["ctx"]["discriminator"]).strip("'"))
    shape = shape_at(kind, trail, reading.data)
    around = shape_at(kind, trail[:-1], reading.data)
    if "prefixItems" in around:
        trail, shape = trail[:-1], around
    if not exists(reading.data, trail):
        return _missing_key(kind, shape, reading, trail)
    if "[key]" in finding["loc"]:
        mend = "Write a name."
        return Problem(reading.key_spot(trail), trail, f"the key {show(str(trail[-1]))} is no name", mend, "no_name")
    if code in _LENGTH_ERRORS and "prefixItems" not in shape and "anyOf" not in shape:
        return _wrong_length(shape, reading, trail)
    included = _included(kind, trail)
    if code == "model_type" and included and len(trail) < 3:
        message = f"expected the name of a {included} or a {included} written out, found {found_at(reading, trail)}"
        return Problem(reading.spot(trail), trail, message, f"Write for example `{trail[0]}: NAME`.")
    return _wrong_value(kind, shape, reading, trail)


def _included(kind: Shaped, trail: Trail) -> Kind | None:
    """The kind of document that stands at the top of a trail, where a name would do."""
    return _INCLUDES.get(str(kind), {}).get(str(trail[0])) if trail else None


def _proposed(literally: str, in_words: str, kind: Shaped, shape: dict[str, Any]) -> str:
    """A value that would do, if the schema knows one; else what it has to be: what is proposed is never refused."""
    if value := example(shape):
        return literally % value
    return in_words % (describe_parts(kind, shape) or describe_shape(shape))


def _wrong_value(kind: Shaped, shape: dict[str, Any], reading: Reading, trail: Trail) -> Problem:
    value = value_at(reading.data, trail)
    expected = describe_shape(shape)
    words = choices(shape)
    mend = ""
    if trail:
        key = f"{trail[-1]}: " if isinstance(trail[-1], str) else ""
        mend = _proposed(f"Write for example `{key}%s`.", "Write %s.", kind, shape)
    if words:
        mend = suggest(value, words).strip() or mend if isinstance(value, str) else mend
    elif shape.get("type") == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        mend = f'Put it in quotes: "{value}".'
    elif shape.get("type") == "boolean" and isinstance(value, str):
        mend = "Write true or false, without quotes."
    message = f"expected {expected}, found {found_at(reading, trail)}"
    return Problem(reading.spot(trail), trail, message, mend, *_cause(shape))


def _cause(shape: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the code of a wrong value (such as "no_choice"), with the values for its message."""
    if choices(shape):
        return "no_choice", ()
    if shape.get("type") == "integer" and {"minimum", "maximum"} <= shape.keys():
        return "no_whole_number", (("least", str(shape["minimum"])), ("most", str(shape["maximum"])))
    return PATTERNS.get(shape.get("pattern", ""), Pattern("no_text")).code, ()


def _wrong_length(shape: dict[str, Any], reading: Reading, trail: Trail) -> Problem:
    value = value_at(reading.data, trail)
    size = len(value) if isinstance(value, str | list | dict) else 0
    unit = "character" if isinstance(value, str) else "entry"
    least = shape.get("minLength", shape.get("minItems", 0))
    most = shape.get("maxLength", shape.get("maxItems"))
    if size < least or not str(value).strip():
        return Problem(reading.spot(trail), trail, "this is empty", f"Give at least {least} {unit}.", "empty")
    units = {"character": "characters", "entry": "entries"}[unit]
    code, given = "too_long" if unit == "character" else "too_many", (("size", str(size)), ("most", str(most)))
    message, mend = f"this has {size} {units}", f"{most} is the most: shorten it."
    return Problem(reading.spot(trail), trail, message, mend, code, given)


def _missing_key(kind: Shaped, shape: dict[str, Any], reading: Reading, trail: Trail) -> Problem:
    key = trail[-1]
    mend = _proposed(f"Add for example `{key}: %s` ({describe_shape(shape)}).", f"Add `{key}:` with %s.", kind, shape)
    included = _included(kind, trail)
    if included and len(trail) == 1:
        mend = f"Add `{key}:` with the name of a {included} (built in: {', '.join(list_names(included))}) or a path."
    message, given = f"the key '{key}' is missing", (("key", str(key)),)
    return Problem(reading.spot(trail[:-1]), trail[:-1], message, mend, "missing", given)


def _unknown_key(kind: Shaped, reading: Reading, trail: Trail) -> Problem:
    known = known_keys(shape_at(kind, trail[:-1], reading.data))
    mend = f"{suggest(str(trail[-1]), known)}Known keys: {', '.join(known)}."
    return Problem(reading.key_spot(trail), trail, f"unknown key {show(str(trail[-1]))}", mend)


def _from_validator(text: str, reading: Reading, trail: Trail) -> Problem:
    """A model's own check says 'what is wrong; what to do'; the last thing it quotes shows where."""
    message, _, mend = text.rpartition("; ")
    if not message:
        message, mend = text, ""
    place = trail
    for quoted in reversed(re.findall(r"'([^']+)'", message)):
        mentions = [at for at in reading.values if at[: len(trail)] == trail and _is(reading.data, at, quoted)]
        if mentions:
            place = mentions[-1]
            break
    return Problem(reading.spot(place), trail, message, mend and f"{mend[0].upper()}{mend[1:]}.")


def _is(data: Plain, trail: Trail, text: str) -> bool:
    return exists(data, trail) and value_at(data, trail) == text


def found_at(reading: Reading, trail: Trail) -> str:
    """Return the value at a place, in words."""
    value = value_at(reading.data, trail)
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"[:_LONGEST_VALUE]
    if isinstance(value, str):
        return f"the text {show(value)}"
    if isinstance(value, list):
        shown = ", ".join(str(part) for part in value[:4] if isinstance(part, int | float | str))
        return f"the list [{shown}]" if len(shown) <= _LONGEST_VALUE and 0 < len(value) <= 4 else "a list"
    return "a mapping"


def show(text: str) -> str:
    """A user's own text, in quotes, on one line and not too long."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= _LONGEST_VALUE else line[: _LONGEST_VALUE - 1] + '…'}'"
