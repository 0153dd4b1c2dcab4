"""The words of the embedded policy: in character, in the right language, safe with any text, and never too clever."""

from __future__ import annotations

import string
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eduverse_mesa.decisions import (
    Heard,
    Said,
    Spoken,
)
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.measures.language import CHINESE, ENGLISH
from eduverse_mesa.policies.embedded.classroom import words
from eduverse_mesa.policies.embedded.classroom.words.grammar import Grammar, compare, draw_luck, list_grammars
from eduverse_mesa.policies.embedded.classroom.words.student import TOPICS
from eduverse_mesa.vocabulary import ACTS, BEHAVIOURS, is_brief
from tests.policies.talk import (
    EN,
    FORMS,
    LANGUAGES,
    PRESS_MOVE,
    ZH,
    at,
    entries,
    everything,
    focus_of,
    spoken,
    teacher_view,
)

# --- grammars ---


class Recording(Grammar):
    """A grammar that notes which of its keys are used."""

    def __init__(self, language: str) -> None:
        self.used: set[str] = set()
        super().__init__(language, entries(language))

    def say(self, key: str, luck: float, slots: Any = None) -> str:
        self.used.add(key)
        return super().say(key, luck, slots or {})

    def text(self, key: str) -> str:
        self.used.add(key)
        return super().text(key)


def test_grammars_have_the_same_keys_and_no_slot_of_their_own() -> None:
    english = words.load_grammar("en")
    assert list_grammars() == ("en", "zh")
    for language in list_grammars():
        grammar = words.load_grammar(language)
        assert list(grammar.lines) == list(english.lines)  # in the same order too: easier to translate side by side
        for key in english.lines:
            assert grammar.slots(key) == english.slots(key), key


def test_every_key_is_used() -> None:
    grammar = Recording("en")
    everything(grammar, EN, range(1, 240))
    assert sorted(set(grammar.lines) - grammar.used) == []


def test_regions_have_the_words_of_their_language() -> None:
    assert words.load_grammar("zh-CN") is words.load_grammar("zh") is words.load_grammar("zh_TW")
    assert words.load_grammar("EN-gb").language == "en"


@pytest.mark.parametrize("language", ["fr", "", "../en", "e", "en.yaml"])
def test_an_unknown_language_is_named_with_what_to_do(language: str) -> None:
    with pytest.raises(PolicyError) as caught:
        words.load_grammar(language)
    assert f"'{language}'" in str(caught.value)
    assert "en, zh" in str(caught.value)
    assert "en.yaml" in str(caught.value)


def test_a_translation_that_does_not_fit_is_refused_by_key() -> None:
    english = words.load_grammar("en")
    lines = {key: ["x"] for key in english.lines}
    compare("grammar/xx.yaml", lines, english)
    with pytest.raises(PolicyError, match=r"grammar/xx.yaml: the key 'plan.chat' is missing"):
        compare("grammar/xx.yaml", {key: line for key, line in lines.items() if key != "plan.chat"}, english)
    with pytest.raises(PolicyError, match=r"the key 'plan.chatt' is not used"):
        compare("grammar/xx.yaml", {**lines, "plan.chatt": ["x"]}, english)
    with pytest.raises(PolicyError, match=r"'plan.chat' has the slot \{partne\}.*Slots of this key: .*\{partner\}"):
        compare("grammar/xx.yaml", {**lines, "plan.chat": ["with {partne}"]}, english)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lines_keep_what_code_relies_on(language: str) -> None:
    lines = entries(language)["student"]
    assert all(is_brief(line) for line in (*lines["lost"], *lines["okay"]))
    assert set(lines["chat"]) == set(lines["topic"]) == set(TOPICS)
    for topic in TOPICS:
        for line in lines["chat"][topic]:
            assert [name for name in TOPICS if lines["topic"][name] in line] == [topic]


def test_chinese_has_no_english_in_it() -> None:
    said = everything(words.load_grammar("zh"), ZH, range(1, 120))
    assert [text for text in said if set(text) & set(string.ascii_letters + "{}?!;")] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_slot_is_left_and_nothing_is_empty(language: str) -> None:
    for text in everything(words.load_grammar(language), LANGUAGES[language], range(1, 120)):
        assert text.strip()
        assert not set(text) & set("{}")
        assert "  " not in text


# --- any text at all ---

NASTY = ("{name}", "{", "}{", "{0}", "%s", "<b>x</b>", "a\nb", "\\1", "😀", '"', "'", "I", "É", "…", "Um, ", ".")
any_text = st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=30)).map(str.strip).filter(bool)
shares = st.floats(0, 1)


