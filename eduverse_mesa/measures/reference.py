"""Published and counted numbers to hold a simulation against: reading them, and laying measures beside them."""

from __future__ import annotations

import io
from importlib.resources.abc import Traversable
from pathlib import Path

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures.real_classes import REAL_CLASS_MEASURES
from eduverse_mesa.measures.tables import require_columns


def load_reference(source: str | Path | Traversable) -> pd.DataFrame:
    """A table of reference numbers: CSV, with its citation in lines that begin with "#"."""
    file = Path(source) if isinstance(source, str) else source
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"cannot be read ({error}).", where=str(source), mend="Give a CSV file in UTF-8.") from error
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        return pd.read_csv(io.StringIO("\n".join(lines)))
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise TableError(f"is no table ({error}).", where=str(source), mend="Give a CSV file with a header.") from error


def beside_reference(measured: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Measures of lessons beside those of real classes: a row a measure, with the lessons that could tell, their mean
    and sd, the reference's mean and sd, and the distance of the means in the reference's sds. Short lessons are left
    out."""
    require_columns(reference, ["metric", "mean", "sd"], name="reference")
    require_columns(measured, [*REAL_CLASS_MEASURES, "short"], name="measures of lessons")
    known = reference.set_index("metric")
    columns = [name for name in REAL_CLASS_MEASURES if name in known.index]
    full = measured.loc[~measured["short"], columns]
    table = pd.DataFrame(
        {
            "lessons": full.count(),
            "mean": full.mean(),
            "sd": full.std(),
            "real_mean": known.loc[columns, "mean"],
            "real_sd": known.loc[columns, "sd"],
        }
    )
    table["distance"] = (table["mean"] - table["real_mean"]) / table["real_sd"]
    table.index.name = "metric"
    return table.reset_index()
