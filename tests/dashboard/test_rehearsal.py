"""What is done before the first visitor comes leaves nothing behind."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from solara.server.kernel_context import VirtualKernelContext, contexts

from eduverse_mesa.dashboard import kernels
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.dashboard.sessions import Office
from tests.dashboard.test_server import shut, soon


def test_a_rehearsal_lays_out_the_first_lesson_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    office, laid, loops = Office(), list[ClassroomLesson](), list[asyncio.AbstractEventLoop]()
    office.study = str(tmp_path / "class.study")

    class Watched(Desk):
        def clear(self) -> None:
            laid.append(classroom_lesson(self))
            loops.append(asyncio.get_event_loop())
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
    assert [loop.is_closed() for loop in loops] == [True]
    assert soon(lambda: not set(threading.enumerate()) - before), "its player and its painter have gone"
