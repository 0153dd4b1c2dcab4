from __future__ import annotations

import random
import time
from importlib.resources import files

import pandas as pd
import pytest

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import (
    LANGUAGES,
    REAL_CLASS_MEASURES,
    beside_reference,
    lesson_of,
    load_reference,
    measure_lessons,
)
from tests.measures.tables import transcript

REFERENCE = load_reference(files("eduverse_mesa").joinpath("scenarios", "reference", "real_classes.csv"))
ENGLISH = LANGUAGES["en"]
LEXICAL = {
    "teacher_talk_ratio_words",
    "words_per_T_turn_mean",
    "words_per_S_turn_mean",
    "S_turn_share_le3w",
    "I_question_rate",
    "F_eval_rate_after_S",
    "IRF_lex_per_T",
    "IRF_lex_given_I",
    "student_question_turn_rate",
    "P_S_to_S_turn",
    "gini_named_sentences",
    "top20_share",
}
GAPS = [name for name in REAL_CLASS_MEASURES if name.startswith("gap_")]

# Six teacher turns and five student turns, to be counted by hand.
TALK = """
T press-accuracy: What is four plus three?
S:Ana claim: Seven.
T revoice: Yes, it makes seven here.
T press-reasoning: Why is that so?
S:Bo evidence: Because three more than four makes seven.
S:Cy relate: I agree with Bo.
T none: Now open your books.
S:Ana none: Which page?
T none: Page nine.
S:Bo none: Okay.
T get-to-relate: Does anybody disagree?
S:Cy relate: I do.
T none: Good.
"""
BY_HAND = {
    "teacher_talk_ratio_words": 24 / (24 + 17),
    "words_per_T_turn_mean": 24 / 6,
    "words_per_S_turn_mean": 17 / 5,
    "S_turn_share_le3w": 4 / 5,
    "I_question_rate": 3 / 6,
    "I_rate": 3 / 6,
    "F_tag_rate": 1 / 6,
    "F_eval_rate_after_S": 2 / 5,
    "R_substantive_given_I": 1.0,
    "R_substantive_given_notI": 0.0,
    "Sturn_claim_or_evidence": 2 / 5,
    "Sturn_evidence": 1 / 5,
    "IRF_per_T": 2 / 6,
    "IRF_given_I": 2 / 3,
    "IRF_lex_per_T": 2 / 6,
    "IRF_lex_given_I": 2 / 3,
    "student_question_turn_rate": 1 / 5,
    "P_S_to_S_turn": 1 / 6,
}


def test_the_registry_holds_every_row_of_the_reference_in_its_order():
    assert list(REAL_CLASS_MEASURES) == REFERENCE["metric"].tolist()


@pytest.mark.parametrize("name", BY_HAND)
def test_measures_by_hand(name):
    assert REAL_CLASS_MEASURES[name](lesson_of(transcript(TALK), ENGLISH)) == pytest.approx(BY_HAND[name])


@pytest.mark.parametrize("name", sorted(set(REAL_CLASS_MEASURES) - set(BY_HAND)))
def test_too_few_turns_or_names_are_no_measure(name):
    assert pd.isna(REAL_CLASS_MEASURES[name](lesson_of(transcript(TALK), ENGLISH)))


CONTINGENT = "\n".join(
    [
        *["T press-reasoning: Why?", "S evidence: Since two and two are four.", "T revoice: So."] * 3,
        *["T press-reasoning: Why?", "S claim: No.", "T none: So."],
        *["T press-accuracy: What?", "S claim: It is four.", "T restate: Four."] * 3,
        *["T press-accuracy: What?", "S evidence: For it is even.", "T none: Now."],
        *["T get-to-relate: Ana?", "S relate: I agree.", "T none: Now."] * 3,
        *["T get-to-relate: Ana?", "S none: What?", "T none: Now."],
        *["T none: Books out.", "S none: Mine too.", "T none: Now."] * 3,
        *["T none: Books out.", "S relate: She has mine.", "T none: Now."],
    ]
)


