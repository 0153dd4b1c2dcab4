"""Ctrl-C while a command works: it is heard once, wherever the program is at that moment.

Python raises KeyboardInterrupt between any two instructions, also inside a callback of the garbage collector or of a
weak reference, and whatever such a callback raises is printed and forgotten. Then the command would go on as if nobody
had pressed a key. Here it is raised again as soon as that callback has returned.
"""

from __future__ import annotations

import os
import signal
import sys
from threading import Timer, current_thread, get_ident, main_thread
from types import FrameType
from typing import Any, Self

INTERRUPTED = 130
"""The exit code, as shells have it."""

_SOON = 0.01
"""Seconds; where the callback has not returned by then, it is tried again."""


class CtrlC:
    """Hears Ctrl-C for as long as it is entered. `stays`: and after that until the process has ended."""

    def __init__(self, *, stays: bool) -> None:
        self._stays = stays
        self._hears = False
        self._over = False
        self._presses = 0
        self._again = False

    def __enter__(self) -> Self:
        # Others decide about Ctrl-C where we are not the main thread, or a shell has put us into the background.
        if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            self._hears = True
            self._thread = get_ident()
            self._hook, self._handler = sys.unraisablehook, signal.signal(signal.SIGINT, self._hear)
            sys.unraisablehook = self._forgotten
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        if self._hears and not self._stays:
            signal.signal(signal.SIGINT, self._handler)
            sys.unraisablehook = self._hook

    def end(self) -> None:
        """All is done and told: a press changes nothing any more, and a second one ends the process at once."""
        self._over = True

    def _hear(self, _: int, frame: FrameType | None) -> None:
        if self._again:
            self._again = False
        else:
            self._presses += 1
        if self._over:
            if self._presses > 1:
                os._exit(INTERRUPTED)
            return
        if _inside(frame, self._forgotten.__code__):
            self._press_again()
            return
        raise KeyboardInterrupt

    def _forgotten(self, what: Any) -> None:
        """In place of `sys.unraisablehook`: hears of what a callback has raised."""
        if isinstance(what.exc_value, KeyboardInterrupt) and not self._over:
            self._press_again()
        else:
            self._hook(what)

    def _press_again(self) -> None:
        later = Timer(_SOON, self._press)
        later.daemon = True
        later.start()

    def _press(self) -> None:
        self._again = True
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._thread, signal.SIGINT)  # also ends what the thread waits for
        else:
            import _thread

            _thread.interrupt_main()


def _inside(frame: FrameType | None, code: Any) -> bool:
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False
