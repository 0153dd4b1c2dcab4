"""What a document should look like at a place, said in words; read off the JSON Schema of the models."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from eduverse_mesa.scenarios.base import NO_SEMICOLON, WORDED, Document
from eduverse_mesa.scenarios.cohort import Cohort
from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.curriculum import Curriculum, Subject
from eduverse_mesa.scenarios.layout import Layout
from eduverse_mesa.scenarios.lesson import Lesson
from eduverse_mesa.scenarios.library import Kind
from eduverse_mesa.scenarios.people import ClassRoll
from eduverse_mesa.scenarios.plain import Plain, Trail
from eduverse_mesa.scenarios.scenario import Scenario
from eduverse_mesa.scenarios.tutoring import Tutoring
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
    """What texts of a pattern are, in words."""

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
    """What is expected, in words: 'a number from 0 to 1', 'one of academic, discussion, off_task'."""
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