def contingent(name: str) -> float:
    """Of a made lesson whose exchanges are set apart: the second teacher turn of one would be the first of the next."""
    lines = CONTINGENT.splitlines()
    parted = "\n".join(line for place in range(0, len(lines), 3) for line in (*lines[place : place + 3], "S none: ..."))
    return REAL_CLASS_MEASURES[name](lesson_of(transcript(parted), ENGLISH))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("R_evidence_given_press_reasoning", 3 / 4),
        ("R_evidence_given_press_accuracy", 1 / 4),
        ("gap_evidence_reasoning_vs_accuracy", 3 / 4 - 1 / 4),
        # after I: 4 + 4 + 3 of 12; after not-I: 1 of the 4 that say "Books out", and none of the 16 that come after
        ("gap_substantive_reply_I_vs_not", 11 / 12 - 1 / 20),
        # after a claim or evidence: 6 of 8; after other: none
        ("gap_restate_after_claim_vs_other", 6 / 8),
        # after get-to-relate 3 of 4; after none: 1 of the 4 "Books out", and none of the 10 that follow up with no move
        ("gap_relate_get_relate_vs_none", 3 / 4 - 1 / 14),
        ("ratio_answer_length_reasoning_vs_accuracy", (3 * 6 + 1) / (3 * 3 + 4)),
    ],
)
def test_contingency_by_hand(name, value):
    assert contingent(name) == pytest.approx(value)


def test_a_turn_that_presses_for_both_counts_as_reasoning():
    both = "T press-accuracy: What?\nT press-reasoning: And why?\nS evidence: Since it is even.\n" * 3
    only = "T press-accuracy: What?\nS claim: Four.\n" * 3
    lesson = lesson_of(transcript(both + only), ENGLISH)
    assert REAL_CLASS_MEASURES["gap_evidence_reasoning_vs_accuracy"](lesson) == 1.0


def test_named_voices_by_hand():
    counts = {"Ana": 5, "Bo": 2, "Cy": 1, "Di": 1, "Ed": 1, "S": 9, "Students": 4}
    lines = [line for name, count in counts.items() for line in ["T: Go.", *[f"S:{name}: Yes."] * count]]
    lesson = lesson_of(transcript("\n".join(lines)))
    assert REAL_CLASS_MEASURES["top20_share"](lesson) == 0.5
    # ranks -4, -2, 0, 2, 4 over 1, 1, 1, 2, 5; five of them, ten in all
    assert REAL_CLASS_MEASURES["gini_named_sentences"](lesson) == pytest.approx(18 / 50)


def made_lesson(exchanges: int, seed: int = 1) -> pd.DataFrame:
    """A long lesson whose answers and follow-ups depend on the turn before."""
    draw = random.Random(seed)
    lines = []
    for _ in range(exchanges):
        press = draw.choice(["press-accuracy", "press-reasoning", "get-to-relate", "none"])
        mark = "." if press == "none" else "?"
        likely = {"press-accuracy": "claim", "press-reasoning": "evidence", "get-to-relate": "relate", "none": "none"}
        answer = likely[press] if draw.random() < 0.8 else draw.choice(["none", "claim", "evidence", "relate"])
        long = "because the other side is longer than this one" if answer == "evidence" else "four"
        lines.append(f"T {press}: What is the side of it{mark}")
        lines.append(f"S:{draw.choice('ABCDEFG')} {answer}: {long}")
        if answer in {"claim", "evidence"} and draw.random() < 0.6:
            lines.append(f"T restate: Yes, {long}.")
    return transcript("\n".join(lines))


def shuffled_turns(table: pd.DataFrame, seed: int = 2) -> pd.DataFrame:
    """Teacher turns and student turns each dealt anew to the places of their role."""
    draw = random.Random(seed)
    runs = [run for _, run in table.groupby((table["role"] != table["role"].shift()).cumsum())]
    dealt = {}
    for role in "TS":
        own = [run for run in runs if run["role"].iloc[0] == role]
        draw.shuffle(own)
        dealt[role] = iter(own)
    return pd.concat([next(dealt[run["role"].iloc[0]]) for run in runs], ignore_index=True)


