"""The charts' library: Vega, Vega-Lite and Vega-Embed in one script, which needs no network."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import NamedTemporaryFile
from zlib import crc32

EMBEDDED = "window.evVegaEmbed = vegaEmbed;"
"""The statement by which the script gives Vega-Embed to the page."""
# Within a function: what the library declares would otherwise stand in everybody's way in the page.
_BEGIN, _END = "(() => {\n", "\n})();"


@cache
def vega_bundle() -> str:
    """Return the script. Where none is kept it is made: that takes seconds, and no other thread runs meanwhile."""
    kept = kept_bundle()
    if kept is not None:
        return kept
    import vl_convert as vlc

    return keep_bundle(vlc.javascript_bundle(EMBEDDED))


def kept_bundle() -> str | None:
    """Return the script as an earlier process has made it with the same version of the tool, None if none has."""
    with suppress(OSError, UnicodeDecodeError):
        script = _place().read_text(encoding="utf-8")
        if script.startswith(_BEGIN) and script.endswith(_END):
            return script
    return None


def keep_bundle(library: str) -> str:
    """Return the script of a library, and keep it for processes to come where Python may keep bytecode, too."""
    script = f"{_BEGIN}{library}{_END}"
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            _write(_place(), script)
    return script


def _place() -> Path:
    """The file beside the bytecode of this module: like that it follows from what is installed."""
    statement = crc32(f"{_BEGIN}{EMBEDDED}{_END}".encode())
    return Path(cache_from_source(__file__)).with_name(f"vega-{version('vl-convert-python')}-{statement:08x}.js")


def _write(path: Path, script: str) -> None:
    """Write it under another name first: several processes may do so at the same time, and others read meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=path.parent, delete=False) as part:
        written = Path(part.name)
        try:
            part.write(script)
            part.close()
            written.chmod(0o644)
            written.replace(path)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
