"""Simulated lessons beside real ones: every measure, the contingencies, the regularities, and the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pandas as pd

from eduverse_mesa.experiments.engines import Engine
from eduverse_mesa.experiments.papers.statements import Basis
from eduverse_mesa.experiments.realism.design import Design
from eduverse_mesa.experiments.realism.measures import GAPS, share_between
from eduverse_mesa.experiments.realism.reference import SHARES, Reference, published, summarise, values_of
from eduverse_mesa.experiments.realism.regularities import Judged, basis_of, judge
from eduverse_mesa.experiments.trials import Watch, measure_trials
from eduverse_mesa.measures import REAL_CLASS_MEASURES
from eduverse_mesa.measures.tables import plain

FACTORS = ("class", "teacher", "layout", "pair")
GAP_WITHIN = 0.10
KS_AT_MOST = 0.30
KS_SHARE = 0.75
SD_FACTOR = 1.5
BETWEEN = (0.20, 0.36)
"""Published shares of variance between teachers (TalkMoves)."""


@dataclass(frozen=True)
class Verdict:
    """One aim, and whether it is reached."""

    aim: str
    found: str
    reached: bool


@dataclass(frozen=True)
class Realism:
    """The whole comparison."""

    design: Design
    reference: Reference
    lessons: pd.DataFrame
    """A row a lesson and pair, its factors and measures as columns."""
    measures: pd.DataFrame
    gaps: pd.DataFrame
    regularities: Sequence[Judged]
    verdicts: Sequence[Verdict]

    @property
    def short(self) -> int:
        """Lessons left out because they have too few turns."""
        return int(self.lessons.loc[~self.lessons["pair"], "talk.short"].sum())

    def document(self) -> dict[str, Any]:
        """Return the comparison as plain JSON."""
        judged = [
            {
                "key": one.regularity.key,
                "what": one.regularity.words,
                "ours": one.ours.mean,
                "low": one.ours.low,
                "high": one.ours.high,
                "teachers": one.ours.n,
                "published": one.regularity.published,
                "source": one.regularity.source,
                "basis": one.basis,
                "fit": one.fit,
            }
            for one in self.regularities
        ]
        design = self.design
        document: dict[str, Any] = plain(
            {
                "design": {
                    "lessons": design.lessons,
                    "teachers": design.teachers,
                    "students": [design.smallest, design.largest],
                    "steps": design.steps,
                    "lesson": design.taught,
                    "policy": design.policy or "embedded",
                    "seed": design.seed,
                    "short": self.short,
                },
                "reference": {"title": self.reference.title, "exact": self.reference.exact},
                "measures": self.measures.to_dict("records"),
                "gaps": self.gaps.to_dict("records"),
                "regularities": judged,
                "verdicts": [vars(verdict) for verdict in self.verdicts],
            }
        )
        return document


def compare_with_real(
    design: Design, reference: Reference | None = None, engine: Engine | None = None, watch: Watch | None = None
) -> Realism:
    """Play the design's lessons and lay them beside real ones."""
    return report_on(design, play_lessons(design, engine, watch), reference or published())


def play_lessons(design: Design, engine: Engine | None = None, watch: Watch | None = None) -> pd.DataFrame:
    """A row a lesson and pair, its factors and measures as columns."""
    rows = measure_trials(design.trials(), engine, watch)
    wide = rows.pivot_table(index=["trial", *FACTORS], columns="measure", values="value", dropna=False, observed=True)
    found = wide.dropna(how="all").reset_index().sort_values(["class", "pair", "layout"], ignore_index=True)
    # What no lesson could tell has lost its column.
    wanted = [f"talk.{name}" for name in REAL_CLASS_MEASURES] + [f"shuffled.{name}" for name in GAPS]
    found = found.reindex(columns=[*found.columns, *(name for name in wanted if name not in found.columns)])
    found["talk.short"] = found["talk.short"] == 1
    found.columns.name = None
    return found


