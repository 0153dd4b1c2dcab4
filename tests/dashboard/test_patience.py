"""The places in others' scripts at which they lose patience are still where we look for them."""

from __future__ import annotations

from importlib.resources import files

from eduverse_mesa.dashboard.server import WAITS, patient_anywidget, patient_page


def test_widgets_have_two_minutes_to_load() -> None:
    script = patient_anywidget()
    assert script.count("AbortSignal.timeout(12e4)") == 1
    assert "AbortSignal.timeout(2e3)" not in script


def test_a_page_does_not_take_silence_for_a_kernel_that_is_gone() -> None:
    theirs = (files("solara.server") / "static" / "main-vuetify.js").read_text(encoding="utf-8")
    ours = patient_page()
    for hasty, patient in WAITS.items():
        assert theirs.count(hasty) == 1
        assert ours.count(patient) == 1
