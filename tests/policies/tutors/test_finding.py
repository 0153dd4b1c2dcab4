"""Tutors by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.tutors import find_tutor

MODULE = """\
import a_module_that_is_not_there_at_all
"""


def test_a_module_of_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s2_tutor_here.py").write_text(
        "class Mine:\n    @staticmethod\n    def tutor(history):\n        return 'x'"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    assert find_tutor("s2_tutor_here:Mine.tutor")([]) == "x"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("json", "not MODULE:FUNCTION"),
        (":dumps", "not MODULE:FUNCTION"),
        ("json:", "not MODULE:FUNCTION"),
        ("no_such_module:tutor", "there is no module 'no_such_module'"),
        ("json.nothing:tutor", "there is no module 'json.nothing'"),
        ("tutor.py:tutor", "is a file, not a module"),
        ("json:nothing", "It has JSONDecodeError"),
        ("json:__name__.x", "What is there, str, has capitalize"),
        ("s2_lazy:tutor", "'s2_lazy' cannot be loaded: ValueError: not today"),
        ("json:__name__", "is str, and cannot be called"),
        ("s2_broken:tutor", "cannot be loaded: ModuleNotFoundError: No module named 'a_module"),
    ],
)
def test_what_is_no_tutor_is_refused(name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s2_broken.py").write_text(MODULE)
    (tmp_path / "s2_lazy.py").write_text("def __getattr__(name):\n    raise ValueError('not today')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PolicyError, match=said) as error:
        find_tutor(name)
    assert error.value.where == f"tutor '{name}'"
    assert error.value.mend