def report_on(design: Design, lessons: pd.DataFrame, reference: Reference) -> Realism:
    """The comparison of lessons that were played already."""
    main = lessons[~lessons["pair"]]
    full = main[~main["talk.short"]]

    def basis(column: str) -> Basis:
        return basis_of(column, design.policy) if reference.fitted_to else "predicted"

    measures = _measures(full, reference, basis)
    gaps = _gaps(full, reference, basis)
    judged = judge(lessons, design.policy)
    return Realism(design, reference, lessons, measures, gaps, judged, _verdicts(measures, gaps))


def _measures(full: pd.DataFrame, reference: Reference, basis: Callable[[str], Basis]) -> pd.DataFrame:
    """A row a measure: ours and the real lessons', and how far they are apart."""
    rows = []
    for name in REAL_CLASS_MEASURES:
        column = f"talk.{name}"
        values, known = values_of(full, column), reference.known[name]
        ours = summarise(values)
        told = known.lessons > 0
        least, most = known.bounds(values) if told else (float("nan"), float("nan"))
        teachers = [values_of(part, column) for _, part in full.groupby("teacher")]
        rows.append(
            {
                "measure": name,
                "basis": basis(column),
                "lessons": ours.lessons,
                "mean": ours.mean,
                "sd": ours.sd,
                **{f"q{share * 100:.0f}": ours.quantiles[share] for share in SHARES},
                "real_lessons": known.lessons,
                "real_mean": known.mean,
                "real_sd": known.sd,
                **{f"real_q{share * 100:.0f}": known.quantiles[share] for share in SHARES},
                "sd_ratio": ours.sd / known.sd if known.sd else float("nan"),
                "ks": known.distance(values) if told else float("nan"),
                "ks_low": least,
                "ks_high": most,
                "between_teachers": share_between(teachers),
            }
        )
    return pd.DataFrame(rows)


def _gaps(full: pd.DataFrame, reference: Reference, basis: Callable[[str], Basis]) -> pd.DataFrame:
    """Each contingency gap beside the real one and beside what turns in any order give."""
    rows = []
    for name in GAPS:
        ours = summarise(values_of(full, f"talk.{name}"))
        null = summarise(values_of(full, f"shuffled.{name}"))
        real = reference.known[name].mean
        difference = ours.mean - real
        rows.append(
            {
                "gap": name,
                "basis": basis(f"talk.{name}"),
                "lessons": ours.lessons,
                "mean": ours.mean,
                "real_mean": real,
                "difference": difference,
                "shuffled": null.mean,
                "within": bool(abs(difference) <= GAP_WITHIN),
            }
        )
    return pd.DataFrame(rows)


def _verdicts(measures: pd.DataFrame, gaps: pd.DataFrame) -> list[Verdict]:
    """The aims, over what the real lessons can tell; what only ours cannot tell is missed."""
    told = measures[measures["real_mean"].notna()]
    told_gaps = gaps[gaps["real_mean"].notna()]
    spreads = told[told["real_sd"].notna()]
    near = int(told_gaps["within"].sum())
    close, surely = (int((told[name] <= KS_AT_MOST).sum()) for name in ("ks", "ks_high"))
    exact = bool((told["ks_low"].fillna(0) == told["ks_high"].fillna(0)).all())
    certain = "" if exact else f" by the estimate, {surely} whatever lies between the quantiles"
    alike = int(spreads["sd_ratio"].between(1 / SD_FACTOR, SD_FACTOR).sum())
    between = [value for value in measures["between_teachers"] if value == value]
    typical = median(between) if between else float("nan")
    return [
        Verdict(
            f"every contingency gap within {GAP_WITHIN:.2f}",
            f"{near} of {len(told_gaps)}",
            0 < len(told_gaps) == near,
        ),
        Verdict(
            f"KS distance at most {KS_AT_MOST:.2f} on three quarters of the measures",
            f"{close} of {len(told)}{certain}",
            0 < KS_SHARE * len(told) <= close,
        ),
        Verdict(
            f"standard deviations within a factor of {SD_FACTOR:g}",
            f"{alike} of {len(spreads)}",
            0 < len(spreads) == alike,
        ),
        Verdict(
            f"{BETWEEN[0]:.0%} to {BETWEEN[1]:.0%} of the variance between teachers",
            f"median {typical:.1%}" if typical == typical else "cannot be told",
            BETWEEN[0] <= typical <= BETWEEN[1],
        ),
    ]
