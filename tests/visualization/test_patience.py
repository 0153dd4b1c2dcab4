"""The place in anywidget at which it loses patience is still where we look for it."""

from __future__ import annotations

from eduverse_mesa.visualization.app.patience import patient_anywidget


def test_widgets_have_two_minutes_to_load() -> None:
    script = patient_anywidget()
    assert script.count("AbortSignal.timeout(12e4)") == 1
    assert "AbortSignal.timeout(2e3)" not in script
