"""A button that makes a file in the background and hands it to the browser."""

from __future__ import annotations

from collections.abc import Callable

import solara
from solara.components.file_download import FileDownloadWidget
from solara.server.kernel_context import get_current_context

from eduverse_mesa.visualization.app.errands import Outcome, run_errand
from eduverse_mesa.visualization.app.kit import Trouble, use_words
from eduverse_mesa.visualization.app.pages.studies.packing import Packed


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

        def done(outcome: Outcome[Packed]) -> None:
            with context:
                set_packed(outcome.found)
                set_error(outcome.error)
                if outcome.found is None:
                    set_asked(False)

        run_errand("export", make, done)

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
