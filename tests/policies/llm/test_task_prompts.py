"""Prompts for tutoring and for groups: the same in every language, place by place and word by word."""

from __future__ import annotations

import pytest

from eduverse_mesa.policies.llm.groups.questions import BOOK as GROUPS
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates
from eduverse_mesa.policies.llm.tutoring.questions import BOOK as TUTORING
from tests.policies.llm.test_prompt_files import FIELD, HAN, leaves

BOOKS = {"tutoring": TUTORING, "groups": GROUPS}


@pytest.mark.parametrize(("book", "name"), [(BOOKS[of], name) for of in BOOKS for name in BOOKS[of].places])
def test_a_template_has_each_of_its_places_in_every_language(book: Book, name: str) -> None:
    assert book.languages == ("en", "zh")
    for language in book.languages:
        text = Templates(language, {}, book).fill(name, {place: f"<{place}>" for place in book.places[name]})
        assert all(f"<{place}>" in text for place in book.places[name])
        assert "{{" not in text
        if name != "peer" or language == "zh":  # that of a peer is hardly more than headings
            assert bool(HAN.search(text)) == (language == "zh")


@pytest.mark.parametrize("book", BOOKS.values(), ids=list(BOOKS))
def test_languages_have_the_same_words_with_the_same_fields(book: Book) -> None:
    english, chinese = (dict(leaves(Templates(language, {}, book).words)) for language in ("en", "zh"))
    assert list(chinese) == list(english)
    for path, text in english.items():
        assert sorted(FIELD.findall(chinese[path])) == sorted(FIELD.findall(text)), path
