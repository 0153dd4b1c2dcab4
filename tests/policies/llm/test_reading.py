"""From what a model said to an answer in its shape, or to the reason why there is none."""

from __future__ import annotations

import json
from contextlib import suppress
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eduverse_mesa.policies.llm.answer import read_answer
from eduverse_mesa.policies.llm.calls import Completion
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Record, UnusableError, Words, YesNo

SENTENCE = "I think that it is about the spring in the north."
SHAPE = Record({"thought": Words(300), "behaviour": OneOf(("head_up", "hand_raise"))})
GOOD = {"thought": SENTENCE, "behaviour": "head_up"}
TEXT = json.dumps(GOOD)
NUMBERS = Record({"rating": Number(-5, 5)})


def read(text: str, language: str = "en", shape: Record = SHAPE, finish: str = "stop") -> object:
    return read_answer(Completion(text, finish), shape, language)  # type: ignore[arg-type]


def problem(text: str, language: str = "en", shape: Record = SHAPE, finish: str = "stop") -> str:
    with pytest.raises(UnusableError) as caught:
        read(text, language, shape, finish)
    return str(caught.value)


def thought(text: str, language: str = "en") -> object:
    return read(json.dumps({"thought": text, "behaviour": "head_up"}, ensure_ascii=False), language)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\n\n  {TEXT}\n",
        f"\ufeff{TEXT}",
        f"```json\n{json.dumps(GOOD, indent=2)}\n```",
        f"Sure! Here is what I do:\n{TEXT}\nI hope that this helps {{or not}}.",
        f"The form is {{thought, behaviour}}, so: {TEXT}",
        f'<think>\nWhat about {{"thought": 1}}? No.\n</think>\n{TEXT}',
        f"<thinking>{{</thinking>{TEXT}<think>and so on",
        f'I could say {{"thought": "no"}}, but better not.</think>{TEXT}',
        f"<think>{'{[' * 20}</think>{TEXT}",
        f"Tom said {json.dumps(GOOD | {'behaviour': 'hand_raise'})}, but I do this: {TEXT}",
        f"{TEXT}\nIn this form: {json.dumps({'thought': '...'})}",
        TEXT[:-1] + ', "confidence": NaN}' + TEXT,
        f"<p>{TEXT}</p>",
    ],
    ids=[
        "bare",
        "blank-lines",
        "byte-order-mark",
        "fence",
        "prose-around",
        "braces-before",
        "thinking",
        "thinking-unended",
        "thinking-unbegun",
        "thinking-in-brackets",
        "an-answer-quoted-first",
        "another-form-last",
        "not-a-number-first",
        "tags-around",
    ],
)
def test_the_last_object_that_fits_counts_whatever_stands_around_it(text: str) -> None:
    assert read(text) == GOOD


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        (" \n\t ", "it is empty"),
        ("I raise my hand.", "there is no complete JSON object in it"),
        (TEXT[:-3], "there is no complete JSON object in it"),
        ("<html><body><h1>502 Bad Gateway</h1></body></html>", "there is no complete JSON object in it"),
        ("<think>I wonder", "there is no complete JSON object in it"),
        ("null", "there is no complete JSON object in it"),
        ("[]", "the answer must be an object with the fields thought, behaviour"),
        ('"head_up"', "the answer must be an object with the fields thought, behaviour"),
        ('{"thought": "Well."}', "the field behaviour is missing"),
        ("[" * 100_000, "it is too long: 100000 characters"),
        ("[" * 20_000, "it is nested too deeply"),
        ('{"a":' * 5_000, "it is nested too deeply"),
        (TEXT[:-1] + ', "a": ' + "[" * 30 + "]" * 30 + "}", "it is nested too deeply"),
        ("x" * 10**6, "it is too long: 1000000 characters"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(text: str, reason: str) -> None:
    assert problem(text) == reason


NESTED = Record({"thought": Words(300), "said": Many(Record({"text": Words(50)}), 0, 3)})


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "So it is.", "said": [{"text": "Yes."},],}',
        "{'thought': 'So it is.', 'said': [{'text': 'Yes.'}]}",
        '[{"thought": "So it is.", "said": [{"text": "Yes."}]}]',
        '{thought: "So it is.", said: [{text: "Yes."}]} // that is all',
        '```json\n{"thought": "So it is.", "said": [{"text": "Yes."},]}\n```',
        'The form: {"thought": ..., "said": [...]}. Mine: {"thought": "So it is.", "said": [{"text": "Yes."},]}',
        '{"thought": "...", "said": []}\n\n[{"thought": "So it is.", "said": [{"text": "Yes.",}]}]',
    ],
    ids=["comma", "single-quotes", "list-of-one", "no-quotes", "fence", "echo-of-dots", "echo-of-the-form"],
)
def test_what_is_nearly_json_is_mended_before_anybody_pays_again(text: str) -> None:
    assert read(text, shape=NESTED) == {"thought": "So it is.", "said": [{"text": "Yes."}]}


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ('{"thought": "So." "said": [{"text": "Yes."}]}', "its JSON is broken at"),
        ('{"thought": "So it is.", "said": [{"text": NaN}]}', "NaN and Infinity are not numbers in JSON"),
        ('{"thought": "He said "yes" to it.", "said": []}', "its JSON is broken at"),
    ],
)
def test_the_real_defect_is_named_and_no_inner_object_taken_for_the_answer(text: str, defect: str) -> None:
    assert problem(text, shape=NESTED).startswith(defect)


