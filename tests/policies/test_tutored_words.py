"""The words of embedded learners and tutors in each language, and what a judge reads from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from eduverse_mesa.decisions.tutoring import TRAITS, LabelTraits, Utterance
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.marks import share_said
from eduverse_mesa.models.tutoring import TutoringModel
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.policies.embedded.tutoring.phrases import load_phrases
from eduverse_mesa.randomness import Address

LANGUAGES = ("en", "zh")
HAN = re.compile(r"[\u3400-\u9fff]")
LATIN_WORD = re.compile(r"[A-Za-z]{3,}")


def places(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every place of a file of phrases, and how often something is filled in there."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from places(part, (*path, key))
    else:
        texts = [value] if isinstance(value, str) else value
        yield path, max((text.count("{") for text in texts), default=0)


def test_languages_say_the_same_things() -> None:
    english, chinese = (dict(places(load_phrases(language).at())) for language in LANGUAGES)
    assert chinese == english
    assert load_phrases("zh-CN").at("gap") == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_way_of_speaking_is_told_by_its_own_marks(language: str) -> None:
    phrases = load_phrases(language)
    for trait in TRAITS:
        for end, other in (("high", "low"), ("low", "high")):
            for phrase in phrases.at("style", trait, end):
                told = [share_said(phrases.at("marks", trait, one), phrase) > 0 for one in (end, other)]
                assert told == [phrase != "...", False] or not re.search(r"\w", phrase), phrase
    for phrase in phrases.at("hedges"):
        assert share_said(phrases.at("marks", "hedge"), phrase) > 0, phrase
    for phrase in phrases.at("learner", "dont_know"):
        assert share_said(phrases.at("marks", "dont_know"), phrase) > 0 or language == "en", phrase


def test_a_chinese_lesson_is_chinese_throughout() -> None:
    model = TutoringModel("mathematics_zh", settings={"grades": [6, 6], "visits": 1}, seed=1).run()
    lines = model.journal.lines
    assert {row.kind for row in lines if row.speaker == "learner"} >= {"right", "partial", "misconception"}
    assert not [row.text for row in lines if LATIN_WORD.search(row.text) or not HAN.search(row.text)]
    assert not [row.text for row in lines if "。 " in row.text or "！ " in row.text], "no gap between sentences"
    assert all(HAN.search(episode.summary) for one in model.learners for episode in one.memory.episodes)


def test_the_words_around_a_curriculum_can_be_of_another_language() -> None:
    model = TutoringModel(settings={"grades": [1, 1], "visits": 1, "language": "zh"}, seed=1).run()
    said = [row.text for row in model.journal.lines if row.speaker == "tutor"]
    assert all(HAN.search(text) for text in said)
    asked = [unit.items[0].ask for unit in model.curriculum.units_of(1)]
    assert any(ask in text for ask in asked for text in said), "what is taught stays as the curriculum has it"


def test_personality_is_read_from_chinese_words_too() -> None:
    said = ("哇！我一步一步来。", "谢谢你问我。还能用它做点什么呢？", "希望我没说错。")
    dialogue = tuple(Utterance("learner", text) for text in said)
    (answer,) = EmbeddedTutoringPolicy().answer([LabelTraits(Address(1, 1, 1, "judge"), dialogue, "zh")])
    assert [getattr(answer.outcome, trait) for trait in TRAITS] == ["high"] * 5
    quiet = (Utterance("learner", "好。"), Utterance("learner", "嗯……"))
    (answer,) = EmbeddedTutoringPolicy().answer([LabelTraits(Address(1, 1, 1, "judge"), quiet, "zh")])
    assert answer.outcome is not None
    assert answer.outcome.extraversion == "low"


def test_a_language_without_words_is_refused_with_those_there_are() -> None:
    with pytest.raises(PolicyError, match="no words in 'tlh'") as refused:
        TutoringModel(settings={"language": "tlh", "grades": [1, 1]}, seed=1).run()
    assert "en, zh" in refused.value.mend
