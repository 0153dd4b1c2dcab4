"""Requirements that every measure makes of a table: the columns it needs, codes that are known, and shares that say
when nothing was counted."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from eduverse_mesa.errors import TableError

NAN = math.nan
# The place of a step in a study: steps of two lessons are different steps.
STEP_KEY = ["lesson", "step"]


def require_columns(table: pd.DataFrame, columns: Sequence[str], *, name: str) -> None:
    """Stop when `table` lacks a column that a measure reads."""
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise TableError(
            f"the table has no column {', '.join(map(repr, missing))}.",
            where=name,
            mend=f"A table of {name} needs the columns {', '.join(columns)}.",
        )


def require_codes(values: pd.Series[Any], known: Collection[str], *, name: str) -> None:
    """Stop at a code that nobody defined: counted as 'something else' it would bend every share without a word."""
    unknown = sorted({str(value) for value in values.dropna().unique() if value not in known and value != ""})
    if unknown:
        raise TableError(
            f"column {values.name!r} holds {', '.join(map(repr, unknown))}.",
            where=name,
            mend=f"It may hold {', '.join(sorted(known))}, or nothing.",
        )


def texts(table: pd.DataFrame, column: str) -> list[str]:
    """A column as text, with nothing where the column or the value is missing."""
    if column not in table.columns:
        return [""] * len(table)
    return ["" if value is None or value != value else str(value) for value in table[column].tolist()]


def heard_by_all(sentences: pd.DataFrame) -> pd.DataFrame:
    """The sentences of the whole class: what a recorder at the board hears. A real transcript has no channel and
    stays whole."""
    if "channel" not in sentences.columns:
        return sentences
    return sentences[[channel in {"class", ""} for channel in texts(sentences, "channel")]]


def parts(table: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The table split by the columns `by` in order of first appearance; whole when there are none."""
    if not by:
        yield (), table
        return
    for key, part in table.groupby(list(by), sort=False, observed=True):
        yield (key if isinstance(key, tuple) else (key,)), part


def share(hits: Iterable[bool], *, at_least: int = 1) -> float:
    """The share of true values; NaN when fewer than `at_least` were seen."""
    seen = [bool(hit) for hit in hits]
    return sum(seen) / len(seen) if len(seen) >= max(at_least, 1) else NAN


def mean(values: Iterable[float], *, at_least: int = 1) -> float:
    """The arithmetic mean; NaN when fewer than `at_least` were seen."""
    seen = list(values)
    return math.fsum(seen) / len(seen) if len(seen) >= max(at_least, 1) else NAN


def plain(value: Any) -> Any:
    """The value as JSON knows it: plain numbers, and None where nothing could be measured."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a number of numpy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
