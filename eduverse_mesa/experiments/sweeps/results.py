"""What a run of a sweep leaves: a small Parquet file, made where the run was played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.measurers import ROW_COLUMNS, Rows
from eduverse_mesa.experiments.trials import Level, Trial, play_measured

WORK = f"{__name__}:work"
FAILED = b"eduverse.failed"
"""In a file's metadata: how many answers of the run have failed."""

Column = Literal["bool", "int", "float", "text"]
"""What the levels of a factor are, in all results alike: tables of several runs are read as one."""

_TYPES: dict[Column, pa.DataType] = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "text": pa.string()}
_MOST_NAMED = 12


class Order(msgspec.Struct):
    """A trial, and how its result is to be written."""

    key: str
    trial: Trial
    keep: tuple[str, ...]
    columns: dict[str, Column]


class Result(msgspec.Struct):
    """A run's file, and how many of its answers have failed."""

    table: bytes
    failed: int


def work(payload: bytes) -> bytes:
    """Play and measure a trial: what an engine calls."""
    order = msgspec.msgpack.decode(payload, type=Order)
    measured, failed = play_measured(order.trial)
    rows = keep_rows(measured, order.keep)
    return msgspec.msgpack.encode(Result(write_rows(order, rows, failed), failed))


def read_failed(file: Path) -> int | None:
    """How many answers of a run have failed, by its file; None where that is damaged."""
    try:
        metadata = pq.read_schema(file).metadata or {}
        return int(metadata.get(FAILED, b"0"))
    except OSError as error:
        if error.errno is not None:  # it cannot be reached, which says nothing of what is in it
            raise
    except ValueError:  # pyarrow's own are of both kinds
        pass
    return None


def keep_rows(rows: Rows, keep: Sequence[str]) -> Rows:
    """The rows whose measure one of the patterns fits."""
    kept = [row for row in rows if any(fnmatchcase(row.measure, pattern) for pattern in keep)]
    if rows and not kept:
        names = list(dict.fromkeys(row.measure for row in rows))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        raise EduverseError(
            f"none of the measures is kept by {', '.join(keep)}.",
            where="keep",
            mend=f"There are {', '.join(names[:_MOST_NAMED])}{more}.",
        )
    return kept


def write_rows(order: Order, rows: Rows, failed: int) -> bytes:
    """The rows as a Parquet file, each with the run's key, factors and seed."""
    size = len(rows)
    made: dict[str, Any] = {"trial": pa.array([order.key] * size, pa.string())}
    for name, column in order.columns.items():
        made[name] = pa.array([_as(column, order.trial.factors[name])] * size, _TYPES[column])
    made["seed"] = pa.array([order.trial.seed] * size, pa.int64())
    for name, kind, values in zip(ROW_COLUMNS, _ROW_TYPES, zip(*rows, strict=True) if rows else [()] * 5, strict=True):
        made[name] = pa.array(values, kind)
    table = pa.table(made).replace_schema_metadata({FAILED: str(failed).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


_ROW_TYPES = (pa.int32(), pa.int32(), pa.string(), pa.string(), pa.float64())


def column_types(levels: Mapping[str, Iterable[Level]]) -> dict[str, Column]:
    """The type that holds all levels of each factor."""
    return {name: _type_of(set(map(type, values))) for name, values in levels.items()}


def _type_of(kinds: set[type]) -> Column:
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int"
    return "float" if kinds <= {int, float} else "text"


def _as(column: Column, level: Level) -> Level:
    if column == "float":
        return float(level)
    if column == "text":
        return level if isinstance(level, str) else msgspec.json.encode(level).decode()
    return level
