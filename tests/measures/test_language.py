from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.measures.language import CHINESE, ENGLISH, HAN_PER_WORD, count_words, detect_language, is_question


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" . ", 0),
        ("Two and 2/6 -- don't.", 4),
        ("春天来了。", 4 / HAN_PER_WORD),
        ("用 Excel 吧", 1 + 2 / HAN_PER_WORD),
    ],
)
def test_words_by_hand(text, words):
    assert count_words(text) == pytest.approx(words)


@given(st.text(), st.text())
def test_words_of_two_texts_add_up(one, other):
    assert count_words(f"{one} {other}") == pytest.approx(count_words(one) + count_words(other))


@pytest.mark.parametrize("text", ["Why?", "为什么？", "لماذا؟"])
def test_question_marks_of_several_scripts(text):
    assert is_question(text)
    assert not is_question(text[:-1])


@pytest.mark.parametrize("text", ["Yes, four.", "Oh, good!", "That's right.", "No.", "ALL OKAY"])
def test_english_evaluations(text):
    assert ENGLISH.evaluates(text)


@pytest.mark.parametrize("text", ["Now the next one is good.", "Who else?", "", "4."])
def test_english_openings_that_do_not_evaluate(text):
    assert not ENGLISH.evaluates(text)


@pytest.mark.parametrize("text", ["很好，请坐。", "对，就是这样", "嗯，好。", "不对，再想想", "说得真好！"])
def test_chinese_evaluations(text):
    assert CHINESE.evaluates(text)


@pytest.mark.parametrize("text", ["好像还有别的意思", "对于这个问题", "行为", "谁来读一读？", "", "Good"])
def test_chinese_openings_that_do_not_evaluate(text):
    assert not CHINESE.evaluates(text)


def test_content_words():
    assert ENGLISH.content("So the rectangle is 4 of them, don't you think?") == {"rectangle", "4"}
    assert CHINESE.content("春天的花") == {"春天"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What do you think is the answer to that?", ENGLISH),
        ("同学们，春天来了吗？", CHINESE),
        ("我们用 Excel 算一算", CHINESE),
        ("Was meinst du, wie heißt denn die Hauptstadt von Frankreich?", None),
        ("", None),
    ],
)
def test_languages_are_told_apart(text, language):
    assert detect_language(text) is language
