"""Fonts that pictures need: where none has Chinese, a browser draws a box for each of its characters."""

from __future__ import annotations

import shutil
import subprocess

MEND = "Install one, on Debian: apt-get install fonts-noto-cjk"


def chinese_fonts() -> list[str]:
    """The fonts of this machine that have Chinese."""
    if shutil.which("fc-list") is None:
        return []
    said = subprocess.run(["fc-list", ":lang=zh-cn", "family"], capture_output=True, text=True, check=True)
    return sorted(set(said.stdout.splitlines()))


def need_chinese() -> None:
    """End the program where pictures would show boxes instead of Chinese."""
    if not chinese_fonts():
        raise SystemExit(f"No font here has Chinese: the pictures would show boxes. {MEND}")
