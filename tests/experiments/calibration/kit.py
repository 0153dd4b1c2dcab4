"""Fits that do not take long."""

from __future__ import annotations

from functools import cache

import pytest

from eduverse_mesa.experiments.calibration import fit
from eduverse_mesa.scenarios import load_scenario


def shorten_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let members play lessons of four steps, and as many of them as in any fit."""
    for name in ("_lesson", "_sessions", "_class"):
        whole = getattr(fit, name)
        monkeypatch.setattr(fit, name, cache(lambda *given, whole=whole: load_scenario(whole(*given), steps=4)))
