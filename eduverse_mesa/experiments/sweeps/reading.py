"""The results of a sweep as one table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import pandas as pd

from eduverse_mesa.errors import SweepError
from eduverse_mesa.experiments.measurers import ROW_COLUMNS
from eduverse_mesa.experiments.sweeps.folder import SweepFolder
from eduverse_mesa.experiments.sweeps.results import read_failed


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
