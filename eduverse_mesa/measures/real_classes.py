"""Every measure by which a simulated class is held against real ones, by the name of its row in the reference
numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import pandas as pd

from eduverse_mesa.measures import contingency, discourse, lexical, voices
from eduverse_mesa.measures.codes import STUDENT, TEACHER
from eduverse_mesa.measures.discourse import Measure
from eduverse_mesa.measures.language import Language
from eduverse_mesa.measures.tables import parts, require_columns
from eduverse_mesa.measures.turns import lesson_of

# The reference leaves out lessons with fewer turns of either role: a rate over them is mostly chance.
MIN_TURNS = 20

REAL_CLASS_MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "teacher_talk_ratio_words": lexical.teacher_talk_ratio_words,
        "words_per_T_turn_mean": lexical.words_per_t_turn_mean,
        "words_per_S_turn_mean": lexical.words_per_s_turn_mean,
        "S_turn_share_le3w": lexical.s_turn_share_le3w,
        "I_question_rate": lexical.i_question_rate,
        "I_rate": discourse.i_rate,
        "F_tag_rate": discourse.f_tag_rate,
        "F_eval_rate_after_S": lexical.f_eval_rate_after_s,
        "R_substantive_given_I": discourse.r_substantive_given_i,
        "R_substantive_given_notI": discourse.r_substantive_given_not_i,
        "R_evidence_given_press_reasoning": contingency.r_evidence_given_press_reasoning,
        "R_evidence_given_press_accuracy": contingency.r_evidence_given_press_accuracy,
        "Sturn_claim_or_evidence": discourse.s_turn_claim_or_evidence,
        "Sturn_evidence": discourse.s_turn_evidence,
        "IRF_per_T": discourse.irf_per_t,
        "IRF_given_I": discourse.irf_given_i,
        "IRF_lex_per_T": lexical.irf_lex_per_t,
        "IRF_lex_given_I": lexical.irf_lex_given_i,
        "student_question_turn_rate": lexical.student_question_turn_rate,
        "P_S_to_S_turn": voices.p_s_to_s_turn,
        "gini_named_sentences": voices.gini_named_sentences,
        "top20_share": voices.top20_share,
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
