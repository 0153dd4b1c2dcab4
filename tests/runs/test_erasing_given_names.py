"""Who is called by a part of the name is erased there, too; nobody else's name and no word of a lesson is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.erasure import erase_participant
from eduverse_mesa.runs.erasure.words import Name, Phrase, Redactor, parts_of
from tests.runs.courses import course
from tests.runs.people import SEAT, play_with
from tests.runs.test_erasing import left, replay_all

COURSE = course(lessons=1, steps=5)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Zelda Quill", ["Zelda", "Quill"]),
        ("Li Na", []),
        ("Zelda", []),
        ("王小明", ["小明"]),
        ("欧阳小明", ["小明"]),
        ("王芳", []),
        ("Guest 12", ["Guest"]),
        ("Teacher Zelda", ["Zelda"]),
        ("Ann the First", ["Ann", "First"]),
        ("drop table runs", []),
        ("", []),
    ],
)
def test_what_somebody_may_be_called_for_short(name: str, parts: list[str]) -> None:
    assert parts_of(name) == parts


def test_a_part_is_changed_in_words_of_somebodys_own_as_a_word_with_its_capital() -> None:
    redactor = Redactor(name=Name(Phrase.of("Rose Hill"), "P1", True, (Phrase.exactly("Rose"),)))
    changed = redactor.change("Rose said: the sun rose. Rosemary and ROSE hill!")
    assert changed == "P1 said: the sun rose. Rosemary and P1!"
    assert redactor.change("Rose", own=False) == "Rose"
    assert redactor.holds("thank you, Rose")
    assert not redactor.holds("it rose")
    assert redactor.among(["thank you, Rose"]) is not None


def play(path: Path, label: str, other: str, sentences: list[str]) -> None:
    people = {SEAT: (label, ["Xylophones are old."]), "Zhang Jie": (other, sentences)}
    play_with(path, COURSE, people)


def test_given_names_are_gone_and_the_proof_has_looked_for_them(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    play(path, "Zelda Quill", "Bo", ["I think Zelda is right about that.", "Ask Quill, she knows the answer."])
    assert left(tmp_path, "Zelda", "Quill") == ["Zelda", "Quill"]
    done = erase_participant(str(path), "p1")
    assert left(tmp_path, "Zelda", "Quill") == []
    assert done.complete
    assert done.searched_for == 1 + 1 + 4, "a sentence, the name, and two parts of it, written in two ways"
    with open_study(str(path), read_only=True) as opened:
        said = [row.content for run in opened.runs() for row in opened.study.answers(run)]
    assert any("I think P1 is right about that." in text for text in said)
    replay_all(path)


def test_a_part_that_others_bear_stays_and_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    play(path, "Zelda Zhang", "Bo Zelda", ["I think Zelda is right.", "So does Zhang, or who is it?"])
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert done.not_searched_for == {"parts of the name that are other words, too": 2}
    assert left(tmp_path, "I think Zelda is right.") == ["I think Zelda is right."]


def test_a_part_that_the_database_is_made_of_is_not_searched_for(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    play(path, "Zelda Varchar", "Bo", ["I think Zelda is right about that."])
    done = erase_participant(str(path), "p1")
    assert done.complete
    assert done.not_searched_for == {"parts of the name that are other words, too": 1}
    assert left(tmp_path, "Zelda") == []
