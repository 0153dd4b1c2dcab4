"""Messages between a worker and its parent: frames of bytes, each behind its length."""

from __future__ import annotations

from typing import IO

import msgspec

_LENGTH = 8
BEGUN = b""
"""The frame before a reply: all that the work needs is loaded, and it begins."""


class Order(msgspec.Struct, array_like=True):
    """A piece of work, as a worker gets it."""

    work: str
    payload: bytes


class Reply(msgspec.Struct, array_like=True):
    """The answer to a piece of work, or the error that ended it."""

    answer: bytes
    error: str = ""


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Send a frame; OSError where nobody listens."""
    stream.write(len(content).to_bytes(_LENGTH, "big"))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame; None where the other side has ended, also in the middle of one."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    size = int.from_bytes(head, "big")
    content = stream.read(size)
    return content if len(content) == size else None
