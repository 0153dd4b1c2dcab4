"""A sweep's folder: what is to be played stands in it before anything is, then a file for each run that is done.

    sweep.json           what is measured and kept
    manifest.jsonl       a line a trial: its key, scenario, seed, policy and factors
    scenarios/           the scenarios, each whole, by their fingerprints
    results/             a Parquet file a run
    attempts.jsonl       what went wrong: trials that failed, and those that were begun again

A killed program leaves nothing half done: a result is there or is not, and what is not there is played again.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError, SweepError
from eduverse_mesa.experiments.folders import (
    alone_in,
    clear,
    expect_version,
    is_taken,
    sweep_up,
    write_whole,
    writing_whole,
)
from eduverse_mesa.experiments.measurers import ROW_COLUMNS, Rows
from eduverse_mesa.experiments.trials import Level, Trial, comes_in_batches, play_measured

WORK = f"{__name__}:work"
FAILED = b"eduverse.failed"
"""In a file's metadata: how many answers of the run have failed."""

Column = Literal["bool", "int", "float", "text"]
"""The type of a factor's levels, in all results alike: tables of several runs are read as one."""

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
    """Return the number of failed answers of a run, by its file; None if the file is damaged."""
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


FORMAT = 1
_FACTS, _MANIFEST, _ATTEMPTS = "sweep.json", "manifest.jsonl", "attempts.jsonl"
_SCENARIOS, _RESULTS = "scenarios", "results"
_SUFFIX = ".parquet"
_ANEW = "Begin the sweep anew, in another folder: eduverse sweep run FILE --out FOLDER"


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the whole sweep."""

    name: str
    measure: tuple[str, ...]
    keep: tuple[str, ...]
    columns: dict[str, Column]
    """The factors, and what their levels are."""
    title: str = ""
    trials: int = 0
    slots: int | None = None
    """Calls to a model's server that may be out at once, where one is asked: so many workers can share them."""
    eduverse: str = __version__
    format: int = FORMAT


class Line(msgspec.Struct, frozen=True):
    """A trial in the manifest."""

    key: str
    scenario: str
    """Its fingerprint, which names its file."""
    seed: int
    policy: str
    factors: dict[str, Level]


class Attempt(msgspec.Struct, frozen=True):
    """The failure of a trial in one sitting."""

    key: str
    attempts: int
    error: str
    """Empty where it was begun again and done."""
    at: str


class SweepFolder:
    """Reads a sweep's folder; with `open_sweep` or `begin_sweep` also writes to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts = _read_facts(path)

    @property
    def results(self) -> Path:
        """The place of the results."""
        return self.path / _RESULTS

    @property
    def taken(self) -> bool:
        """True if a program is at work in the folder."""
        return is_taken(self.path)

    def lines(self) -> Iterator[Line]:
        """The manifest."""
        with (self.path / _MANIFEST).open("rb") as file:
            for number, line in enumerate(file, 1):
                yield _decode(line, Line, f"{file.name}:{number}")

    def done(self) -> set[str]:
        """The keys of the runs that are there."""
        return {file.name.removesuffix(_SUFFIX) for file in self.results.glob(f"[!.]*{_SUFFIX}")}

    def trial(self, line: Line) -> Trial:
        """The trial of a line, whole: just the one that was planned, or what is played is not what its key says."""
        file = self.path / _SCENARIOS / f"{line.scenario}.json"
        trial = Trial(
            scenario=_read_scenario(file),
            seed=line.seed,
            policy=line.policy,
            measure=self.facts.measure,
            factors=line.factors,
        )
        if trial.key != line.key:
            raise _changed(file)
        return trial

    def in_batches(self) -> Trial | None:
        """The first trial whose answers come in batches; None where there is none."""
        seen: set[tuple[str, str]] = set()
        for line in self.lines():
            if (kind := (line.scenario, line.policy)) not in seen:
                seen.add(kind)
                trial = self.trial(line)
                if comes_in_batches(trial):
                    return trial
        return None

    def attempts(self) -> list[Attempt]:
        """Return the failures so far; a last line that a killed program did not finish is left out."""
        try:
            content = (self.path / _ATTEMPTS).read_bytes()
        except FileNotFoundError:
            return []
        whole = content[: content.rfind(b"\n") + 1]
        return [_decode(line, Attempt, str(self.path / _ATTEMPTS)) for line in whole.splitlines()]

    def put(self, key: str, table: bytes) -> None:
        """Keep a run's result, for good."""
        write_whole(self.results / f"{key}{_SUFFIX}", table)

    def note(self, key: str, attempts: int, error: str) -> None:
        """Write down what went wrong; a key that a message repeats is not written."""
        from eduverse_mesa.policies.llm.calling.failures import hide_keys

        error = hide_keys(error, os.environ.get("OPENAI_API_KEY", "").strip())
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with (self.path / _ATTEMPTS).open("ab") as file:
            file.write(msgspec.json.encode(Attempt(key, attempts, error, at)) + b"\n")

    def tidy(self) -> None:
        """Take away what a killed program has left unfinished, and results that are damaged: those are played again."""
        for folder in (self.path, self.path / _SCENARIOS, self.results):
            sweep_up(folder)
        file = self.path / _ATTEMPTS
        if file.is_file() and not (content := file.read_bytes()).endswith(b"\n"):
            write_whole(file, content[: content.rfind(b"\n") + 1])
        for key in sorted(self.done()):
            if read_failed(result := self.results / f"{key}{_SUFFIX}") is None:
                result.unlink()
                self.note(key, 1, "its result was damaged")


