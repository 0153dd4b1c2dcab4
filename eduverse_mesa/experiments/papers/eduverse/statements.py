"""Statements of the EduVerse paper in words, beyond single numbers: each as data, judged by the numbers of our lessons.

Each check is a contrast: these cells have more of something than those. "Most" is a contrast with each of the others,
not with their mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

import pandas as pd

from eduverse_mesa.experiments.papers import statements
from eduverse_mesa.experiments.papers.eduverse.designs import CHINESE, HISTORY, LAYOUTS, SESSIONS
from eduverse_mesa.experiments.papers.eduverse.published import LAST_SESSION, Cell, Cells, cell, paper_values, students
from eduverse_mesa.experiments.papers.statements import judged, mean_of
from eduverse_mesa.measures.intervals import standardised
from eduverse_mesa.measures.tables import NAN

JUDGED_COLUMNS = (
    *("statement", "experiment", "contrast", "more", "less", "difference", "low", "high", "n", "effect"),
    *("single", "paper_more", "paper_less", "paper_difference", "verdict"),
)
Check = statements.Check[Cell]
Found = statements.Found[Cell]
Judged = statements.Judged[Cell]
Statement = statements.Statement[Cell]


def judge(cells: Cells, experiments: Sequence[int] = (1, 2, 3, 4)) -> list[Judged]:
    """Every statement of some experiments."""
    return [judged(statement, cells) for statement in STATEMENTS if statement.number in experiments]


def sides_of(found: Found) -> tuple[float, float, float]:
    """The means of both sides of a contrast, and their difference in standard deviations of one experiment's sides over
    seeds (Hedges' g)."""
    more, less = found.sides
    return mean_of(more), mean_of(less), standardised(less, more)


def paper_sides(check: Check) -> tuple[float, float, float]:
    """Both sides of a contrast in the paper, and their difference; NaN where it shows a figure only."""
    papers = paper_values()
    more, less = (fmean(papers.get(place, NAN) for place in side) for side in (check.cells, check.minus))
    return more, less, more - less


def judged_table(found: Iterable[Judged]) -> pd.DataFrame:
    """Return the judged statements as a table, a row a contrast."""
    rows = []
    for one in found:
        for contrast in one.found:
            more, less, effect = sides_of(contrast)
            named = (one.statement.id, one.statement.number, contrast.check.name)
            ours = (more, less, *contrast.value, effect, contrast.single)
            rows.append((*named, *ours, *paper_sides(contrast.check), contrast.verdict))
    return pd.DataFrame(rows, columns=list(JUDGED_COLUMNS))


def _more(name: str, more: tuple[Cell, ...], less: tuple[Cell, ...]) -> Check:
    return Check(name, more, less, least=0.0)


# --- the statements ---


def _layout(layout: str, measure: str, genres: Iterable[str] = CHINESE) -> tuple[Cell, ...]:
    """Genre means of one layout."""
    return tuple(cell(layout, genre, measure) for genre in genres)


def _most(layout: str, measure: str) -> tuple[Check, ...]:
    return tuple(
        _more(f"{measure}: {layout} > {other}", _layout(layout, measure), _layout(other, measure))
        for other in LAYOUTS
        if other != layout
    )


def _least(layout: str, measure: str) -> tuple[Check, ...]:
    return tuple(
        _more(f"{measure}: {other} > {layout}", _layout(other, measure), _layout(layout, measure))
        for other in LAYOUTS
        if other != layout
    )


def _without(variant: str, measure: str) -> Check:
    taken_out = tuple(cell("lecture", genre, measure, variant=variant) for genre in CHINESE)
    return _more(f"{measure}: {variant} > full", taken_out, _layout("lecture", measure))


def _session(state: str, session: int) -> Cell:
    return cell("lecture", SESSIONS, f"evolution.{state}", session=session)


def _gain(state: str, variant: str = "full") -> Cell:
    return cell("lecture", SESSIONS, f"delta_{state}", variant=variant, session=0)


def _stable(letter: str) -> Check:
    def side(measure: str) -> tuple[Cell, ...]:
        return tuple(cell(layout, "", measure, session=0, student=name) for layout in LAYOUTS for name in students())

    key = f"stability.{letter}"
    return _more(f"{key}: itself > others", side(key), side(f"{key}_others"))


STATEMENTS: tuple[Statement, ...] = (
    Statement("collab_positive", 1, "Two tables have the most positive emotion.", _most("collab", "bec.e_positive")),
    Statement("collab_high", 1, "Two tables have the most higher-order cognition.", _most("collab", "bec.c_high")),
    Statement("round_offtask", 1, "The round has the most off-task behaviour.", _most("round", "bec.b_offtask")),
    Statement("round_interactive", 1, "The round has the least interaction.", _least("round", "bec.b_interactive")),
    Statement(
        "stable",
        1,
        "Students keep their own profile: in lessons of other genres each is more like itself than like the others.",
        tuple(_stable(letter) for letter in ("b", "e", "c")),
    ),
    Statement(
        "style_negative",
        1,
        "Without each student's own style there is more negative emotion.",
        (_without("nolocal", "bec.e_negative"),),
    ),
    Statement(
        "stages_inflated",
        1,
        "Without plan, monitor and regulate there is more higher-order cognition and more activity.",
        (_without("nocog", "bec.c_high"), _without("nocog", "bec.b_active")),
    ),
    Statement(
        "faster",
        3,
        "Over four sessions behaviour and emotion rise, and faster than cognition.",
        (
            *(
                _more(f"{state}: session 4 > session 1", (_session(state, LAST_SESSION),), (_session(state, 1),))
                for state in ("b_pos", "e_pos")
            ),
            *(_more(f"gain: {state} > c_pos", (_gain(state),), (_gain("c_pos"),)) for state in ("b_pos", "e_pos")),
        ),
    ),
    Statement(
        "regulate_gain",
        3,
        "Without regulating themselves students gain less over four sessions.",
        (_more("gain overall: full > noregulate", (_gain("overall"),), (_gain("overall", "noregulate"),)),),
    ),
    Statement(
        "history_sparser",
        4,
        "A history lesson has fewer complete IRF cycles than Chinese lessons.",
        (
            _more(
                "irf.irf: Chinese > history",
                tuple(place for layout in LAYOUTS for place in _layout(layout, "irf.irf")),
                tuple(place for layout in LAYOUTS for place in _layout(layout, "irf.irf", HISTORY)),
            ),
        ),
    ),
)
