"""Solara's kernels: what it keeps of the pages that are open, and the start page drawn once before anybody comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import reacton
import solara
from solara.server.kernel_context import VirtualKernelContext, contexts, create_dummy_context

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import speak
from eduverse_mesa.dashboard.pages.classroom import ClassroomPage
from eduverse_mesa.dashboard.sessions import OFFICE

_LOG = logging.getLogger(__name__)


@solara.component
def _StartPage(desk: Desk) -> None:
    speak(desk)
    ClassroomPage(desk)


def rehearse() -> None:
    """Draw it at a desk that nobody sits at, and put everything away again."""
    with asyncio.Runner() as runner:
        runner.get_loop()  # a kernel takes the loop of its thread, or opens one and never closes it
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


class SolaraKernels:
    """The kernels of this process."""

    def __init__(self) -> None:
        # One after the other: hundreds that are ended at once would take the processor from all pages.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="eduverse-kernels")

    def alive(self) -> Collection[str]:
        """All of them."""
        return list(contexts)

    def is_drawn(self, kernel: str) -> bool:
        """Return True if the kernel has drawn a page."""
        context = contexts.get(kernel)
        return context is not None and context.app_object is not None

    def has_page(self, kernel: str, page: str) -> bool:
        """Return True if the kernel has a page of this name."""
        context = contexts.get(kernel)
        return context is not None and page in context.page_status

    def end(self, kernel: str) -> None:
        """Close it, in a thread: what a page has begun may take a while to end."""
        context = contexts.get(kernel)
        if context is not None:
            self._thread.submit(_close, context)


def _close(context: VirtualKernelContext) -> None:
    try:
        if not context.closed_event.is_set():
            context.close(reason="cull")
    except Exception:
        _LOG.exception("what is kept of a page could not be ended")