@contextmanager
def open_sweep(path: Path) -> Iterator[SweepFolder]:
    """A sweep that was begun, to go on with it: nobody else writes to it meanwhile."""
    _read_facts(path)
    with alone_in(path):
        folder = SweepFolder(path)
        expect_version(path, folder.facts.eduverse)
        folder.results.mkdir(exist_ok=True)
        folder.tidy()
        yield folder


def count_done(path: Path) -> int:
    """Return the number of runs that a folder holds; 0 if no sweep was begun in it."""
    return len(SweepFolder(path).done()) if (path / _MANIFEST).exists() else 0


@contextmanager
def begin_sweep(path: Path, facts: Facts, planned: Iterable[tuple[str, Trial]]) -> Iterator[SweepFolder]:
    """A sweep's folder with its manifest, to begin with it, or to go on where just this sweep was begun before.

    `planned` are the trials, each with its scenario's fingerprint. The manifest comes last: a folder without it was
    not begun.
    """
    _make_folders(path)
    with alone_in(path):
        number = _write_manifest(path, facts, planned)
        folder = SweepFolder(path)
        expect_version(path, folder.facts.eduverse)
        if folder.facts != msgspec.structs.replace(facts, trials=number):
            raise _other_sweep(path)
        folder.tidy()
        yield folder


