"""JSON Schemas of the documents, for editors that complete and check YAML while it is written."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from eduverse_mesa.scenarios.includes import LISTS, WHOLE
from eduverse_mesa.scenarios.library import as_kind, list_names
from eduverse_mesa.scenarios.problems import Shape, model_schema

# The draft that editors' YAML servers know best.
_DRAFT = "http://json-schema.org/draft-07/schema#"


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document; what it includes, such as a layout, may also be a name."""
    kind = as_kind(kind)
    result = _as_draft_7(deepcopy(model_schema(kind)))
    properties = result["properties"]
    for key, part in WHOLE.items():
        if key in properties:
            properties[key] = _name_or(part, properties[key])
    for key, part in LISTS.items():
        if key in properties:
            several = properties[key]
            one = several["items"] = _name_or(part, several["items"])
            properties[key] = {"anyOf": [several, one]}
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
