"""Runs as a file to take away, made in the background and handed to the browser."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import solara
from solara.components.file_download import FileDownloadWidget
from solara.server.kernel_context import get_current_context

from eduverse_mesa.dashboard.background import Outcome, run_errand
from eduverse_mesa.dashboard.elements import Trouble, use_words
from eduverse_mesa.runs.classroom import replay_run
from eduverse_mesa.runs.exports import FORMATS, TAUGHT_FORMATS, export_run, folder_names
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.run import report_tables, run_report

REPORT = "report"
FORMS = (REPORT, *FORMATS)
TAUGHT_FORMS = TAUGHT_FORMATS
_KINDS = {
    ".html": "text/html",
    ".zip": "application/zip",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
}


class Packed(NamedTuple):
    """A file for a browser."""

    name: str
    content: bytes

    @property
    def kind(self) -> str:
        """Its media type."""
        return _KINDS.get(Path(self.name).suffix, "application/octet-stream")


def pack_runs(study: str, runs: Sequence[str], form: str) -> Packed:
    """These runs in one of FORMS."""
    with tempfile.TemporaryDirectory(prefix="eduverse-") as folder, open_study(study, read_only=True) as opened:
        top = Path(folder)
        names = folder_names(runs)
        files = [file for run, name in names.items() for file in _write(opened, run, form, top / name)]
        if len(files) == 1:
            return Packed(files[0].name, files[0].read_bytes())
        if len(names) > 1:
            return Packed(f"{len(names)}_runs-{form}.zip", _zipped(files, top))
        (name,) = names.values()
        return Packed(f"{name}-{form}.zip", _zipped(files, top / name))


def _write(opened: OpenStudy, run: str, form: str, folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    if form != REPORT:
        return export_run(opened, run, form, folder)
    page = folder / f"{folder.name}.html"
    report = run_report(report_tables(replay_run(opened, run)))
    page.write_text(render_page(report), encoding="utf-8")
    return [page]


def _zipped(files: Sequence[Path], top: Path) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(top).as_posix())
    return packed.getvalue()


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
