"""A new phase, emotion, behaviour, act, seat rule or export format is one edit in Python and a word in each language.

They are added to a copy of the package as a person would add them, and a lesson is played with them there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eduverse_mesa

PACKAGE = Path(eduverse_mesa.__file__).parent
TESTS = Path(__file__).parent
EDITS = (
    ("vocabulary/__init__.py", '"practice", "summary"]', '"practice", "exhibition", "summary"]'),
    ("vocabulary/__init__.py", 'Literal["negative"]', 'Literal["negative", "bored"]'),
    ("vocabulary/__init__.py", 'Literal["note_taking", ', 'Literal["doodle", "note_taking", '),
    ("vocabulary/__init__.py", '"giving_directions"]', '"giving_directions", "telling_story"]'),
    ("scenarios/layout_rules.py", '"opposite", "pairs"]', '"opposite", "pairs", "same_column"]'),
    (
        "scenarios/layout_rules.py",
        '    "pairs": Links(_listed, _find_listed),\n',
        '    "pairs": Links(_listed, _find_listed),\n'
        '    "same_column": Links(lambda _, a, b: a.at[0] == b.at[0], _find_by(lambda seat: seat.at[0])),\n',
    ),
    (
        "runs/exports.py",
        '    "growth": _Lessons(_growth, ".jsonl"),\n',
        '    "growth": _Lessons(_growth, ".jsonl"),\n    "names": _Lessons(_names, ".txt"),\n',
    ),
    (
        "runs/exports.py",
        "\n\ndef _growth(",
        "\n\ndef _names(run: str, lessons: Iterable[PlayedLesson], _: Sequence[str], target: Path) -> list[Path]:\n"
        "    names = (student.name for lesson in lessons for student in lesson.model.students)\n"
        '    return [_write_lines(target / f"{file_name(run)}.txt", names)]\n'
        "\n\ndef _growth(",
    ),
)
WORDS = {
    "en": ("exhibition", "bored", "doodles", "tells a story", "seats of one column"),
    "zh": ("展示", "无聊", "涂鸦", "讲故事", "同一列的座位"),
}
CODES = ("exhibition", "bored", "doodle", "telling_story", "same_column")

pytestmark = pytest.mark.xdist_group("new-codes")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of a lesson with the new codes."""
    folder = tmp_path_factory.mktemp("grown")
    copy = shutil.copytree(PACKAGE, folder / "eduverse_mesa")
    for name, before, after in EDITS:
        file = copy / name
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1, (name, before)
        file.write_text(text.replace(before, after), encoding="utf-8")
    for language, words in WORDS.items():
        with (copy / "vocabulary" / f"{language}.yaml").open("a", encoding="utf-8") as labels:
            labels.writelines(f"{code}: {word}\n" for code, word in zip(CODES, words, strict=True))
    (folder / "tests").mkdir()
    shutil.copy(TESTS / "grown_lesson.py", folder / "tests")
    played = subprocess.run(
        [sys.executable, "-m", "tests.grown_lesson", str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout)
    assert Path(told["package"]).is_relative_to(folder)
    return told


def test_a_lesson_with_a_sixth_phase_is_played_and_comes_out_again(grown: Any) -> None:
    assert grown["phases"][-2:] == ["exhibition", "summary"]
    assert len(grown["phases"]) == 6
    assert grown["same_when_replayed"] is True


def test_pupils_and_teachers_do_and_feel_what_is_new(grown: Any) -> None:
    assert grown["emotions"] == ["bored"]
    assert grown["negative"] == 1.0
    assert "doodle" in grown["behaviours"]
    assert grown["acts"] == ["telling_story"]


def test_a_new_rule_links_seats(grown: Any) -> None:
    assert ["r1_1", "r2_1"] in grown["columns"]
    assert ["r1_1", "r2_2"] not in grown["columns"]


@pytest.mark.parametrize("language", WORDS)
def test_pages_and_prompts_call_new_codes_by_their_labels(grown: Any, language: str) -> None:
    assert tuple(grown["labels"][language]) == WORDS[language][:4]
    for code, word in zip(CODES[1:4], WORDS[language][1:4], strict=True):
        assert code in grown["prompt"][language]
        assert word in grown["prompt"][language]


def test_a_label_is_a_heading_of_outlines(grown: Any) -> None:
    assert grown["headings"].count("exhibition") == 2, "of the English outline and of the Chinese one"


def test_what_is_new_is_drawn(grown: Any) -> None:
    assert len(set(grown["colours"].values())) == len(grown["colours"]) == 6
    assert "<svg" in grown["report"]
    assert '"bored": "negative"' in grown["widget"]
    assert all(number > 0 for number in grown["charts"].values())


def test_a_new_format_is_listed_and_written(grown: Any) -> None:
    assert "names" in grown["formats"]
    assert len(grown["exported"]) == 1
    assert len(set(grown["exported"][0].split("\n"))) > 2
