"""`eduverse draft`: a lesson file from an outline, and what is left to confirm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from eduverse_mesa.scenarios.drafts.documents import write_yaml
from eduverse_mesa.scenarios.drafts.lessons import confirm
from eduverse_mesa.visualization.words import load_words
from tests.cli.commands import SHORT, call, refusal

Capture = pytest.CaptureFixture[str]
OUTLINES = {
    "en": "Why leaves fall - grade 5\n# 1. Warm-up (5 min)\nWhy do leaves turn yellow?\n  because the green dye goes\n"
    "# 2. Main part\nLeaves breathe through small holes.\nTODO: find video!!\n",
    "zh": "为什么树叶会落——五年级\n一、导入（5分钟）\n树叶为什么变黄？\n  因为绿色的色素分解了\n"
    "二、新授\n叶子通过小孔呼吸。\n待办：找视频！！\n",
}


@pytest.mark.parametrize("language", OUTLINES)
def test_an_outline_becomes_a_lesson_that_is_played_once_confirmed(
    language: str, capsys: Capture, tmp_path: Path
) -> None:
    outline, lesson = tmp_path / "my leaves.md", tmp_path / "lesson.yaml"
    outline.write_text(OUTLINES[language], encoding="utf-8")
    said = call(capsys, "draft", outline, "--out", lesson)
    assert said.code == 0
    t = load_words(language)
    assert t("report.draft.lesson", path=lesson) in said.out
    plan = yaml.safe_load(lesson.read_text(encoding="utf-8"))
    assert plan["language"] == language
    assert t("report.draft.left", n=len(plan["unconfirmed"])) in said.out
    for mark in plan["unconfirmed"]:
        assert mark in said.out
    assert "idea_1.misconception" in plan["unconfirmed"]
    assert t["report.draft.to_fill"] in said.out
    if language == "zh":  # but for paths, marks of parts and commands there is no English
        told = re.sub(r"/\S+|\w+_\d\.\w+|^  title|`\w+`|`eduverse app`|eduverse run --lesson", "", said.out, flags=re.M)
        assert re.findall(r"[A-Za-z]{2,}", told) == []
    assert "nobody has confirmed it" in refusal(capsys, "run", "--lesson", lesson, *SHORT)
    lesson.write_text(write_yaml(confirm(plan)), encoding="utf-8")
    assert call(capsys, "run", "--lesson", lesson, *SHORT).code == 0


def test_without_out_it_stands_beside_the_outline_and_replaces_nothing(capsys: Capture, tmp_path: Path) -> None:
    outline = tmp_path / "leaves.txt"
    outline.write_text(OUTLINES["en"], encoding="utf-8")
    assert call(capsys, "draft", outline, "--title", "Autumn").code == 0
    plan = yaml.safe_load((tmp_path / "leaves.yaml").read_text(encoding="utf-8"))
    assert (plan["name"], plan["title"]) == ("leaves", "Autumn")
    assert "this file is there already" in refusal(capsys, "draft", outline)


def test_mistakes_name_the_file_and_the_mend(capsys: Capture, tmp_path: Path) -> None:
    outline = tmp_path / "leaves.txt"
    assert "there is no such file" in refusal(capsys, "draft", outline)
    outline.write_text("# Practice\n", encoding="utf-8")
    assert f"{outline}: there is no activity" in refusal(capsys, "draft", outline)
    outline.write_bytes(b"caf\xe9")
    assert "UTF-8" in refusal(capsys, "draft", outline)
    outline.write_text(OUTLINES["en"], encoding="utf-8")
    assert "ends in .yaml" in refusal(capsys, "draft", outline, "--out", tmp_path / "lesson.txt")


def test_a_class_list_is_a_class(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("\ufeffNr;Name\n1;Ann Lee\n2;Bo Ek\n", encoding="utf-8")
    assert call(capsys, "run", "--students", path, *SHORT).code == 0
    assert "a valid class" in call(capsys, "validate", path).out
