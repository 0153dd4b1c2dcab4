"""What students say: never more than they understand, and in character."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eduverse_mesa.decisions import (
    Mind,
    Recall,
    Said,
    Spoken,
)
from eduverse_mesa.policies.embedded.classroom import words
from eduverse_mesa.policies.embedded.classroom.words.student import TOPICS, split_passages
from eduverse_mesa.scenarios.people import Speech, Student, Traits
from eduverse_mesa.vocabulary import SPOKEN, is_brief
from tests.policies.talk import (
    EN,
    LANGUAGES,
    MOVES,
    ZH,
    at,
    entries,
    person_of,
    recall_of,
    spoken,
    student_view,
)
from tests.policies.test_words import any_text, shares

# --- never more than is understood ---


def right_words(texts: dict[str, str]) -> list[str]:
    return [texts[key].rstrip(".。").casefold() for key in ("idea", "because", "answer", "short")]


@given(
    st.sampled_from(["en", "zh"]),
    st.sampled_from(["none", "misconception"]),
    st.sampled_from(sorted(SPOKEN - {"read_aloud"})),
    st.sampled_from(MOVES),
    st.booleans(),
    st.integers(1, 10**6),
    st.sampled_from(["teacher", "Ben"]),
)
@settings(max_examples=400)
def test_who_does_not_know_says_nothing_right(
    language: str, level: str, behaviour: str, move: str, brief: bool, step: int, to: str
) -> None:
    texts, grammar = LANGUAGES[language], words.load_grammar(language)
    view, recall = student_view(texts, language), recall_of(texts, level)
    draft = words.draft_sentences(grammar, at(step), view, behaviour, to, recall, move, brief)
    said = words.style_sentences(grammar, at(step), person_of(texts, step), view.mind, draft)
    heard = spoken(said).casefold()
    assert not [right for right in right_words(texts) if right in heard]
    assert all(one.move != "evidence" for one in said)
    if level == "none":
        assert all(one.move != "claim" for one in said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_who_knows_says_it(language: str) -> None:
    texts, grammar = LANGUAGES[language], words.load_grammar(language)
    view, full = student_view(texts, language), recall_of(texts, "full")

    def answer(move: str, brief: bool, step: int) -> Said:
        (said,) = words.draft_sentences(grammar, at(step), view, "stand_answer", "teacher", full, move, brief)
        return said

    assert answer("claim", False, 1) == Said(texts["answer"], "claim")
    short = answer("claim", True, 1)
    assert is_brief(short.text)
    assert texts["short"] in short.text.casefold()
    reasons = [answer("evidence", False, step) for step in range(1, 40)]
    assert all(texts["because"] in said.text and said.move == "evidence" for said in reasons)
    with_claim = [said for said in reasons if texts["answer"].rstrip(".。") in said.text]
    assert 0 < len(with_claim) < len(reasons)  # sometimes the reason alone
    assert is_brief(answer("none", False, 1).text)


def test_who_knows_nothing_says_so_only_when_asked() -> None:
    grammar, lines = words.load_grammar("en"), entries("en")["student"]
    for brief, lost in ((True, lines["lost"]), (False, lines["lost_long"])):
        for asked, expected in ((True, lost), (False, lines["okay"])):
            said = words.draft_sentences(
                grammar, at(1), student_view(EN, asked=asked), "stand_answer", "teacher", Recall("none"), "none", brief
            )
            assert spoken(said) in expected


def test_relating_refers_to_somebody_else() -> None:
    grammar, full = words.load_grammar("en"), recall_of(EN, "full")
    view = student_view(EN)
    mine = Spoken("Ann", "teacher", (Said("Me.", "claim"),))
    view.scene = msgspec.structs.replace(view.scene, earlier=(*view.scene.earlier, mine))
    for step in range(1, 40):
        said = words.draft_sentences(grammar, at(step), view, "stand_answer", "teacher", full, "relate", False)
        assert {one.move for one in said} == {"relate"}
        assert "Ben" in said[0].text
        assert "Ann" not in spoken(said)


def test_chat_is_answered_on_its_topic() -> None:
    grammar, view, lines = words.load_grammar("en"), student_view(EN), entries("en")["student"]
    for topic in TOPICS:
        for step, line in enumerate(lines["chat"][topic], 1):
            (said,) = words.draft_sentences(
                grammar, at(step), view, "chat", "Ben", Recall("none"), "none", False, f"Um, {line.lower()}"
            )
            assert said.text in lines["chat_reply"][topic]


def test_reading_goes_on_through_the_text() -> None:
    assert split_passages(EN["text"]) == (
        "A pond freezes from above.",
        "At 3.5 degrees nothing happens!",
        "Fish stay alive below.",
    )
    assert split_passages(ZH["text"]) == ("池塘从上面开始结冰。", "下面的鱼还活着！")
    assert split_passages("") == ()
    grammar, view = words.load_grammar("en"), student_view(EN)
    read = [
        words.draft_sentences(grammar, at(step), view, "read_aloud", "teacher", Recall("none"), "none", False)[0].text
        for step in range(3, 6)
    ]
    assert tuple(read) == split_passages(EN["text"])


# --- style ---

traits = st.builds(Traits, extraversion=shares, agreeableness=shares, neuroticism=shares)
sentences = st.lists(st.builds(Said, any_text, st.sampled_from(MOVES)), max_size=3).map(tuple)


@given(sentences, traits, shares, st.integers(1, 10**6), st.sampled_from(["en", "zh"]))
@settings(max_examples=300)
def test_style_keeps_moves_and_brevity(
    said: tuple[Said, ...], character: Traits, confidence: float, step: int, language: str
) -> None:
    person = Student(name="Ann", traits=character, speech=Speech(filling=0.7, hedging=0.7))
    styled = words.style_sentences(
        words.load_grammar(language), at(step), person, Mind(confidence=confidence, understanding=[0.5]), said
    )
    moves = [one.move for one in said]
    assert [one.move for one in styled] == moves[: len(styled)]
    assert {one.move for one in styled} == set(moves)
    assert bool(styled) == bool(said)
    if said and is_brief(said[0].text):
        assert is_brief(styled[0].text)


def test_a_filler_has_to_fit_into_a_brief_answer() -> None:
    grammar, mind = words.load_grammar("en"), Mind(understanding=[0.5])
    person = Student(name="Ann", speech=Speech(filling=1, hedging=0))

    def said(text: str) -> set[str]:
        claim = (Said(text, "claim"),)
        return {words.style_sentences(grammar, at(step), person, mind, claim)[0].text for step in range(1, 30)}

    assert said("The lower weight.") == {"The lower weight."}
    assert len(said("The weight.")) > 1
    assert all(is_brief(text) for text in said("The weight."))


def hedged(person: Student) -> float:
    grammar, claim = words.load_grammar("en"), (Said("The ice is lighter than the water.", "claim"),)
    leads = tuple(line.strip() for line in entries("en")["style"]["lead"]["hedge"])
    texts = [
        words.style_sentences(grammar, at(step), person, Mind(understanding=[0.5]), claim)[0].text.casefold()
        for step in range(1, 200)
    ]
    return sum(any(lead.casefold() in text for lead in leads) for text in texts) / len(texts)


def test_character_is_heard() -> None:
    anxious = Student(name="Ann", traits=Traits(neuroticism=0.9))
    calm = Student(name="Ann", traits=Traits(neuroticism=0.1))
    assert hedged(anxious) > 0.3 > 0.05 > hedged(calm)
    assert hedged(anxious.model_copy(update={"speech": Speech(hedging=0.0)})) == 0
    quiet = Student(name="Ann", traits=Traits(extraversion=0.1))
    two = (Said("I agree with Ben.", "relate"), Said("It is lighter than that.", "relate"))
    grammar, mind = words.load_grammar("en"), Mind(understanding=[0.5])
    assert len(words.style_sentences(grammar, at(1), quiet, mind, two)) == 1
    assert len(words.style_sentences(grammar, at(1), calm, mind, two)) == 2


def test_names_at_the_head_of_a_sentence_keep_their_capital() -> None:
    grammar = words.load_grammar("en")
    assert grammar.inside("The ice floats.") == "the ice floats."
    assert grammar.inside("It's lighter.") == "it's lighter."
    assert grammar.inside("I'm sure.") == "I'm sure."
    assert grammar.inside("Galileo saw it.") is None
    assert words.load_grammar("zh").inside("冰浮起来。") == "冰浮起来。"
    person = Student(name="Ann", speech=Speech(hedging=1, filling=1))
    for step in range(1, 30):
        (said,) = words.style_sentences(
            grammar, at(step), person, Mind(understanding=[0.5]), (Said("Galileo saw the moons first.", "claim"),)
        )
        assert "Galileo" in said.text
