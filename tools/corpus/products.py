"""Products of an entry, reduced to text that can be compared: documents as they are, pages by their numbers."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

# Fields of documents that tell of the clock, the machine or the version, and differ from run to run. A field that is
# not named here is compared.
UNSTABLE = frozenset(
    {
        "created",  # of runs and participants
        "updated",
        "started",
        "ended",
        "timestamp",  # of xAPI statements
        "stored",
        "latency_ms",  # of answers
        "latency_p50",
        "latency_p95",
        "version",  # of the package
        "python",
        "mesa",
        "platform",
        "seconds",  # that a run took
        "wall_seconds",
        "eta",  # of the benchmark, by the clock
    }
)
_NUMBER = re.compile(r"(?<![\w.#])[-−+]?\d+(?:[.,]\d+)*(?![\w])")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")
_CHART_DATA = re.compile(r'"(?:datasets|values)": ?(?=[\[{])')


def as_json(text: str) -> str:
    """A JSON document, field by line, without what differs from run to run."""
    return json.dumps(_stable(json.loads(text)), ensure_ascii=False, indent=1)


def as_json_lines(text: str) -> str:
    """A document a line, without what differs from run to run."""
    return "\n".join(json.dumps(_stable(json.loads(line)), ensure_ascii=False) for line in text.splitlines())


def _stable(document: Any) -> Any:
    if isinstance(document, Mapping):
        return {name: _stable(value) for name, value in document.items() if name not in UNSTABLE}
    return [_stable(one) for one in document] if isinstance(document, list) else document


def schema(text: str) -> str:
    """A JSON Schema without its words: fields, types and bounds."""

    def bare(part: Any) -> Any:
        if isinstance(part, Mapping):
            # A field may be called `title`, too: then it is described by another mapping.
            kept = {name: one for name, one in part.items() if not (name in _WORDS and isinstance(one, str))}
            return {name: bare(one) for name, one in kept.items()}
        return [bare(one) for one in part] if isinstance(part, list) else part

    return json.dumps(bare(json.loads(text)), ensure_ascii=False, indent=1)


_WORDS = ("title", "description", "$id")


def table(text: str) -> str:
    """A CSV file, without the columns that differ from run to run."""
    header, *rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")))) or [[]]
    kept = [place for place, name in enumerate(header) if name not in UNSTABLE]
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows([row[place] for place in kept] for row in [header, *rows])
    return made.getvalue()


def numbers(text: str) -> str:
    """The numbers of a text, in their order; versions are left out."""
    return "\n".join(one.replace("−", "-") for one in _NUMBER.findall(_VERSION.sub(" ", text)))


class _Page(HTMLParser):
    """The visible text of a page, and its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.scripts: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag == self._inside[-1]:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text.append(data)
        elif self._inside[-1] == "script":
            self.scripts.append(data)


def page(text: str) -> str:
    """The numbers of a page: those that are read, and those that its charts are drawn from, chart by chart."""
    read = _Page()
    read.feed(text)
    charts = [_numbers_in(data) for script in read.scripts for data in _chart_data(script)]
    lines = ["text", numbers(" ".join(read.text))]
    for chart in charts:
        lines += ["chart", *chart]
    return "\n".join(lines)


def _chart_data(script: str) -> Iterator[Any]:
    """The data in the descriptions of charts."""
    at, decoder = 0, json.JSONDecoder()
    while found := _CHART_DATA.search(script, at):
        at = found.end()
        try:
            data, at = decoder.raw_decode(script, at)
        except ValueError:  # a word of the drawing library itself
            continue
        yield list(data.values()) if isinstance(data, dict) else data


def _numbers_in(data: Any) -> list[str]:
    """The numbers of a chart's rows, a line a row; the names of its fields are the chart's own."""
    if isinstance(data, dict):
        row = sorted(value for value in data.values() if isinstance(value, int | float))
        inner = [line for value in data.values() if isinstance(value, dict | list) for line in _numbers_in(value)]
        return [*([" ".join(f"{value:g}" for value in row)] if row else []), *inner]
    if isinstance(data, list):
        return [line for one in data for line in _numbers_in(one)]
    return []


def parquet(path: Path) -> str:
    """The rows of a Parquet file."""
    import pandas as pd

    frame = pd.read_parquet(path)
    return table(frame.to_csv(index=False, lineterminator="\n"))


def study_digests(path: Path) -> str:
    """The digest of each step of each run of a study, as the study itself keeps it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("select run, lesson, step, digest from steps order by run, lesson, step")
        return "\n".join(" ".join(map(str, row)) for row in rows)


def _read(form: Callable[[str], str]) -> Callable[[Path], str]:
    return lambda path: form(path.read_bytes().decode("utf-8"))


def _as_it_is(text: str) -> str:
    return text


_FORMS: Mapping[str, Callable[[Path], str]] = {
    ".csv": _read(table),
    ".graphml": _read(_as_it_is),
    ".html": _read(page),
    ".json": _read(as_json),
    ".jsonl": _read(as_json_lines),
    ".md": _read(_as_it_is),
    ".txt": _read(_as_it_is),
    ".yaml": _read(_as_it_is),
    ".page": _read(numbers),
    ".parquet": parquet,
    ".study": study_digests,
}


def of_file(path: Path) -> str:
    """The text of a file, by its ending; a file of another kind is refused, so that none is passed over."""
    if path.suffix not in _FORMS:
        raise ValueError(f"{path.name}: no form is known for files that end in '{path.suffix}': add it to products.py")
    return _FORMS[path.suffix](path)


def of_output(text: str) -> str:
    """The text of what a command has printed: a JSON document as it is, anything else by its numbers."""
    bare = text.strip()
    if bare[:1] in ("{", "["):
        try:
            return as_json(bare)
        except ValueError:
            pass
    return numbers(text)
