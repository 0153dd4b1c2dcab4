"""What Solara keeps of the pages: which kernels there are, which have drawn a page, and how one is ended."""

from __future__ import annotations

import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from solara.server.kernel_context import VirtualKernelContext, contexts

_LOG = logging.getLogger(__name__)


class SolaraKernels:
    """The kernels of this process."""

    def __init__(self) -> None:
        # One after the other: hundreds that are ended at once would take the processor from all pages.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="eduverse-kernels")

    def alive(self) -> Collection[str]:
        """All of them."""
        return list(contexts)

    def is_drawn(self, kernel: str) -> bool:
        """Whether a page was drawn by it."""
        context = contexts.get(kernel)
        return context is not None and context.app_object is not None

    def has_page(self, kernel: str, page: str) -> bool:
        """Whether a page of this name is its own."""
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
