"""Published and counted numbers to hold a simulation against: reading them, and laying measures beside them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pandas as pd

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import contingency, discourse, equity
from eduverse_mesa.measures.codes import STUDENT, TEACHER
from eduverse_mesa.measures.discourse import Measure
from eduverse_mesa.measures.language import Language
from eduverse_mesa.measures.tables import parts, require_columns
from eduverse_mesa.measures.turns import lesson_of

# The reference leaves out lessons with fewer turns of either role: a rate over them is mostly chance.
MIN_TURNS = 20

REAL_CLASS_MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "teacher_talk_ratio_words": discourse.teacher_talk_ratio_words,
        "words_per_T_turn_mean": discourse.words_per_t_turn_mean,
        "words_per_S_turn_mean": discourse.words_per_s_turn_mean,
        "S_turn_share_le3w": discourse.s_turn_share_le3w,
        "I_question_rate": discourse.i_question_rate,
        "I_rate": discourse.i_rate,
        "F_tag_rate": discourse.f_tag_rate,
        "F_eval_rate_after_S": discourse.f_eval_rate_after_s,
        "R_substantive_given_I": discourse.r_substantive_given_i,
        "R_substantive_given_notI": discourse.r_substantive_given_not_i,
        "R_evidence_given_press_reasoning": contingency.r_evidence_given_press_reasoning,
        "R_evidence_given_press_accuracy": contingency.r_evidence_given_press_accuracy,
        "Sturn_claim_or_evidence": discourse.s_turn_claim_or_evidence,
        "Sturn_evidence": discourse.s_turn_evidence,
        "IRF_per_T": discourse.irf_per_t,
        "IRF_given_I": discourse.irf_given_i,
        "IRF_lex_per_T": discourse.irf_lex_per_t,
        "IRF_lex_given_I": discourse.irf_lex_given_i,
        "student_question_turn_rate": discourse.student_question_turn_rate,
        "P_S_to_S_turn": equity.p_s_to_s_turn,
        "gini_named_sentences": equity.gini_named_sentences,
        "top20_share": equity.top20_share,
        "gap_substantive_reply_I_vs_not": contingency.gap_substantive_reply_i_vs_not,
        "gap_restate_after_claim_vs_other": contingency.gap_restate_after_claim_vs_other,
        "gap_evidence_reasoning_vs_accuracy": contingency.gap_evidence_reasoning_vs_accuracy,
        "ratio_answer_length_reasoning_vs_accuracy": contingency.ratio_answer_length_reasoning_vs_accuracy,
        "gap_relate_get_relate_vs_none": contingency.gap_relate_get_relate_vs_none,
    }
)


def measure_lessons(sentences: pd.DataFrame, language: Language | None = None) -> pd.DataFrame:
    """A row a lesson (the index), a column a measure in the reference's order; NaN where a lesson cannot tell.

    The last column, `short`, marks lessons of fewer than 20 teacher or 20 student turns, which the reference leaves
    out: `measured[~measured["short"]]`. Simulated talk counts as far as the whole class hears it. The language of
    each lesson is detected unless given.
    """
    require_columns(sentences, ["lesson", "role", "speaker", "text"], name="sentences")
    rows = {}
    for (name,), part in parts(sentences, ["lesson"]):
        lesson = lesson_of(part, language)
        row: dict[str, float | bool] = {key: measure(lesson) for key, measure in REAL_CLASS_MEASURES.items()}
        row["short"] = min(len(lesson.of(TEACHER)), len(lesson.of(STUDENT))) < MIN_TURNS
        rows[name] = row
    measured = pd.DataFrame.from_dict(rows, orient="index", columns=[*REAL_CLASS_MEASURES, "short"])
    measured.index.name = "lesson"
    return measured.astype({**dict.fromkeys(REAL_CLASS_MEASURES, "float64"), "short": "bool"})


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