def test_pythons_words_are_read_where_they_are_no_text() -> None:
    shape = Record({"thought": Words(300), "agrees": YesNo()})
    assert read("{'thought': 'True or False? \\'None\\'', 'agrees': True}", shape=shape) == {
        "thought": "True or False? 'None'",
        "agrees": True,
    }


def test_an_answer_that_was_cut_off_is_told_to_be_briefer() -> None:
    assert "cut off" in problem(TEXT[:30], finish="length")
    assert problem("", finish="length") == (
        "max_tokens ended it before the answer began; a model that thinks first needs more"
    )
    assert read(TEXT, finish="length") == GOOD  # complete all the same


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 30, "9" * 400, "9" * 5000, "1.5"])
@pytest.mark.parametrize("around", ["{}", "Here it is: {}"])
def test_numbers_that_are_none(number: str, around: str) -> None:
    assert problem(around.format(f'{{"rating": {number}}}'), shape=NUMBERS)


def test_lone_surrogates_and_unseen_characters_do_not_get_into_words() -> None:
    assert read('{"thought": "It is \\ud800 about\\u202e the spring.", "behaviour": "head_up"}') == {
        "thought": "It is about the spring.",
        "behaviour": "head_up",
    }
    assert read(TEXT[:13] + "\ud800" + TEXT[13:]) == GOOD
    assert "empty" in problem('{"thought": "\\u200b", "behaviour": "head_up"}')


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I’m sorry, but I can’t help with that.",
        "As an AI language model, I cannot take part in this.",
        "I am unable to comply.",
        "I'm not able to continue this roleplay.",
        "很抱歉，我无法协助完成这个请求。",
        "作为一个人工智能语言模型，我不能扮演学生。",
        "抱歉，我不能提供这样的内容。",
    ],
)
def test_a_refusal_is_told_from_an_answer_that_is_only_malformed(text: str) -> None:
    assert problem(text, "zh" if text > "一" else "en") == "it was refused"


