"""JSON Schemas of the documents, for editors that complete and check YAML while it is written."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from eduverse_mesa.scenarios.library import as_kind, list_names
from eduverse_mesa.scenarios.shapes import Shape, model_schema

# The draft that editors' YAML servers know best.
_DRAFT = "http://json-schema.org/draft-07/schema#"


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document; in a scenario, layout, class and lessons may also be names."""
    kind = as_kind(kind)
    result = _as_draft_7(deepcopy(model_schema(kind)))
    if kind == "scenario":
        properties = result["properties"]
        properties["layout"] = _name_or("layout", properties["layout"])
        properties["class"] = _name_or("class", properties["class"])
        lessons = properties["lessons"]
        lesson = lessons["items"] = _name_or("lesson", lessons["items"])
        properties["lessons"] = {"anyOf": [lessons, lesson]}
    return {"$schema": _DRAFT, **result}


def schema_of_model(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a file that is checked like a document, and is none."""
    return {"$schema": _DRAFT, **_as_draft_7(deepcopy(model_schema(model)))}


def _name_or(kind: str, inline: Shape) -> Shape:
    name = {
        "type": "string",
        "minLength": 1,
        "description": f"a built-in {kind}, NAME.yaml beside this file, or a path below its folder",
        "examples": list(list_names(as_kind(kind))),
    }
    return {"anyOf": [name, inline]}


def _as_draft_7(node: Any) -> Any:
    """Tuples as draft 7 writes them, and no word that it does not know."""
    if isinstance(node, list):
        return [_as_draft_7(part) for part in node]
    if not isinstance(node, dict):
        return node
    result = {key: _as_draft_7(part) for key, part in node.items() if not (key == "discriminator" and "oneOf" in node)}
    if isinstance(result.get("prefixItems"), list):
        result["items"] = result.pop("prefixItems")
        result["additionalItems"] = False
    return result
