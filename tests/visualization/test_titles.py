"""What is built in has one name on every page, in the page's language."""

from __future__ import annotations

import re

import pytest

from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.drafts.documents import mapping
from eduverse_mesa.scenarios.library import KINDS, Kind, find, list_names
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from eduverse_mesa.visualization.words.labels import short_title_of, title_of, titles


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_is_built_in_has_a_title_in_every_language(kind: Kind, language: str) -> None:
    named = titles(kind, load_words(language))
    assert sorted(named) == list(list_names(kind))
    assert len(set(named.values())) == len(named)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_in_chinese_keeps_its_own_title(kind: Kind) -> None:
    own = {name: str(mapping(find(kind, name).read().data).get("title", "")) for name in list_names(kind)}
    chinese = {name: title for name, title in own.items() if re.search("[\u4e00-\u9fff]", title)}
    named = titles(kind, load_words("zh"))
    assert {name: named[name] for name in chinese} == chinese


def test_a_built_in_layout_is_called_in_the_language_of_the_page() -> None:
    layout = load_scenario().layout
    assert title_of("layout", layout, load_words("en")) == layout.title
    assert title_of("layout", layout, load_words("zh")).startswith("讲授式：")
    assert short_title_of("layout", layout, load_words("en")) == "Lecture"
    assert short_title_of("layout", layout, load_words("zh")) == "讲授式"


def test_a_title_that_somebody_has_written_stays() -> None:
    words = load_words("zh")
    mine = load_scenario().layout.model_copy(update={"title": "Ours: as on Mondays"})
    assert title_of("layout", mine, words) == "Ours: as on Mondays"
    assert title_of("layout", mine.model_copy(update={"title": "", "name": "mine"}), words) == "mine"
