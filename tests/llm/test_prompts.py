"""What is said around a question is the same in both languages."""

from __future__ import annotations

import re

import pytest

from eduverse_mesa.llm.questions import BOOK
from eduverse_mesa.policies.llm.prompts.templates import Templates

PLACE = re.compile(r"\{\{(\w+)\}\}")


def test_the_languages_have_the_same_words() -> None:
    english, chinese = (Templates(language, None, BOOK).words for language in ("en", "zh"))
    assert list(english) == list(chinese)
    for name in english:
        assert sorted(re.findall(r"\{\w+\}", english[name])) == sorted(re.findall(r"\{\w+\}", chinese[name]))


@pytest.mark.parametrize("language", BOOK.languages)
@pytest.mark.parametrize("name", BOOK.places)
def test_every_place_of_a_prompt_is_used(name: str, language: str) -> None:
    filled = Templates(language, None, BOOK).fill(name, {place: f"<{place}>" for place in BOOK.places[name]})
    for place in BOOK.places[name]:
        assert f"<{place}>" in filled
    assert not PLACE.search(filled)