def _make_folders(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        own = {_FACTS, _MANIFEST, _ATTEMPTS, _SCENARIOS, _RESULTS}
        strange = sorted(file.name for file in path.iterdir() if file.name not in own and file.name[0] != ".")
        if strange and not (path / _MANIFEST).exists():
            raise SweepError(
                f"this folder holds other things ({', '.join(strange[:3])}).",
                where=str(path),
                mend="Name a folder that is new or empty.",
            )
        for name in (_SCENARIOS, _RESULTS):
            (path / name).mkdir(exist_ok=True)
    except OSError as error:
        raise SweepError(
            f"the folder cannot be made ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error


def _write_manifest(path: Path, facts: Facts, planned: Iterable[tuple[str, Trial]]) -> int:
    """Write down all that is to be played, or see that it is just what is written down already."""
    manifest = path / _MANIFEST
    before = _is_begun(path)
    seen: set[str] = set()
    written: set[str] = set()
    compared = clear(manifest.with_name(".planned.part"))
    try:
        with compared.open("xb") as file:
            for fingerprint, trial in planned:
                key = trial.key
                if key in seen:  # the same values drawn twice are one run
                    continue
                seen.add(key)
                if fingerprint not in written:
                    written.add(fingerprint)
                    _keep_scenario(path / _SCENARIOS / f"{fingerprint}.json", trial.scenario.encode(), before)
                line = Line(key, fingerprint, trial.seed, trial.policy, trial.factors)
                file.write(msgspec.json.encode(line, order="deterministic") + b"\n")
        if not before:
            write_whole(path / _FACTS, msgspec.json.encode(msgspec.structs.replace(facts, trials=len(seen))))
            with writing_whole(manifest) as part:
                compared.replace(part)
        elif not filecmp.cmp(compared, manifest, shallow=False):
            raise _other_sweep(path)
    finally:
        compared.unlink(missing_ok=True)
    return len(seen)


def _keep_scenario(file: Path, content: bytes, begun: bool) -> None:
    """Write a scenario down. One that is there already is not believed by its name: runs may have been played of it."""
    try:
        if file.read_bytes() == content:
            return
    except FileNotFoundError:
        begun = False
    if begun:
        raise _changed(file)
    write_whole(file, content)


def _is_begun(path: Path) -> bool:
    """Return True if there is a manifest that is not empty: an empty one is a remnant of a disk fault, since every
    sweep has a run."""
    manifest = path / _MANIFEST
    return manifest.is_file() and manifest.stat().st_size > 0


def _changed(file: Path) -> SweepError:
    return SweepError(
        "this scenario, or its line in the manifest, was changed since the sweep was begun.",
        where=str(file),
        mend=f"Put it back as it was. To play another: {_ANEW[0].lower()}{_ANEW[1:]}",
    )


def _other_sweep(path: Path) -> SweepError:
    return SweepError(
        "another sweep was begun here.",
        where=str(path),
        mend=f"Take another folder, or go on with it: eduverse sweep resume {quote(str(path))}",
    )


def _read_facts(path: Path) -> Facts:
    where = str(path / _FACTS)
    if not _is_begun(path):
        raise SweepError(
            "no sweep was begun here.", where=str(path), mend="Begin one: eduverse sweep run FILE --out ..."
        )
    try:
        content = (path / _FACTS).read_bytes()
        said = msgspec.json.decode(content)
    except (OSError, msgspec.DecodeError) as error:
        raise SweepError(f"this cannot be read ({error}).", where=where, mend=_ANEW) from None
    form = said.get("format") if isinstance(said, dict) else None
    if form != FORMAT:
        newer = isinstance(form, int) and form > FORMAT
        raise SweepError(
            f"the folder has format {form}, this version reads {FORMAT}.",
            where=where,
            mend="Use a newer eduverse-mesa." if newer else "Name a folder that eduverse sweep has made.",
        )
    facts: Facts = _decode(content, Facts, where)
    return facts


def _decode(content: bytes, form: type[Any], where: str) -> Any:
    try:
        return msgspec.json.decode(content, type=form)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise SweepError(f"this is damaged ({error}).", where=where, mend=_ANEW) from None


def _read_scenario(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise SweepError(
            f"a scenario of the sweep is missing ({error.strerror}).", where=str(file), mend=_ANEW
        ) from error
    except ValueError:  # not UTF-8
        raise _changed(file) from None


def read_sweep(path: str | Path | SweepFolder) -> pd.DataFrame:
    """All numbers of all runs that are done, tidy: a row a number, with the run's key, factors and seed.

    Lesson 0 is the whole course, step 0 the whole lesson, student "" the whole class. The rows are sorted: a table
    does not tell in which order its runs were played.
    """
    folder = _folder(path)
    files = [str(folder.results / f"{key}.parquet") for key in sorted(folder.done())]
    names = ["trial", *folder.facts.columns, "seed", *ROW_COLUMNS]
    if not files:
        return pd.DataFrame(columns=names)
    import pyarrow.dataset as ds

    try:
        table: pd.DataFrame = ds.dataset(files, format="parquet").to_table().to_pandas()
    except (OSError, ValueError) as error:
        raise SweepError(
            f"a result cannot be read ({error}).",
            where=str(folder.results),
            mend=f"Play its run again: eduverse sweep resume {quote(str(folder.path))}. If that does not help, remove "
            "the file before.",
        ) from error
    order = ["seed", *folder.facts.columns, "trial"]
    return table.sort_values(order, kind="stable", ignore_index=True)[names]


def read_wide(path: str | Path | SweepFolder, table: pd.DataFrame | None = None) -> pd.DataFrame:
    """The measures of the class as columns: a row for each run and lesson, lesson 0 being the whole course."""
    folder = _folder(path)
    tidy = read_sweep(folder) if table is None else table
    whole = tidy[(tidy["student"] == "") & (tidy["step"] == 0)]
    keys = ["trial", *folder.facts.columns, "seed", "lesson"]
    measures = list(dict.fromkeys(whole["measure"]))
    wide = whole.pivot_table(index=keys, columns="measure", values="value", sort=False, dropna=False, observed=True)
    wide = wide.reindex(columns=measures).dropna(how="all") if len(wide) else wide
    wide.columns = [f"measure.{name}" if name in keys else name for name in map(str, wide.columns)]
    return wide.reset_index()


def failed_answers(folder: SweepFolder) -> Iterator[tuple[str, int | None]]:
    """Each run that is done, with how many of its answers have failed; None where its file is damaged."""
    for key in sorted(folder.done()):
        yield key, read_failed(folder.results / f"{key}.parquet")


def _folder(path: str | Path | SweepFolder) -> SweepFolder:
    return path if isinstance(path, SweepFolder) else SweepFolder(Path(path))
