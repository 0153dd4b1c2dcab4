"""A document as YAML text that this package reads as the same document."""

from __future__ import annotations

from typing import Any

import yaml

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.plain import Plain
from eduverse_mesa.scenarios.reading import MAX_BYTES
from eduverse_mesa.scenarios.scalars import resolve_scalar

_BREAKS = frozenset("\n\r\x85\u2028\u2029\ufeff\t")


class _Writer(yaml.SafeDumper):
    """PyYAML writes YAML 1.1, and this package reads 1.2: text that is something else there goes into quotes."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own signature
        return True


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    ambiguous = not isinstance(_resolve(text), str)
    style = '"' if ambiguous or not _BREAKS.isdisjoint(text) else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _resolve(text: str) -> object:
    try:
        return resolve_scalar(text)
    except ValueError:  # a number with too many digits
        return None


_Writer.add_representer(str, _write_text)


def write_yaml(document: Plain) -> str:
    """The text of a document; small lists and mappings of numbers and words stand on one line."""
    text: str = yaml.dump(
        document, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=120, default_flow_style=None
    )
    size = len(text.encode())
    if size > MAX_BYTES:
        raise ScenarioError(
            f"the file would have {size / 1e6:.1f} MB, and {MAX_BYTES / 1e6:.0f} MB can be read back.",
            mend="Make the class smaller, or shorten the texts.",
        )
    return text
