"""Lines to be heard: what files may hold, and what is said of those that cannot be read."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import EduverseError, TableError
from eduverse_mesa.hearing.candidates import IDEA, of_lesson, of_problem, of_unit
from eduverse_mesa.hearing.corpus import MOVES, candidates_of, decision_of, is_teacher, read_line, read_lines
from eduverse_mesa.scenarios.loader import built_in_problems, load_document, load_problem
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS
from tests.hearing.kit import LINES, hear_line, lines_of

TRAIN = sorted(file.stem for file in (LINES / "train").glob("*.jsonl"))
TEST = sorted(file.stem for file in (LINES / "test").glob("*.jsonl"))
STRAY = "t9"
"""Lines that leave the lesson, or that nobody understands: what a lesson is about says nothing of them."""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["text", "before", "speaker", "on_table", "listener", "problem", "unit", "labels", "language"])


@pytest.mark.parametrize(("part", "writer"), [*(("train", one) for one in TRAIN), *(("test", one) for one in TEST)])
def test_every_labelled_line_names_what_there_is(part: str, writer: str) -> None:
    for line in lines_of(part, writer):
        kind, name = line.matter
        known = {one.id for one in candidates_of(kind, name, line.language or "en")[0]}
        for label in line.labels.values():
            named = {label.about, label.reason_for, *label.also} - {None}
            assert named <= known, (line.id, named - known)
        assert line.on_table is None or line.on_table in known, line.id


def test_no_problem_unit_or_lesson_of_the_test_part_is_learned_from() -> None:
    def matters(part: str, writers: list[str]) -> set[tuple[str, str, str]]:
        found = {(*line.matter, str(line.language)) for writer in writers for line in lines_of(part, writer)}
        return {(kind, name.removesuffix("_zh"), language) for kind, name, language in found}

    both = matters("train", TRAIN) & matters("test", [one for one in TEST if one != STRAY])
    assert {name for _, name, _ in both} <= {"spring_1"}  # of whose questions each part has one half


def test_candidates_of_every_built_in_document_have_names_and_texts() -> None:
    for problem in (*built_in_problems("en"), *built_in_problems("zh")):
        found = of_problem(problem)
        assert len({one.id for one in found}) == len(found)
        assert all(one.says or one.wrong for one in found)
        assert not any("{" in text for one in found for text in (*one.says, *one.wrong, *one.asks))
    lesson: Any = load_document("lesson", "mathematics_area")
    assert {one.kind for one in of_lesson(lesson)} == {"idea", "question"}
    subject: Any = load_document("subject", "ngss_life")
    assert of_unit(subject.units[0])[0].id == IDEA


def test_a_quantity_knows_the_values_that_mistakes_lead_to() -> None:
    found = {one.id: one for one in of_problem(load_problem("race_fuel"))}
    assert found["gallons_per_mile"].values == ("0.2 gallons per mile",)
    assert "5 gallons per mile" in found["gallons_per_mile"].amiss


@given(written=JSON)
def test_whatever_stands_in_a_line_is_read_or_refused_with_its_place(written: Any) -> None:
    with suppress(TableError):
        assert read_line(json.dumps(written), "lines.jsonl, line 3").text is not None


@given(extra=st.dictionaries(FIELDS, JSON, max_size=4))
def test_whatever_stands_in_its_fields_is_heard_or_refused(extra: dict[str, Any]) -> None:
    with suppress(EduverseError):
        line = read_line(json.dumps({"text": "so it is 12?", **extra}), "lines.jsonl, line 3")
        assert decision_of(line, "teacher").text == line.text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "no JSON"),
        ("[1]", "the line"),
        ('{"speaker": "Mia"}', "text"),
        ('{"text": "hm", "listener": "cat"}', "listener"),
        ('{"text": "hm", "labels": {"A": {"acts": ["sings"]}}}', "labels.A.acts"),
        ("[" * 100_000, "nested"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, written: str, said: str) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"text": "hello"}\n\n' + written + "\n")
    with pytest.raises(TableError, match=f"line 3.*{said}"):
        read_lines(file)


def test_nobody_hears_a_line_without_a_listener() -> None:
    with pytest.raises(TableError, match="nobody hears"):
        decision_of(read_line('{"text": "hm"}', ""))
    with pytest.raises(TableError, match="no unit 'moon'"):
        hear_line("hm", unit="moon")


def test_teachers_are_known_by_their_names() -> None:
    assert all(map(is_teacher, ("Teacher", "Tutor", "王老师", "Ms Hall", "Mr. Tan")))
    assert not any(map(is_teacher, ("Mia", "小雨", "Missy", "")))
    assert hear_line("Look here.", "pupil", speaker="Ms Hall").teaches
    assert not hear_line("Look here.", "pupil", speaker="Mia").teaches


def test_the_guide_and_the_code_know_the_same_codes() -> None:
    guide = (LINES / "guide.md").read_text(encoding="utf-8")
    assert all(f"`{code}`" in guide for code in (*SPEECH_ACTS, *MOVES, *MANNERS))
