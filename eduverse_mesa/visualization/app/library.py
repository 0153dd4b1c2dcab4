"""The charts' library as the dashboard serves it: made beside the server while that begins, so that no page waits."""

from __future__ import annotations

import logging
import subprocess
import sys
from concurrent.futures import Future
from threading import Lock, Thread

from eduverse_mesa.visualization.widgets.chart import EMBEDDED, closed, vega_bundle

_LOG = logging.getLogger(__name__)

# A process of its own: the tool that makes the bundle holds up every thread of the one in which it runs. Nothing is
# imported from the folder in which the dashboard was started (-P).
_APART = (sys.executable, "-P", "-c")
_MAKING = """
import sys
import vl_convert
sys.stdout.buffer.write(vl_convert.javascript_bundle(sys.argv[1]).encode())
"""


class Library:
    """The script, which is made once."""

    def __init__(self) -> None:
        self._door = Lock()
        self._made: Future[str] | None = None

    def begin(self) -> Future[str]:
        """Have it made, if nobody has yet; waits for nothing."""
        with self._door:
            if self._made is None:
                self._made = Future()
                Thread(target=self._make, args=(self._made,), name="eduverse-library", daemon=True).start()
            return self._made

    def text(self) -> str:
        """The script, once it is there."""
        return self.begin().result()

    @staticmethod
    def _make(made: Future[str]) -> None:
        try:
            made.set_result(_made_apart())
        except Exception as error:
            made.set_exception(error)


def _made_apart() -> str:
    try:
        told = subprocess.run([*_APART, _MAKING, EMBEDDED], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        _LOG.warning("the charts' library is made within the server, which stands still meanwhile: %s", error)
        return vega_bundle()
    return closed(told.stdout.decode("utf-8"))


LIBRARY = Library()