def test_shuffled_turns_show_no_contingency():
    """The overall shares stay as they were; only what depends on the turn before is gone."""
    table = made_lesson(4000)
    before = measure_lessons(table, ENGLISH).iloc[0]
    after = measure_lessons(shuffled_turns(table), ENGLISH).iloc[0]
    assert after["Sturn_evidence"] == pytest.approx(before["Sturn_evidence"])
    assert after["I_rate"] == pytest.approx(before["I_rate"])
    assert (before[GAPS].astype(float) > 0.2).all()
    assert after[GAPS].astype(float).abs().max() < 0.06


def test_names_do_not_matter():
    table = made_lesson(60)
    renamed = table.assign(speaker=table["speaker"].map({name: f"pupil {name}" for name in "ABCDEFG"} | {"T": "T"}))
    pd.testing.assert_frame_equal(measure_lessons(table), measure_lessons(renamed))


def test_another_lesson_changes_nothing_and_an_empty_one_is_none():
    one, two = made_lesson(40), made_lesson(50, seed=3).assign(lesson="two")
    both = measure_lessons(pd.concat([one, two, one.iloc[:0]]))
    assert both.index.tolist() == ["one", "two"]
    pd.testing.assert_frame_equal(both.loc[["two"]], measure_lessons(two))


def test_without_codes_only_words_are_measured():
    measured = measure_lessons(made_lesson(40).assign(move="")).iloc[0]
    assert {name for name in REAL_CLASS_MEASURES if pd.notna(measured[name])} == LEXICAL


def test_an_unknown_language_is_not_taken_for_english():
    table = transcript("T: Wie heißt die Hauptstadt?\nS: Paris.\nT: Richtig, Paris!")
    measured = measure_lessons(table).iloc[0]
    assert pd.isna(measured["IRF_lex_per_T"])
    assert measured["I_question_rate"] == 0.5


def test_a_chinese_lesson_is_measured_by_its_own_words():
    table = transcript(
        "T: 春天像什么？\nS:小明: 像小姑娘。\nT: 很好，像小姑娘。\nS:小红: 为什么？\nT: 请看课文，姑娘。\nS: 好\nT: 坐"
    )
    measured = measure_lessons(table).iloc[0]
    assert measured["IRF_lex_given_I"] == 1.0
    assert measured["F_eval_rate_after_S"] == pytest.approx(1 / 3)
    assert measured["student_question_turn_rate"] == pytest.approx(1 / 3)
    assert measured["S_turn_share_le3w"] == 1.0


def test_short_lessons_are_marked_and_left_out_beside_the_reference():
    measured = measure_lessons(pd.concat([made_lesson(40), transcript(TALK, lesson="short")]))
    assert measured["short"].to_dict() == {"one": False, "short": True}
    table = beside_reference(measured, REFERENCE).set_index("metric")
    assert table["lessons"].max() == 1
    row = table.loc["I_rate"]
    assert row["mean"] == measured.loc["one", "I_rate"]
    assert row["distance"] == pytest.approx((row["mean"] - 0.514) / 0.155)


def test_a_lesson_is_measured_in_no_time():
    table = made_lesson(60)
    started = time.thread_time()
    for _ in range(5):
        measure_lessons(table)
    assert (time.thread_time() - started) / 5 < 0.3  # about 0.01 s; a row loop in pandas takes many times as long


def test_a_table_without_text_is_an_error():
    with pytest.raises(TableError, match="no column 'text'"):
        measure_lessons(transcript(TALK).drop(columns="text"))


@pytest.mark.parametrize("content", [b"", b"# only a citation\n", b"\xff\xfe\x00"])
def test_reference_numbers_that_cannot_be_read(tmp_path, content):
    file = tmp_path / "numbers.csv"
    file.write_bytes(content)
    with pytest.raises(TableError, match=r"numbers\.csv"):
        load_reference(file)
