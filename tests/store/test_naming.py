"""Names: what can be seen, and what looks the same."""

from __future__ import annotations

import unicodedata

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import (
    account_named,
    add_account,
    alike,
    can_be_seen,
    checked_name,
    checked_title,
    is_of_one_script,
    tidy,
)
from tests.store.test_accounts import PASSWORD, study

__all__ = ["study"]

TWINS = (
    "Zoë",
    "zoë",
    "ZOË",
    unicodedata.normalize("NFD", "Zoë"),
    "Ｚｏë",
    " Zoë\t",
    "Zo\u200bë",
    "Zo\ufe0fë",
    "Zo\u3164ë",
)


@pytest.mark.parametrize("name", TWINS)
def test_names_that_look_the_same_are_the_same(name: str) -> None:
    assert alike(name) == alike("Zoë")
    assert alike("Zoe") != alike("Zoë")


@pytest.mark.parametrize(
    "name",
    [
        "kiwi\u200b",
        "ki\u202ewi",
        "\u2066kiwi\u2069",
        "\u3164",
        "\u2800",
        "kiwi\u034f",
        "k\u0301\u0301\u0301\u0301",
        "a\u00adb",
    ],
)
def test_what_cannot_be_seen_is_in_no_name(name: str) -> None:
    with pytest.raises(StudyError, match="can be seen"):
        checked_name(name, "")
    with pytest.raises(StudyError, match="a title has"):
        checked_title(name, "")


@pytest.mark.parametrize("name", ["小明", "Đặng Thị Huệ", "عمر", "❤️ Ana", "O'Neil-Żak 7b", "क्षितिज", "วุฒิศักดิ์"])
def test_names_of_all_languages_are_names(name: str) -> None:
    assert can_be_seen(tidy(name))
    assert checked_name(name, "")


def test_of_twins_there_is_one_and_it_logs_in_however_it_is_typed(study: Study) -> None:
    made = add_account(study, "Zoë", "student", PASSWORD)
    for name in ("zoë", unicodedata.normalize("NFD", "ZOË"), "Ｚｏë"):
        with pytest.raises(StudyError, match="account 'Zoë' already"):
            add_account(study, name, "student", PASSWORD)
        found = account_named(study, name)
        assert found is not None
        assert found[0] == made
    assert account_named(study, "Zoe") is None


LOOK = {"РОРА": "POPA", "рора": "popa", "Сосо": "Coco", "ВЕРА": "BEPA", "ΑΝΝΑ": "ANNA", "Ζοε": "Zoe", "Тоё": "Toë"}


@pytest.mark.parametrize(("name", "latin"), LOOK.items())
def test_a_name_of_another_alphabet_that_looks_like_one_that_is_there_is_the_same(name: str, latin: str) -> None:
    assert alike(name) == alike(latin)
    assert alike(name.upper()) == alike(name.lower()), "capitals do not matter to log in"
    assert alike("Иван") != alike("Ivan")


def test_a_name_that_mixes_alphabets_is_none(study: Study) -> None:
    for name in ("Αlice", "Аlice", "Alicе", "Иван B"):
        with pytest.raises(StudyError, match="several alphabets"):
            add_account(study, name, "student", PASSWORD)


@pytest.mark.parametrize("name", ["小明 Ming", "さくらサクラ 7b", "민준 Kim", "Иван 7", "Άννα", "Ｚｏë", "❤️ Ana"])
def test_names_as_they_are_written_are_of_one_script(name: str) -> None:
    assert is_of_one_script(tidy(name))
