"""Tutoring documents: found beside each other, drawn, and refused with their place and mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.marks import count_words, says, share_said, tokens
from eduverse_mesa.scenarios import list_names, load_document
from eduverse_mesa.scenarios.curriculum import Curriculum, in_order
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import EVERY_GRADE
from tests.scenarios.documents import COHORT, CURRICULUM, SUBJECT, TUTORING, refusal

DOCUMENTS = {"pond": SUBJECT, "ponds": CURRICULUM, "pair": COHORT, "by_the_pond": TUTORING}


@pytest.fixture
def tutoring(tmp_path: Path) -> Path:
    for name, text in DOCUMENTS.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "by_the_pond.yaml"


def test_parts_are_found_beside_the_file(tutoring: Path) -> None:
    found = load_tutoring(tutoring)
    assert (found.people, list(found.curriculum.units)) == (("Ann", "Bo"), ["cork"])


def test_a_curriculum_in_a_folder_of_its_own_brings_its_subjects(tutoring: Path) -> None:
    folder = tutoring.parent / "science"
    folder.mkdir()
    for name in ("pond", "ponds"):
        (tutoring.parent / f"{name}.yaml").rename(folder / f"{name}.yaml")
    tutoring.write_text(TUTORING.replace("ponds", "science/ponds.yaml"), encoding="utf-8")
    assert list(load_tutoring(tutoring).curriculum.units) == ["cork"]
    assert list(load_tutoring("growing_up", curriculum=folder / "ponds.yaml").curriculum.units) == ["cork"]


def test_settings_and_learners_are_exchanged() -> None:
    found = load_tutoring(learners=4, settings={"memory.law": "ebbinghaus", "turns": 3})
    assert (len(found.cohort.learners), found.settings.memory.law, found.settings.turns) == (4, "ebbinghaus", 3)
    assert found.cohort.learners == load_tutoring(learners=9).cohort.learners[:4], "more learners change nobody"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pond", "concept: P1", "concept: P9", "unit 'cork' belongs to concept 'P9'"),
        ("pond", "grade: 1", "grade: 1\n    needs: [oak]", "unit 'cork' needs unit 'oak', which does not exist"),
        ("pond", "grade: 1", "grade: 1\n    needs: [cork]", "units need each other in a circle: 'cork'"),
        ("pond", "id: b,", "id: a,", "two items of unit 'cork' have the id 'a'"),
        ("pond", "slips: [dry]", "slips: ['?!']", "expected text with a letter or a digit in it"),
        ("pond", "slips: [dry]", "slips: ['__']", "expected text with a letter or a digit in it"),
        ("pond", "slips: [dry]", "slips: ['dry|__']", "expected text with a letter or a digit in it"),
        ("pond", "id: b,", "id: 'a;b',", "expected a name without ;"),
        ("pair", "name: Bo", 'name: "B\\u202Eo"', "the name holds U+202E, which turns words round"),
        ("pair", "name: Bo", "name: ANN", "the name 'ANN' cannot be told from learner 1, 'Ann'"),
        ("by_the_pond", "grades: [1, 1]", "grades: [3, 5]", "'ponds' has nothing for grades 3 to 5"),
        ("by_the_pond", "grades: [1, 1]", "grades: [5, 1]", "the grades run from 5 to 1"),
        ("by_the_pond", "grades: [1, 1]", "grades: [1, 9]", "'ponds' has nothing for grade 9"),
        ("by_the_pond", "grades: [1, 1]", "parameters: {learn.pace: 1}", "there is no parameter 'learn.pace'"),
    ],
)
def test_mistakes_have_their_place_and_mend(tutoring: Path, file: str, old: str, new: str, said: str) -> None:
    place = tutoring.parent / f"{file}.yaml"
    place.write_text(DOCUMENTS[file].replace(old, new), encoding="utf-8")
    error = refusal(load_tutoring, tutoring)
    assert said in str(error)
    assert f"{file}.yaml" in str(error), "the file is named"
    assert error.mend


def test_units_stand_after_what_they_build_on() -> None:
    for name in list_names("curriculum"):
        curriculum = load_document("curriculum", name)
        assert isinstance(curriculum, Curriculum)
        ordered = [unit.id for unit in in_order(curriculum.all_units())]
        for unit in curriculum.all_units():
            assert all(ordered.index(need) < ordered.index(unit.id) for need in unit.needs)
            assert unit.because
        assert [curriculum.units[unit].grade for unit in ordered] == sorted(
            unit.grade for unit in curriculum.all_units()
        )


def test_grades_are_refused_at_the_setting_that_names_them() -> None:
    for grades in ([3, 1], [1, 9], [1]):
        with pytest.raises(ScenarioError) as refused:
            load_tutoring("growing_up", settings={"grades": grades})
        assert refused.value.where == f"settings grades={grades}"
    everything = load_tutoring("growing_up", settings={"grades": list(EVERY_GRADE)})
    assert everything.settings.grades == EVERY_GRADE


@pytest.mark.parametrize("name", list_names("subject"))
def test_marks_tell_right_from_half_right_and_wrong(name: str) -> None:
    """What the judge goes by: every item's own answers are told apart by its marks and slips."""
    subject = load_document("subject", name)
    wrong = []
    for unit in subject.units:  # type: ignore[attr-defined]
        if share_said(unit.marks, unit.idea) < 0.99 or share_said(unit.marks, unit.hint) >= 0.67:
            wrong.append(unit.id)
        for item in unit.items:
            fits = (
                share_said(item.marks, item.right) == 1
                and share_said(item.slips, item.right) == 0
                and 0 < share_said(item.marks, item.partial) < 1
                and share_said(item.slips, item.partial) == 0
                and share_said(item.marks, item.wrong) < 0.67
                and share_said(item.slips, item.wrong) > 0
                and share_said(item.marks, item.ask) < 1
            )
            if not fits:
                wrong.append(f"{unit.id} {item.id}")
    assert wrong == []


def test_marks_are_beginnings_of_words() -> None:
    assert says("vibrat|shak", "It VIBRATES.")
    assert says("to and fro", "it goes to and fro, fast")
    assert not says("rat", "It vibrates.")
    assert says("振动", "鼓面在振动")
    assert not says("!", "anything!")
    assert share_said([], "anything") == 0


def test_numbers_and_formulas_are_words_in_the_middle_of_chinese() -> None:
    assert says("9", "一共要9升。")
    assert not says("9", "一共要19升。")
    assert says("负 7", "等于负7，因为……")
    assert says("4x 12", "是4x+12")
    assert count_words("It has four words.") == 4
    assert count_words("我们走") == 2
    assert tokens("要9升") == {"要", "9", "升"}