@given(st.fixed_dictionaries(dict.fromkeys(EN, any_text)), st.sampled_from(["en", "zh"]), st.integers(1, 10**6))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_spoken(texts: dict[str, str], language: str, step: int) -> None:
    for text in everything(words.load_grammar(language), texts, range(step, step + 2)):
        assert isinstance(text, str)


@given(any_text, any_text, st.integers(1, 10**6), st.sampled_from(FORMS), st.sampled_from(sorted(BEHAVIOURS)))
def test_feedback_names_the_student_letter_by_letter(
    name: str, said: str, step: int, form: str, behaviour: str
) -> None:
    heard = Heard(name, behaviour, "positive", "teacher", (Said(said, "claim"),), "wrong", True)
    for language in ("en", "zh"):
        sentences = words.feedback_sentences(
            words.load_grammar(language), at(step), heard, "neutral", form, focus_of(LANGUAGES[language])
        )
        assert name in spoken(sentences)


# --- the teacher ---


@given(
    st.sampled_from(sorted(PRESS_MOVE)),
    st.sampled_from([(), ("Ann",), ("Ann", "Ben")]),
    st.sampled_from(["accuracy", "reasoning", "relate", ""]),
    st.integers(1, 10**6),
    st.booleans(),
    shares,
)
def test_a_question_makes_the_move_it_was_chosen_for(
    press: str, called: tuple[str, ...], own: str, step: int, has_question: bool, talk: float
) -> None:
    view = teacher_view(EN, talk=talk, press=own or "accuracy", question=EN["ask"] if has_question else "")
    said = words.teacher_sentences(words.load_grammar("en"), at(step), view, "asking_question", called, press)
    # A question that asks for more than a fact by itself goes on doing so.
    stands = own if has_question and own and press == "accuracy" else press
    assert said[-1].move == PRESS_MOVE[stands]
    assert "?" in spoken(said)
    assert all(name in spoken(said) for name in called)
    assert len(said) <= 5


def test_a_waiting_question_is_asked_again_of_who_is_called() -> None:
    view = teacher_view(EN, question="")
    view.open_question = focus_of(EN, question="What floats?")
    grammar = words.load_grammar("en")
    for step in range(1, 20):
        said = words.teacher_sentences(grammar, at(step), view, "asking_question", ("Ann",), "accuracy")
        assert "What floats?" in spoken(said)


def test_nobody_is_asked_to_relate_to_itself() -> None:
    heard = tuple(Spoken(name, "teacher", (Said("Yes.", "claim"),)) for name in ("Ben", "Ann"))
    view, grammar = teacher_view(EN, heard=heard), words.load_grammar("en")
    for step in range(1, 20):
        said = words.teacher_sentences(grammar, at(step), view, "asking_question", ("Ann",), "relate")
        assert "Ben" in next(one.text for one in said if one.move == "get-to-relate" and "Ben" in one.text)


@pytest.mark.parametrize(("move", "expected"), [("claim", {"restate", "revoice"}), ("ask", {"none"})])
def test_adopting_takes_up_what_was_said(move: str, expected: set[str]) -> None:
    heard = (Spoken("Ben", "teacher", (Said("Um, I think the frozen one wins.", move),)),)
    grammar, seen = words.load_grammar("en"), set()
    for step in range(1, 40):
        first = words.teacher_sentences(grammar, at(step), teacher_view(EN, heard=heard), "adopting_input", (), "")[0]
        seen.add(first.move)
        assert "Ben" in first.text
        assert "Um" not in first.text
    assert seen == expected


def test_a_misconception_is_taken_up_with_a_doubt() -> None:
    heard = (Spoken("Ben", "teacher", (Said("Maybe cold things always rise.", "claim"),)),)
    grammar, view = words.load_grammar("en"), teacher_view(EN, heard=heard)
    firsts = {words.teacher_sentences(grammar, at(s), view, "adopting_input", (), "")[0].text for s in range(1, 30)}
    assert firsts <= {
        line.replace("{names}", "Ben").replace("{said}", "Cold things always rise.")
        for line in entries("en")["teacher"]["adopt_doubt"]
    }


def test_with_nothing_to_adopt_the_teacher_explains() -> None:
    grammar, view = words.load_grammar("en"), teacher_view(EN)
    for step in range(1, 10):
        adopted = words.teacher_sentences(grammar, at(step), view, "adopting_input", (), "")
        assert adopted == words.teacher_sentences(grammar, at(step), view, "lecturing", (), "")
        assert EN["idea"] in spoken(adopted)


