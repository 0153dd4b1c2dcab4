"""Expected products of each entry: a line for each, and a line for each text that is short enough to be kept."""

from __future__ import annotations

import base64
import csv
import difflib
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_KEPT = 1_000  # bytes; of a longer text there are only digests
_BLOCK = 64  # lines of a longer text that share a digest
_MOST_FIELDS = 100  # of a document that have a digest each
_LINES = "lines"
_SHOWN = 8  # lines of a difference
_WIDTH = 180

Products = Mapping[str, str]


def digest(text: str, length: int = 16) -> str:
    """The digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


@dataclass
class Expected:
    """Digests of products by entry, and those of their texts that are kept."""

    entries: dict[tuple[str, str], dict[str, list[Any]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def put(self, kind: str, name: str, made: Products, *, kept: int = _KEPT) -> None:
        """Expect these products of an entry; texts of so many bytes at most are kept, when compressed."""
        self.entries[kind, name] = {product: self._noted(text, kept) for product, text in sorted(made.items())}

    def _noted(self, text: str, kept: int) -> list[Any]:
        """Digest and size; of a text that is too long to be kept also the digests of its parts."""
        whole, size = digest(text), len(text.encode())
        packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode()
        if len(packed) <= kept:
            self.texts[whole] = packed
            return [whole, size]
        return [whole, size, parts(text)]

    def text(self, noted: list[Any]) -> str | None:
        """The text of a product where it is kept."""
        packed = self.texts.get(noted[0])
        return None if packed is None else zlib.decompress(base64.b85decode(packed)).decode()

    def write(self, path: Path) -> None:
        """Write all of it: first the entries, then the texts that they speak of."""
        lines = [
            json.dumps({"kind": kind, "name": name, "products": made}, ensure_ascii=False)
            for (kind, name), made in sorted(self.entries.items())
        ]
        wanted = {noted[0] for made in self.entries.values() for noted in made.values()}
        lines += [json.dumps({"text": one, "packed": self.texts[one]}) for one in sorted(wanted & set(self.texts))]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Expected:
        """Return the expectations that are written in a file."""
        found = cls()
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "text" in row:
                found.texts[row["text"]] = row["packed"]
            else:
                found.entries[row["kind"], row["name"]] = row["products"]
        return found


def parts(text: str) -> dict[str, str]:
    """The digests of a long text's parts: of a document's fields, or of a table's columns and of blocks of lines."""
    if fields := _fields(text):
        return fields
    lines = text.splitlines()
    found = {
        f"lines {start + 1} to {min(start + _BLOCK, len(lines))}": digest("\n".join(lines[start : start + _BLOCK]), 6)
        for start in range(0, len(lines), _BLOCK)
    }
    return {**_columns(text), _LINES: str(len(lines)), **found}


def _fields(text: str) -> dict[str, str]:
    """The digests of the fields of a JSON document, two deep; none where a text is no document."""
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    found = {}
    for outer, part in _members(document):
        for inner, value in _members(part) or [("", part)]:
            found[f"{outer}{inner}"] = digest(json.dumps(value), 6)
    return (
        found
        if len(found) <= _MOST_FIELDS
        else {outer: digest(json.dumps(one), 6) for outer, one in _members(document)}
    )


def _members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f".{name}", one) for name, one in value.items()]
    return [(f"[{place}]", one) for place, one in enumerate(value)] if isinstance(value, list) else []


def _columns(text: str) -> dict[str, str]:
    """The digest of each column; none where a text is no table."""
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return {}
    return {f"column {name}": digest("\n".join(column), 6) for name, *column in zip(*rows, strict=True)}


def differences(expected: Expected, key: tuple[str, str], made: Products) -> Iterator[str]:
    """In which products an entry differs from what is expected of it, and how."""
    wanted = expected.entries[key]
    for product in sorted({*wanted, *made}):
        if product not in made:
            yield f"{product}: is not there any more"
        elif product not in wanted:
            yield f"{product}: is new"
        elif digest(made[product]) != wanted[product][0]:
            before = expected.text(wanted[product])
            told = _in_parts(wanted[product], made[product]) if before is None else _in_texts(before, made[product])
            yield "\n      ".join([f"{product}:", *told])


def _in_texts(before: str, after: str) -> list[str]:
    """The first places in which two texts differ."""
    path = _first_field(before, after)
    told = [f"first differing field: {path}"] if path else []
    one, other = before.splitlines(), after.splitlines()
    if Counter(one) == Counter(other):
        return [*told, "the same lines in another order"]
    changed = [line for line in difflib.unified_diff(one, other, n=0, lineterm="") if line[:3] not in ("---", "+++")]
    cut = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}..." for line in changed[:_SHOWN]]
    return [*told, *cut, *([f"... and {len(changed) - _SHOWN} more lines"] if len(changed) > _SHOWN else [])]


def _first_field(before: str, after: str) -> str:
    """The path of the first field in which two JSON documents differ; empty where they are none."""
    try:
        return _path(json.loads(before), json.loads(after))
    except ValueError:
        return ""


def _path(before: Any, after: Any) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        pairs: Iterable[tuple[str, Any, Any]] = (
            (f".{key}", before.get(key, _NOTHING), after.get(key, _NOTHING)) for key in {**before, **after}
        )
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = ((f"[{place}]", one, other) for place, (one, other) in enumerate(zip(before, after, strict=True)))
    else:
        return ""
    return next((key + _path(one, other) for key, one, other in pairs if one != other), "")


_NOTHING = object()


def _in_parts(noted: list[Any], after: str) -> list[str]:
    """The parts in which a long text differs from the digests of another."""
    before, now = noted[2], parts(after)
    told = []
    if before.get(_LINES) != now.get(_LINES):
        told = [f"{before.get(_LINES, 'no')} lines before, {now.get(_LINES, 'none')} now"]
    differing = [name for name in {**before, **now} if name != _LINES and before.get(name) != now.get(name)]
    cut = differing[:_SHOWN]
    return [*told, f"differs in {', '.join(cut)}{f' and {len(differing) - len(cut)} more parts' * (differing != cut)}"]
