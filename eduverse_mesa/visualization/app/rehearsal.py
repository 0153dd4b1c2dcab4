"""The start page, drawn once for nobody: what is done only the first time is done before somebody waits for it."""

from __future__ import annotations

import logging
from threading import Thread

import reacton
import solara
from solara.server.kernel_context import create_dummy_context

from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import speak
from eduverse_mesa.visualization.app.office import OFFICE
from eduverse_mesa.visualization.app.pages.classroom import ClassroomPage

_LOG = logging.getLogger(__name__)


@solara.component
def _StartPage(desk: Desk) -> None:
    speak(desk)
    ClassroomPage(desk)


def rehearse() -> None:
    """Draw it at a desk that nobody sits at, and put everything away again."""
    desk, nobody = Desk("nobody's", OFFICE), create_dummy_context()
    try:
        with nobody:
            _, drawn = reacton.render(_StartPage(desk), handle_error=False)
            drawn.close()
    finally:
        desk.clear()
        nobody.close()


def rehearse_aside() -> None:
    """The same in a thread of its own; where it fails, the first visitor's page says why."""

    def run() -> None:
        try:
            rehearse()
        except Exception:
            _LOG.exception("the start page could not be drawn beforehand")

    Thread(target=run, name="eduverse-rehearsal", daemon=True).start()
