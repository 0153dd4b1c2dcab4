"""How cells, measures and contrasts of the experiments are called."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from eduverse_mesa.experiments.papers.cells import Cell
from eduverse_mesa.experiments.papers.designs import CHINESE
from eduverse_mesa.experiments.papers.notes import Note
from eduverse_mesa.experiments.papers.statements import Contrast
from eduverse_mesa.visualization.charts.comparing import measure_words
from eduverse_mesa.visualization.charts.frame import saying
from eduverse_mesa.visualization.words import Words

_SHARES = frozenset({"b_interactive", "e_positive", "c_high"})
_OWN = frozenset({"b_pos", "e_pos", "c_pos", "overall", "b", "e", "c", "steps"})


def measure_of(measure: str, t: Words) -> str:
    """A measure as it is said."""
    group, _, key = measure.rpartition(".")
    if group == "task":
        return t(f"experiments.task.{key}")
    if measure.startswith("delta_"):
        return t("experiments.measure.gain", measure=measure_of(measure.removeprefix("delta_"), t))
    if group in ("evolution", "stability", "") and key.removesuffix("_others") in _OWN:
        return t(f"experiments.measure.{key.removesuffix('_others')}")
    return measure_words(measure, saying(t.under("codes", "charts")))


def place_of(cell: Cell, t: Words, *, student: bool = True) -> str:
    """Where a number stands: what is not the usual thing of its table is said."""
    parts = []
    if cell.genre in t.under("experiments.genre") and cell.session != 0:
        parts.append(t(f"experiments.genre.{cell.genre}"))
    if cell.genre != "sessions":
        parts.append(t(f"experiments.layout.{cell.layout}"))
    elif cell.session:
        parts = [t("experiments.session", number=cell.session)]
    if cell.variant != "full" or cell.measure.startswith("delta_"):
        parts.append(t(f"experiments.variant.{cell.variant}"))
    if student and cell.student:
        parts.append(cell.student)
    return ", ".join(parts)


def contrast_of(contrast: Contrast, t: Words) -> str:
    """A contrast in a few words: what, of which more than of which."""
    one, other = contrast.more[0], contrast.less[0]
    measure, more, less = measure_of(one.measure, t), "", ""
    if one.measure != other.measure and one.measure.startswith("stability."):
        more, less = t("experiments.itself"), t("experiments.others")
    elif one.measure != other.measure:
        measure = t("experiments.gain")
        more, less = (measure_of(cell.measure.removeprefix("delta_"), t) for cell in (one, other))
    elif one.session != other.session:
        more, less = (t("experiments.session", number=cell.session) for cell in (one, other))
    elif one.variant != other.variant:
        more, less = (t(f"experiments.variant.{cell.variant}") for cell in (one, other))
    elif {cell.genre for cell in contrast.more} != {cell.genre for cell in contrast.less}:
        more, less = (_genres(side, t) for side in (contrast.more, contrast.less))
    else:
        more, less = (t(f"experiments.layout.{cell.layout}") for cell in (one, other))
    return t("experiments.contrast", measure=measure, more=more, less=less)


def _genres(cells: Iterable[Cell], t: Words) -> str:
    genres = {cell.genre for cell in cells}
    return t("experiments.genre.chinese" if genres == set(CHINESE) else f"experiments.genre.{min(genres)}")


def note_of(note: Note, t: Words) -> str:
    """What is odd about the paper's numbers."""
    kinds = {"layout": "layout", "other": "layout", "genre": "genre"}
    given = {
        key: t(f"experiments.{kinds[key]}.{value}") if key in kinds else _spelt(value, t)
        for key, value in note.given.items()
    }
    return t(f"experiments.note.{note.id}", **given)


def _spelt(value: str | float, t: Words) -> str | float:
    """What the tables' own names stand for, wherever they stand in a text."""
    return re.sub(r"[a-z]+(?:_[a-z]+)*", lambda found: _word(found[0], t), value) if isinstance(value, str) else value


def _word(name: str, t: Words) -> str:
    known = (f"experiments.{kind}.{name}" for kind in ("lesson", "genre", "layout", "measure"))
    found = next((key for key in known if key in t), "")
    return t[found] if found else measure_of(f"bec.{name}", t) if name in _SHARES else name


def number(value: float, digits: int = 3, *, sign: bool = False) -> str:
    """A number, or a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return f"{0:.{digits}f}" if float(shown) == 0 else shown.replace("-", "−")


def between(low: float, high: float, *, sign: bool = False) -> str:
    """An interval."""
    if not math.isfinite(low):
        return "–"
    return f"{number(low, sign=sign)} … {number(high, sign=sign)}"