def test_a_refusal_that_the_server_reports_is_one() -> None:
    assert problem("", finish="refused") == "it was refused"
    assert problem(TEXT, finish="refused") == "it was refused"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I'm sorry, but I can't assist with that request.", "en"),
        ("I’m sorry, but as an AI language model I have no feelings.", "en"),
        ("As an AI, I do not sit in a class.", "en"),
        ("I am just a language model and cannot raise a hand.", "en"),
        ("作为一个AI，我不能扮演学生。", "zh"),
        ("很抱歉，我无法提供这样的内容。", "zh"),
    ],
)
def test_a_refusal_put_into_the_form_is_one(text: str, language: str) -> None:
    with pytest.raises(UnusableError, match="it was refused"):
        thought(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I'm sorry, I can't see the board from here.", "en"),
        ("I can't help thinking that spring is like a small girl.", "en"),
        ("Sorry, I can't help with that, ask Ben.", "en"),
        ("I won't participate today, I am too tired.", "en"),
        ("I cannot engage with this text at all.", "en"),
        ("The robot works as an AI does, it learns from examples.", "en"),
        ("I cannot provide a reason, I just guessed it.", "en"),
        ("我无法完成这道题，太难了。", "zh"),
        ("我不能参与讨论，因为我没有读课文。", "zh"),
        ("对不起，老师，我看不清黑板。", "zh"),
        ("人工智能可以帮我们写作文吗？", "zh"),
    ],
)
def test_a_student_may_be_sorry_unable_and_unwilling(text: str, language: str) -> None:
    assert thought(text, language)


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("我觉得这篇课文写的是春天的景色。", "en", "not in English"),
        ("Я думаю, что это о весне на севере.", "en", "not in English"),
        (
            "Ich denke dass dieses Gedicht den Frühling beschreibt und unsere Lehrerin möchte jetzt Beispiele",
            "en",
            "English",
        ),
        ("I think that this is about spring.", "zh", "not in Chinese"),
        ("春 is what the writer calls the season, and that is all that I know.", "zh", "not in Chinese"),
        ("我觉得这篇课文写的是春天。", "de", r"\(de\)"),
        ("我觉得这篇课文写的是春天。", "en_US", "not in English"),
        ("I think that this is about spring.", "zh-Hant", "not in Chinese"),
    ],
)
def test_another_language_than_the_lessons_is_noticed(text: str, language: str, reason: str) -> None:
    with pytest.raises(UnusableError, match=reason):
        thought(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The title means 春天, the season of spring.", "en"),
        ("λ = v / f", "en"),
        ("Δx / Δt", "en"),
        ("42!", "en"),
        ("Peach, apricot, pear.", "en"),
        ("Café, naïve, Zoë and crème brûlée are words that I know.", "en"),
        ("设x=3，则y=5。", "zh"),
        ("x + y = 10", "zh"),
        ("我觉得Zhang Jie说得对，DNA就是这样的。", "zh"),
        ("嗯……", "zh"),
        ("Ich denke, dass es um den Frühling geht.", "de"),
        ("春が来た、と思います。", "ja"),
        ("我覺得這篇課文寫的是春天。", "zh-TW"),
        ("我覺得這篇課文寫的是春天。", "中文"),
        ("Me, I guess that it is about colour.", "en-GB"),
    ],
)
def test_signs_names_and_quotations_are_no_other_language(text: str, language: str) -> None:
    assert thought(text, language)


def test_only_what_is_written_freely_has_a_language() -> None:
    shape = Record({"tone": OneOf(("warm", "cold")), "words": Many(Words(50), 0, 2)})
    assert read('{"tone": "warm", "words": []}', "zh", shape)
    assert read('{"tone": "warm", "words": ["好的，我们开始。"]}', "zh", shape)


NOISE = st.sampled_from(
    [
        '{"thought":',
        TEXT,
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        "<think>",
        "</think>",
        "NaN",
        "\\ud800",
        "\ud800",
        "我",
        "null",
    ]
)


@given(st.lists(NOISE | st.text(st.characters(), max_size=4), max_size=30).map("".join), st.sampled_from(["en", "zh"]))
@example('{"thought": "\ud800', "en")
def test_nothing_that_a_model_can_say_does_worse_than_to_be_useless(text: str, language: str) -> None:
    with suppress(UnusableError):
        answer = read(text, language)
        assert SHAPE.read(answer, "") == answer


@pytest.mark.parametrize(
    "piece",
    [
        '{"a":"',
        "<think>",
        "</think>",
        "<think></think>",
        "{",
        '{"a":[',
        "I cannot ",
        "sorry, I ",
        "as an ",
        "\\",
        '"{',
        "作为",
        "a " * 9,
    ],
)
def test_no_answer_takes_long_to_read(piece: str) -> None:
    text = (piece * 40_000)[:40_000]
    begun = process_time()
    problem(text)
    with suppress(UnusableError):
        read_answer(Completion(json.dumps({"thought": text[:30_000]})), Record({"thought": Words(40_000)}), "en")
    assert process_time() - begun < 2  # a quadratic reader would need minutes


@pytest.mark.parametrize("text", ['["}",' * 5_000, "}" * 9_000 + '{"a": ' + '["}",' * 4_000])
def test_nesting_that_hides_in_strings_is_no_answer_however_deep_an_interpreter_reads(text: str) -> None:
    with pytest.raises(UnusableError, match=r"nested too deeply|no complete JSON object"):
        read(text)
