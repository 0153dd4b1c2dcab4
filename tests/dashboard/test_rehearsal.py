"""What is done before the first visitor comes leaves nothing behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from solara.server.kernel_context import VirtualKernelContext, contexts

from eduverse_mesa.dashboard import kernels
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.dashboard.sessions import Office
from tests.dashboard.test_server import shut, soon

# Solara asks Python for an event loop in a way that newer Pythons find old-fashioned.
pytestmark = pytest.mark.filterwarnings("ignore:There is no current event loop:DeprecationWarning")


def test_a_rehearsal_lays_out_the_first_lesson_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    office, laid = Office(), list[ClassroomLesson]()
    office.study = str(tmp_path / "class.study")

    class Watched(Desk):
        def clear(self) -> None:
            laid.append(classroom_lesson(self))
            super().clear()

    monkeypatch.setattr(kernels, "OFFICE", office)
    monkeypatch.setattr(kernels, "Desk", Watched)
    monkeypatch.setattr(VirtualKernelContext, "close", shut)
    before, open_pages = set(threading.enumerate()), dict(contexts)
    kernels.rehearse()
    (lesson,) = laid
    assert len(lesson.film) == 1
    assert not office.knows("nobody's")
    assert dict(contexts) == open_pages
    assert not [*tmp_path.iterdir()]
    assert soon(lambda: not set(threading.enumerate()) - before), "its player and its painter have gone"
