"""Text from the bytes of a file."""

from __future__ import annotations

from eduverse_mesa.errors import ScenarioError


def decode(content: bytes, label: str, mend: str) -> str:
    """The UTF-8 text of a file, without its byte order mark; ScenarioError with the line where it is none."""
    return _decode(content, "utf-8-sig", label, mend)


def decode_marked(content: bytes, label: str, mend: str) -> str:
    """The same for what offices write: UTF-16, too, where a byte order mark says so."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return _decode(content, "utf-16" if wide else "utf-8-sig", label, mend)


def _decode(content: bytes, encoding: str, label: str, mend: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioError(f"line {line} is not UTF-8 text.", where=label, mend=mend) from None
