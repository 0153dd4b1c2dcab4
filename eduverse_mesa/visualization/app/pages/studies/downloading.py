"""A button that makes a file in the background and hands it to the browser."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import solara
from solara.components.file_download import FileDownloadWidget
from solara.server.kernel_context import get_current_context

from eduverse_mesa.errors import EduverseError, StudyError
from eduverse_mesa.visualization.app.kit import Trouble, use_words
from eduverse_mesa.visualization.app.pages.studies.packing import Packed

_LOG = logging.getLogger(__name__)


@solara.component
def Download(make: Callable[[], Packed], label: str, *, primary: bool = False) -> None:
    """Pressed, it makes a file in a thread; the page goes on meanwhile, and a failure is said here."""
    t = use_words()
    asked, set_asked = solara.use_state(False)
    packed, set_packed = solara.use_state(None)
    error, set_error = solara.use_state(None)

    def ask(wanted: bool) -> None:
        set_asked(wanted)
        if not wanted:  # the browser has it
            set_packed(None)
            return
        set_error(None)
        context = get_current_context()

        def work() -> None:
            made, trouble = _made(make)
            with context:
                set_packed(made)
                set_error(trouble)
                if made is None:
                    set_asked(False)

        threading.Thread(target=work, name="eduverse-export", daemon=True).start()

    with solara.Div(classes=["ev-downloading"]):
        FileDownloadWidget.element(
            filename="" if packed is None else packed.name,
            mime_type="" if packed is None else packed.kind,
            bytes=None if packed is None else packed.content,
            request_download=asked,
            on_request_download=ask,
            children=[
                solara.Button(
                    t("studies.export.making") if asked else label,
                    outlined=not primary,
                    color="primary" if primary else None,
                    disabled=asked,
                )
            ],
        )
        if error is not None:
            Trouble(error)


def _made(make: Callable[[], Packed]) -> tuple[Packed | None, EduverseError | None]:
    try:
        return make(), None
    except EduverseError as error:
        return None, error
    except Exception as error:
        _LOG.exception("a file could not be made")
        told = f"the file could not be made ({type(error).__name__}: {error})."
        return None, StudyError(told, mend="Try another form; the server's log says more.")