def test_talkative_teachers_say_more_and_no_explanation_is_endless() -> None:
    grammar = words.load_grammar("en")

    def lengths(talk: float) -> list[int]:
        view = teacher_view(EN, talk=talk, do="explain", text=EN["prompt"])
        return [len(words.teacher_sentences(grammar, at(s), view, "lecturing", (), "")) for s in range(1, 100)]

    assert sum(lengths(0.9)) > 1.2 * sum(lengths(0.1))
    assert max(lengths(1.0)) == 5
    assert min(lengths(0.0)) >= 2


def test_acts_make_their_moves() -> None:
    grammar, view = words.load_grammar("en"), teacher_view(EN)

    def moves(act: str) -> set[str]:
        return {one.move for s in range(1, 40) for one in words.teacher_sentences(grammar, at(s), view, act, (), "")}

    together = {"giving_directions", "criticising", "addressing_sleepers", "addressing_chatters"}
    for act in ACTS:
        if act in together:
            assert moves(act) == {"keep-together"}
    assert moves("lecturing") == moves("praising") == moves("expressing_emotion") == {"none"}
    assert moves("organising_discussion") >= {"keep-together", "get-to-relate"}


# --- feedback ---


@pytest.mark.parametrize(("language", "knows"), [("en", ENGLISH), ("zh", CHINESE)])
def test_evaluating_opens_with_an_evaluating_word(language: str, knows: Any) -> None:
    texts, grammar = LANGUAGES[language], words.load_grammar(language)
    for quality in ("right", "partial"):
        heard = Heard(texts["name"], "stand_answer", "positive", "teacher", (), quality, True)
        for step in range(1, 60):
            said = words.feedback_sentences(grammar, at(step), heard, "positive", "evaluate", focus_of(texts))
            assert knows.evaluates(spoken(said)), said


@pytest.mark.parametrize(
    ("form", "move"),
    [("restate", "restate"), ("revoice", "revoice"), ("press", "press-reasoning"), ("correct", "none")],
)
def test_forms_of_feedback_make_their_moves(form: str, move: str) -> None:
    heard = Heard("Ann", "stand_answer", "positive", "teacher", (Said("So, the cold one.", "claim"),), "partial", True)
    contents = {"restate": "The cold one.", "revoice": EN["keyword"], "press": "?", "correct": EN["short"]}
    grammar = words.load_grammar("en")
    for step in range(1, 40):
        said = words.feedback_sentences(grammar, at(step), heard, "neutral", form, focus_of(EN))
        assert said[-1].move == move
        assert contents[form] in said[-1].text


def test_a_question_that_is_taken_up_is_repeated_for_everybody_and_answered() -> None:
    asked = (Said("Well, what is a rate?", "ask"),)
    heard = Heard("Ann", "ask_question", "confused", "teacher", asked, "none", False)
    grammar = words.load_grammar("en")
    for step in range(1, 40):
        first, *rest = words.feedback_sentences(grammar, at(step), heard, "positive", "take_up", focus_of(EN))
        assert first.move == "restate"
        assert first.text.endswith("What is a rate?")
        assert rest == list(
            words.feedback_sentences(grammar, at(step), heard, "positive", "answer_question", focus_of(EN))
        )


# --- addresses ---


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_follow_from_the_address_alone(language: str) -> None:
    grammar, texts = words.load_grammar(language), LANGUAGES[language]
    once = everything(grammar, texts, range(1, 4))
    assert once == everything(Grammar(language, entries(language)), texts, range(1, 4))
    assert once != everything(grammar, texts, range(4, 7))


def test_five_numbers_of_a_draw_are_even_and_do_not_hang_together() -> None:
    drawn = [draw_luck(at(step), "x") for step in range(1, 2001)]
    for place in range(5):
        column = [luck[place] for luck in drawn]
        assert min(column) >= 0
        assert max(column) < 1
        assert sum(column) / len(column) == pytest.approx(0.5, abs=0.03)
        following = [luck[(place + 1) % 5] for luck in drawn]
        together = sum((a - 0.5) * (b - 0.5) for a, b in zip(column, following, strict=True)) / len(drawn)
        assert together == pytest.approx(0, abs=0.01)


def test_a_question_that_somebody_else_wants_to_answer_is_passed_on() -> None:
    grammar, sentences = words.load_grammar("en"), (Said(EN["answer"], "claim"),)
    heard = Heard(EN["name"], "stand_answer", "positive", "teacher", sentences, "right", True)
    for press, move in (("accuracy", "press-accuracy"), ("reasoning", "press-reasoning"), ("relate", "get-to-relate")):
        focus = msgspec.structs.replace(focus_of(EN), press=press)
        said = words.feedback_sentences(grammar, at(1), heard, "positive", "evaluate", focus, passes_on=True)
        assert said[:-1] == words.feedback_sentences(grammar, at(1), heard, "positive", "evaluate", focus)
        assert said[-1].move == move
        assert said[-1].text.endswith("?")
