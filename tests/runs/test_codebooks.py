"""Every column of every table is explained, in both languages, and nothing is that there is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eduverse_mesa.models.classroom.journal import RejectionRow, RequestRow, SentenceRow, StudentRow, TeacherRow
from eduverse_mesa.models.tutoring.journal import AnswerRow, ConceptRow, EpisodeRow, LineRow
from eduverse_mesa.runs import open_study, record_course
from eduverse_mesa.runs.exports import codebook, export_run
from eduverse_mesa.store import RunKind
from tests.runs.courses import SEED, course

COURSE = {
    "sentences": SentenceRow._fields,
    "student_steps": StudentRow._fields,
    "teacher_steps": TeacherRow._fields,
    "requests": RequestRow._fields,
    "rejections": RejectionRow._fields,
}
TAUGHT = {
    "lines": LineRow._fields,
    "episodes": EpisodeRow._fields,
    "tests": AnswerRow._fields,
    "concepts": ConceptRow._fields,
}


@pytest.mark.parametrize(
    ("kind", "tables", "whose"),
    [("course", COURSE, ("run", "seed", "layout")), ("tutoring", TAUGHT, ("run", "seed", "curriculum"))],
)
def test_every_column_is_explained_and_no_other(
    kind: RunKind, tables: dict[str, tuple[str, ...]], whose: tuple[str, ...]
) -> None:
    book = codebook([kind])
    told = set(zip(book["table"], book["column"], strict=True))
    used = {(name, column) for name, columns in tables.items() for column in (*whose, *columns)}
    explained = {place for place in used if place in told or ("all", place[1]) in told}
    assert used == explained
    assert told == {place if place in told else ("all", place[1]) for place in used}
    assert not book.duplicated(["table", "column"]).any()
    for english, chinese in zip(book["meaning"], book["meaning_zh"], strict=True):
        assert english.isascii()
        assert re.search(r"[\u4e00-\u9fff]", chinese)
        assert "{" not in english + chinese


def test_codes_are_those_that_there_are() -> None:
    book = codebook(["course"]).set_index(["table", "column"])["meaning"]
    assert "note_taking" in book["student_steps", "behaviour"]
    assert "press-reasoning" in book["sentences", "move"]


def test_the_book_lies_beside_the_tables(tmp_path: Path) -> None:
    path = str(tmp_path / "a.study")
    run = record_course(path, course(steps=2), SEED).id
    with open_study(path, read_only=True) as opened:
        for form in ("csv", "parquet"):
            assert export_run(opened, run, form, tmp_path / form)[-1] == tmp_path / form / "codebook.csv"
