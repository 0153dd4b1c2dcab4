"""Pictures for the documentation are made where their letters can be drawn."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import fonts


def found(monkeypatch: pytest.MonkeyPatch, families: str) -> None:
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/fc-list")
    said = subprocess.CompletedProcess([], 0, stdout=families)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: said)


def test_without_a_chinese_font_one_is_asked_for_and_no_picture_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tools import pupils, screenshots

    found(monkeypatch, "")
    for make in (lambda: screenshots.main(tmp_path / "images", []), lambda: pupils.main(tmp_path / "images")):
        with pytest.raises(SystemExit, match="fonts-noto-cjk"):
            make()
    assert not (tmp_path / "images").exists()
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(SystemExit, match="boxes"):
        fonts.need_chinese()


def test_with_one_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, "Noto Sans CJK SC\nNoto Sans CJK SC\n")
    assert fonts.chinese_fonts() == ["Noto Sans CJK SC"]
    fonts.need_chinese()
